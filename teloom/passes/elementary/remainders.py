"""The remainder of a quotient that is rounded towards zero."""

from __future__ import annotations

from teloom.passes.elementary.numbers import LaneMask, Number

_LIMIT = {"f32": 2.0**21, "f64": 2.0**50}
"""Up to there, a sum with `magic` rounds a quotient to an integer."""


def fmod(x: Number, y: Number) -> Number:
    """x less the multiple of y towards zero, with the sign of x: exact.

    The integer next to a quotient, which is rounded itself, may be one too far. What is left of |x|
    is a multiple of the last place of y, and no greater than |y|: a float, so nothing is rounded.
    """
    a, b, magic = abs(x), abs(y), x.code.format.magic
    times = (a / b + magic) - magic
    left = times.times_plus_once(-b, a)
    left = (left < 0.0).choose(left + b, left)
    # An infinite y leaves all of x.
    return (a < b).choose(a, left).with_sign(x.sign())


def is_far(x: Number, y: Number) -> LaneMask:
    """Whether the quotient is so large that `fmod` does not hold; it may be infinite."""
    return abs(x) / abs(y) > _LIMIT[x.code.format.name]
