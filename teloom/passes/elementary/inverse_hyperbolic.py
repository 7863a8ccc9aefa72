"""Inverse hyperbolic functions, by log(1 + y)."""

from __future__ import annotations

from math import nan

from teloom.passes.elementary.logarithms import log, one_more
from teloom.passes.elementary.numbers import LaneMask, Number
from teloom.passes.elementary.pairs import LN2

_LARGE = 2.0**28
"""Above, the square of a number is that plus 1."""


def asinh(x: Number) -> Number:
    """log(a + sqrt(a^2 + 1)), for a = |x|."""
    a = abs(x)
    large = a > _LARGE
    square = a * a
    y = a + square / ((square + 1.0).root() + 1.0)
    return _log_of(large, a, y).with_sign(x.sign())


def acosh(x: Number) -> Number:
    """log(x + sqrt(x^2 - 1)), for x from 1 on; NaN below."""
    t = x - 1.0
    found = _log_of(x > _LARGE, x, t + (t * (t + 2.0)).root())
    return (x < 1.0).choose(x.code.number(nan), found)


def atanh(x: Number) -> Number:
    """log((1 + a) / (1 - a)) / 2, for a = |x| up to 1; NaN above."""
    a = abs(x)
    u, lost = one_more((a + a) / (1.0 - a))
    infinite = a.equals(1.0)
    found = log(u) + infinite.choose(a, lost) / u
    return (found * 0.5).with_sign(x.sign())


def _log_of(large: LaneMask, x: Number, y: Number) -> Number:
    """log(2 x) where x is large, log(1 + y) elsewhere."""
    u, lost = one_more(y)
    added = large.choose(x.code.number(float(LN2)), lost / u)
    return log(large.choose(x, u)) + added
