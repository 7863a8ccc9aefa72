"""e to a power: a polynomial near 0, times a power of two.

x = n log(2) + r, with an integer n and |r| up to log(2) / 2, and exp(x) = 2^n exp(r). Source: Cody
and Waite, "Software Manual for the Elementary Functions", 1980, chapter 6.
"""

from __future__ import annotations

from typing import NamedTuple

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.numbers import Integer, Number
from teloom.passes.elementary.pairs import LN2, LOG2_E, parts


class Limits(NamedTuple):
    """Between which arguments 2^x neither is infinite nor 0, a little more in each direction."""

    low: float
    high: float
    lowest_normal: float


LIMITS = {"f32": Limits(-151, 129, -125), "f64": Limits(-1077, 1025, -1021)}

_SHORT = {"f32": 16, "f64": 42}
"""Bits of a constant whose product with the exponent of any float is exact."""


class PowerOfTwo(NamedTuple):
    """2^n, for the integer n next to x / log(2); `rounded` has n in its low bits."""

    x: Number
    n: Number
    rounded: Integer

    def times(self, value: Number) -> Number:
        """`value` 2^n, rounded once.

        Without an instruction these are products with two factors, because a power of two below
        the least normal float, or above the greatest, is none. A float has an integer in its low
        bits if `magic` was added: shifted up, they are the exponent of a float.
        """
        if value.code.scaling is not None:
            return value.scaled(self.n)
        format = self.x.code.format
        # The bits of `first` have half of n, those of the difference the other half.
        first = self.x.times_plus(float(LOG2_E) / 2, format.magic + format.bias).bits()
        halves = first, self.rounded - first
        one, other = ((half << format.fraction_bits).as_float() for half in halves)
        return value * one * other


class ReducedArgument(NamedTuple):
    """x as n log(2) + r, with the power 2^n."""

    r: Number
    power: PowerOfTwo


def exp(x: Number) -> Number:
    """e^x."""
    limits = LIMITS[x.code.format.name]
    x = x.at_most(limits.high * float(LN2)).at_least(limits.low * float(LN2))
    r, power = reduced(x)
    return power.times(near_power(r))


def exp_fast(x: Number) -> Number:
    """e^x, where that is a normal float, and 0 below."""
    format = x.code.format
    limits = LIMITS[format.name]
    lowest = limits.lowest_normal * float(LN2)
    x_limited = x.at_most(limits.high * float(LN2))
    # Half of 2^n is a float for the greatest n, too.
    shift = format.magic + format.bias - 1
    rounded = x_limited.times_plus(float(LOG2_E), shift)
    n = rounded - shift
    r, terms = _rest(x_limited, n), (1.0, 1.0, *coefficients.EXP_FAST[format.name])
    if x.code.scaling is not None:
        found = r.polynomial(terms).scaled(n)
    else:
        half = (rounded.bits() << format.fraction_bits).as_float()
        found = r.polynomial([2 * each for each in terms]) * half
    return (x < lowest).choose(x.code.number(0.0), found)


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
    power = _whole(x)
    n = power.n
    high, rest = parts(LN2, x.code.format, _SHORT[x.code.format.name])
    begin, low = n.times_plus(-high, x), n.times_plus(-rest, low)
    r = begin + low
    low = (begin - r) + low
    # 1 + r, and what that lacks, before the terms that are smaller.
    tail = (r * r).times_plus(r.polynomial(coefficients.EXP[x.code.format.name]), low)
    sum = r + 1.0
    return power.times(sum + ((r - (sum - 1.0)) + tail))


def reduced(x: Number) -> ReducedArgument:
    """The argument reduction of e^x."""
    power = _whole(x)
    return ReducedArgument(_rest(x, power.n), power)


def near_power(r: Number) -> Number:
    """e^r, for |r| up to log(2) / 2."""
    return r.polynomial((1.0, 1.0, *coefficients.EXP[r.code.format.name]))


def _whole(x: Number) -> PowerOfTwo:
    format = x.code.format
    shift = format.magic + 2 * format.bias
    rounded = x.times_plus(float(LOG2_E), shift)
    return PowerOfTwo(x, rounded - shift, rounded.bits())


def _rest(x: Number, n: Number) -> Number:
    high, low = parts(LN2, x.code.format, _SHORT[x.code.format.name])
    return n.times_plus(-low, n.times_plus(-high, x))
