"""Sums of two floats, of which the second is as small as the rounding of the first.

Their sums and products have twice the bits of a float, but for the last few. Source: Dekker, "A
floating-point technique for extending the available precision", 1971.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from teloom.passes.elementary.constants import parts
from teloom.passes.elementary.numbers import Code, Number


class Pair(NamedTuple):
    """`high` + `low`."""

    high: Number
    low: Number

    def __mul__(self, other: Pair) -> Pair:
        high = self.high * other.high
        cross = self.high.times_plus(other.low, self.low * other.high)
        return Pair(high, rounding(high, self.high, other.high) + cross)

    def add_smaller(self, other: Pair) -> Pair:
        """The sum with one that is not greater, or with any where this one is 0."""
        high = self.high + other.high
        return Pair(high, ((self.high - high) + other.high) + (self.low + other.low))


def rounding(product: Number, x: Number, y: Number) -> Number:
    """The rounding error of a product: x y - `product`."""
    return x.times_plus_once(y, -product)


def quotient(x: Number, y: Pair) -> Pair:
    """x / y."""
    high = x / y.high
    rest = high.times_plus_once(-y.high, x) - high * y.low
    return Pair(high, rest / y.high)


def constant(value: Decimal, code: Code) -> Pair:
    """A number as a pair."""
    high, low = parts(value, code.format, code.format.fraction_bits + 1)
    return Pair(code.number(high), code.number(low))
