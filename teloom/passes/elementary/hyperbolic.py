"""Hyperbolic functions: polynomials near 0, by e^|x| elsewhere."""

from __future__ import annotations

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.exponentials import near_power, reduced
from teloom.passes.elementary.numbers import Number

_TANH_ONE = {"f32": 9.1, "f64": 19.1}
"""Above, tanh is next to 1."""

_GREATEST = {"f32": 90.0, "f64": 711.0}
"""Above, sinh and cosh are infinite."""


def tanh(x: Number) -> Number:
    """The hyperbolic tangent: 1 - 2 / (e^2a + 1), for a = |x|."""
    name = x.code.format.name
    a = abs(x)
    limited = a.at_most(_TANH_ONE[name])
    r, power = reduced(limited + limited)
    far = 1.0 - 2.0 / (power.times(near_power(r)) + 1.0)
    near = _near(a, coefficients.TANH[name])
    return (a < coefficients.TANH_NEAR_LIMIT).choose(near, far).with_sign(x.sign())


def sinh(x: Number) -> Number:
    """The hyperbolic sine: e^a / 2 - e^-a / 2, for a = |x|."""
    a = abs(x)
    half = _half_power(a)
    near = _near(a, coefficients.SINH[x.code.format.name])
    far = half - 0.25 / half
    return (a < coefficients.SINH_NEAR_LIMIT).choose(near, far).with_sign(x.sign())


def cosh(x: Number) -> Number:
    """The hyperbolic cosine: e^a / 2 + e^-a / 2, for a = |x|."""
    half = _half_power(abs(x))
    return half + 0.25 / half


def _half_power(a: Number) -> Number:
    """e^a / 2, which may be a float where e^a is none."""
    r, power = reduced(a.at_most(_GREATEST[a.code.format.name]))
    return power.times(near_power(r) * 0.5)


def _near(a: Number, polynomial: tuple[float, ...]) -> Number:
    """a + a^3 times a polynomial of a^2."""
    square = a * a
    return (a * square).times_plus(square.polynomial(polynomial), a)
