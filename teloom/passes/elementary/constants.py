"""Numbers that do not fit a float, as sums of floats, and what else the functions share."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import frexp, ldexp

from teloom.passes.elementary.numbers import Format

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
