"""The error function: a polynomial near 0, 1 - exp of a polynomial elsewhere."""

from __future__ import annotations

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.exponentials import near_power, reduced
from teloom.passes.elementary.numbers import Number

_ONE = {"f32": 4.0, "f64": 6.0}
"""Above, the error function is next to 1."""


def erf(x: Number) -> Number:
    """2 / sqrt(pi) * the integral of exp(-t^2) from 0 to x."""
    name = x.code.format.name
    a = abs(x)
    z = a * a
    near = a.times_plus(z.polynomial(coefficients.ERF_NEAR[name]), a)
    limited = a.at_most(_ONE[name])
    centered = limited - coefficients.ERF_FAR_CENTER
    r, power = reduced(-centered.polynomial(coefficients.ERF_FAR[name]))
    far = 1.0 - power.times(near_power(r))
    return (a < coefficients.ERF_NEAR_LIMIT).choose(near, far).with_sign(x.sign())
