"""Numbers as sums of floats, of which each is as small as the rounding of those before.

Sums and products of two have twice the bits of a float, but for the last few. Source: Dekker, "A
floating-point technique for extending the available precision", 1971.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import frexp, ldexp
from typing import NamedTuple

from teloom.passes.elementary.numbers import Code, Format, Number

LN2 = Decimal("0.693147180559945309417232121458176568075500134360255254120680009")
PI = Decimal("3.141592653589793238462643383279502884197169399375105820974944592")
LOG2_E = Decimal("1.442695040888963407359924681001892137426645954152985934135449407")
LOG10_E = Decimal("0.434294481903251827651128918916605082294397005803666566114453783")
LOG10_2 = Decimal("0.301029995663981195213738894724493026768189881462108541310427461")


def parts(number: Decimal, format: Format, *bits: int) -> tuple[float, ...]:
    """Floats whose sum is `number`: as many bits of it in each as said, and a last one with all.

    >>> from teloom.passes.elementary.numbers import FORMATS
    >>> [each.hex() for each in parts(LN2, FORMATS["f32"], 8)]
    ['0x1.6200000000000p-1', '0x1.c85fe00000000p-10']
    """
    found: list[float] = []
    left = Fraction(number)
    for count in (*bits, format.fraction_bits + 1):
        _, exponent = frexp(left)
        scaled = left / Fraction(2) ** (exponent - count)
        part = ldexp(round(scaled) if len(found) == len(bits) else int(scaled), exponent - count)
        found.append(part)
        left -= Fraction(part)
    return tuple(found)


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
