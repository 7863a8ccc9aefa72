"""Logarithms: of a significand near 1, plus the exponent times that of 2.

x = 2^e m, with m between sqrt(1/2) and sqrt(2), f = m - 1 and s = f / (2 + f): then log(m) is
2 s + s^3 G(s^2) = f - f^2/2 + s (f^2/2 + s^2 G(s^2)), of which f is exact. Source: the method of
FDLIBM's e_log.c, Sun Microsystems, 1993.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import inf, nan, sqrt
from typing import NamedTuple

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.numbers import Number
from teloom.passes.elementary.pairs import (
    LN2,
    LOG2_E,
    LOG10_2,
    LOG10_E,
    Pair,
    constant,
    parts,
    quotient,
)

_SHORT = {"f32": 12, "f64": 26}
"""Bits of a number whose product with another such one is exact."""

_EXPONENT_SHORT = {"f32": 16, "f64": 42}
"""Bits of a number whose product with an exponent is exact."""


class SplitNumber(NamedTuple):
    """A positive number as 2^exponent (1 + f); log(1 + f) = f - (half_square - tail)."""

    exponent: Number
    f: Number
    half_square: Number
    tail: Number


def log(x: Number) -> Number:
    """The natural logarithm."""
    high, low = parts(LN2, x.code.format, _EXPONENT_SHORT[x.code.format.name])
    e, f, half_square, tail = _parts(x)
    rest = half_square - e.times_plus(low, tail)
    return _defined(x, e * high - (rest - f))


def log1p(x: Number) -> Number:
    """log(1 + x): that of u = 1 + x, rounded, and what u has lost, but where x itself is near 0.

    log(u + lost) is log(u) + lost / u: the next term is below the last place. Source: as FDLIBM's
    s_log1p.c.
    """
    zero = x.code.number(0.0)
    high, low = parts(LN2, x.code.format, _EXPONENT_SHORT[x.code.format.name])
    u, lost = one_more(x)
    e, f = _split(u)
    near = e.equals(0.0)
    f = near.choose(x, f)
    half_square, tail = _terms(f, coefficients.LOG)
    rest = half_square - e.times_plus(low, tail + near.choose(zero, lost / u))
    found = f - rest
    # Of -0 the sum with 0 would be 0.
    return _defined(u, near.choose(found, e * high + found))


def one_more(y: Number) -> tuple[Number, Number]:
    """1 + y, and what that has lost: log(1 + y) = log(u) + lost / u."""
    u = y + 1.0
    return u, (u > 2.0).choose(1.0 - (u - y), y - (u - 1.0))


def log2(x: Number) -> Number:
    """The logarithm to base 2."""
    e, *rest = _parts(x)
    return _defined(x, _to_base(LOG2_E, e, None, *rest))


def log2_short(x: Number) -> Number:
    """The logarithm to base 2 of a positive float32 number, in float64, as exact as float32."""
    e, f, half_square, tail = _parts_of_normal(x, coefficients.LOG_SHORT)
    return (f - (half_square - tail)).times_plus(float(LOG2_E), e)


def log_pair(x: Number) -> Pair:
    """The natural logarithm of a positive number, as exact as x^y wants it: to about 2^-67.

    It is 2 s (1 + z / 3 + z^2 / 5 + ...), with z = s^2; the further terms need fewer bits.
    """
    code = x.code
    high, low = parts(LN2, code.format, _EXPONENT_SHORT[code.format.name])
    e, f, *_ = _parts(x)
    sum = f + 2.0
    s = quotient(f, Pair(sum, f - (sum - 2.0)))
    z = s * s
    far = z.high.polynomial([1 / k for k in range(5, 27, 2)])
    third = constant(Decimal(1) / 3, code).add_smaller(z * Pair(far, code.number(0.0)))
    half = s.add_smaller(s * (z * third))
    return Pair(e * high, e * low).add_smaller(Pair(half.high * 2.0, half.low * 2.0))


def log10(x: Number) -> Number:
    """The logarithm to base 10."""
    high, low = parts(LOG10_2, x.code.format, _EXPONENT_SHORT[x.code.format.name])
    e, *rest = _parts(x)
    return _defined(x, _to_base(LOG10_E, e * high, e * low, *rest))


def _to_base(
    scale: Decimal,
    first: Number,
    second: Number | None,
    f: Number,
    half_square: Number,
    tail: Number,
) -> Number:
    """`first` + `second` + `scale` log(1 + f), where `first` is exact, `second` small.

    The logarithm is the sum of two numbers, of which the first has half of a significand: its
    product with the first part of `scale` is exact.
    """
    format = f.code.format
    high, low = parts(scale, format, _SHORT[format.name])
    near = _shortened(f - half_square)
    far = (f - near) - half_square + tail
    product = near * high
    small = far.times_plus(high, (far + near) * low)
    if second is not None:
        small = second + small
    total = first + product
    return small + ((first - total) + product) + total


def _shortened(x: Number) -> Number:
    """The first bits of `x`, with which products are exact."""
    format = x.code.format
    dropped = format.fraction_bits + 1 - _SHORT[format.name]
    return (x.bits() & -(1 << dropped)).as_float()


def _parts(x: Number) -> SplitNumber:
    format = x.code.format
    # A denormal number has no exponent of its own.
    denormal = x < format.least_normal
    scale = 2.0 ** (format.fraction_bits + 1)
    normal = denormal.choose(x * scale, x)
    shift = denormal.choose(x.code.number(format.fraction_bits + 1.0), x.code.number(0.0))
    found = _parts_of_normal(normal, coefficients.LOG)
    return found._replace(exponent=found.exponent - shift)


def _parts_of_normal(x: Number, polynomials: Mapping[str, Sequence[float]]) -> SplitNumber:
    e, f = _split(x)
    return SplitNumber(e, f, *_terms(f, polynomials))


def _split(x: Number) -> tuple[Number, Number]:
    """The exponent and f of a positive number that is not denormal."""
    format = x.code.format
    # The exponent changes at sqrt(1/2); the bias keeps it positive.
    offset = (format.bias << format.fraction_bits) - format.bits_of(sqrt(0.5))
    moved = x.bits() + offset
    e = (moved >> format.fraction_bits).to_float() - format.bias
    fraction = moved & ((1 << format.fraction_bits) - 1)
    return e, (fraction + format.bits_of(sqrt(0.5))).as_float() - 1.0


def _terms(f: Number, polynomials: Mapping[str, Sequence[float]]) -> tuple[Number, Number]:
    """Half of the square of f, and the tail: log(1 + f) = f - (half_square - tail)."""
    s = f / (f + 2.0)
    z = s * s
    half_square = f * f * 0.5
    rest = half_square + z * z.polynomial(polynomials[f.code.format.name])
    return half_square, s * rest


def _defined(x: Number, found: Number) -> Number:
    """`found`, the logarithm of a positive number; that of other arguments."""
    code = x.code
    found = (x < inf).choose(found, x)
    special = x.equals(0.0).choose(code.number(-inf), code.number(nan))
    return (x > 0.0).choose(found, special)
