"""e to a power: a polynomial near 0, times a power of two.

x = n log(2) + r, with an integer n and |r| up to log(2) / 2, and exp(x) = 2^n exp(r). Source: Cody
and Waite, "Software Manual for the Elementary Functions", 1980, chapter 6.
"""

from __future__ import annotations

from typing import NamedTuple

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.constants import LN2, LOG2_E, parts
from teloom.passes.elementary.numbers import Integer, Number


class Limits(NamedTuple):
    """Between which arguments 2^x neither is infinite nor 0, a little more in each direction."""

    low: float
    high: float
    lowest_normal: float


LIMITS = {"f32": Limits(-151, 129, -125), "f64": Limits(-1077, 1025, -1021)}

_SHORT = {"f32": 16, "f64": 42}
"""Bits of a constant whose product with the exponent of any float is exact."""


class ReducedArgument(NamedTuple):
    """x as n log(2) + r; the two factors have the product 2^n, and both are normal floats."""

    r: Number
    factors: tuple[Number, Number]


def exp(x: Number) -> Number:
    """e^x."""
    limits = LIMITS[x.code.format.name]
    x = x.at_most(limits.high * float(LN2)).at_least(limits.low * float(LN2))
    r, (first, second) = reduced(x)
    return near_power(r) * first * second


def exp_fast(x: Number) -> Number:
    """e^x, where that is a normal float, and 0 below."""
    format = x.code.format
    limits = LIMITS[format.name]
    lowest = limits.lowest_normal * float(LN2)
    x_limited = x.at_most(limits.high * float(LN2))
    # Half of 2^n is a float for the greatest n, too.
    shift = format.magic + format.bias - 1
    rounded = x_limited.times_plus(float(LOG2_E), shift)
    half = (rounded.bits() << format.fraction_bits).as_float()
    r = _rest(x_limited, rounded - shift)
    doubled = [2 * each for each in (1.0, 1.0, *coefficients.EXP_FAST[format.name])]
    return (x < lowest).choose(x.code.number(0.0), r.polynomial(doubled) * half)


def exp2_short(x: Number) -> Number:
    """2^x in float64, as exact as float32: 0 or infinite once rounded to that, where it is so."""
    format, limits = x.code.format, LIMITS["f32"]
    x = x.at_most(limits.high).at_least(limits.low)
    shift = format.magic + format.bias
    rounded = x + shift
    power = (rounded.bits() << format.fraction_bits).as_float()
    r = (x - (rounded - shift)) * float(LN2)
    return r.polynomial((1.0, 1.0, *coefficients.EXP_SHORT[format.name])) * power


def exp_of_pair(x: Number, low: Number) -> Number:
    """e^(x + low), where the second is small, rounded almost once; x is within the limits."""
    n, (first, second) = _whole(x)
    high, rest = parts(LN2, x.code.format, _SHORT[x.code.format.name])
    begin, low = n.times_plus(-high, x), n.times_plus(-rest, low)
    r = begin + low
    low = (begin - r) + low
    # 1 + r, and what that lacks, before the terms that are smaller.
    tail = (r * r).times_plus(r.polynomial(coefficients.EXP[x.code.format.name]), low)
    sum = r + 1.0
    return (sum + ((r - (sum - 1.0)) + tail)) * first * second


def reduced(x: Number) -> ReducedArgument:
    """The argument reduction of e^x."""
    n, factors = _whole(x)
    return ReducedArgument(_rest(x, n), factors)


def near_power(r: Number) -> Number:
    """e^r, for |r| up to log(2) / 2."""
    return r.polynomial((1.0, 1.0, *coefficients.EXP[r.code.format.name]))


def _whole(x: Number) -> tuple[Number, tuple[Number, Number]]:
    """The integer next to x / log(2), and two factors of that power of two.

    The sum with `magic` has the integer in its low bits: shifted up, they are the exponent of a
    float. Two factors, because a power of two below the least normal float, or above the
    greatest, is none; their product with a float near 1 is rounded once.
    """
    format = x.code.format
    first_shift = format.magic + format.bias
    shift = format.magic + 2 * format.bias
    first = x.times_plus(float(LOG2_E) / 2, first_shift).bits()
    rounded = x.times_plus(float(LOG2_E), shift)

    def power(exponent: Integer) -> Number:
        return (exponent << format.fraction_bits).as_float()

    # The bits of `first` have half of n, those of the difference the other half.
    second = rounded.bits() - first
    return rounded - shift, (power(first), power(second))


def _rest(x: Number, n: Number) -> Number:
    high, low = parts(LN2, x.code.format, _SHORT[x.code.format.name])
    return n.times_plus(-low, n.times_plus(-high, x))
