"""Sine, cosine and tangent: polynomials on a quarter of the circle's quarters.

x = n pi / 2 + r, with |r| up to pi / 4. pi / 2 is three floats; the products with n are rounded
once together with the differences, of which the first is exact. Source: Cody and Waite, "Software
Manual for the Elementary Functions", 1980, chapter 8.
"""

from __future__ import annotations

from typing import NamedTuple

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.numbers import Integer, LaneMask, Number
from teloom.passes.elementary.pairs import PI, parts

LIMIT = {"f32": 2.0**16, "f64": 2.0**30}
"""Above, three floats of pi / 2 are not enough."""


def is_beyond(x: Number) -> LaneMask:
    """Whether |x| is above `LIMIT`."""
    return abs(x) > LIMIT[x.code.format.name]


class Quarter(NamedTuple):
    """An angle as r + low, and the number of quarters of a circle before it."""

    number: Integer
    r: Number
    low: Number | None


def sin(x: Number) -> Number:
    """The sine, for |x| up to `LIMIT`."""
    return _sine_at(_reduced(abs(x)), x)


def sin_fast(x: Number) -> Number:
    """The sine, of an angle that is reduced to one float."""
    return _sine_at(_reduced_fast(abs(x)), x)


def cos(x: Number) -> Number:
    """The cosine, for |x| up to `LIMIT`."""
    return _cosine_at(_reduced(abs(x)))


def cos_fast(x: Number) -> Number:
    """The cosine, of an angle that is reduced to one float."""
    return _cosine_at(_reduced_fast(abs(x)))


def _sine_at(quarter: Quarter, x: Number) -> Number:
    found = _is_odd(quarter).choose(_cosine(quarter), _sine(quarter))
    return found.with_sign(_sign_of_second_bit(quarter.number) ^ x.sign())


def _cosine_at(quarter: Quarter) -> Number:
    found = _is_odd(quarter).choose(_sine(quarter), _cosine(quarter))
    return found.with_sign(_sign_of_second_bit(quarter.number + 1))


def tan(x: Number) -> Number:
    """The tangent, for |x| up to `LIMIT`."""
    quarter = _reduced(abs(x))
    sine, cosine = _sine(quarter), _cosine(quarter)
    odd = _is_odd(quarter)
    quotient = odd.choose(-cosine, sine) / odd.choose(sine, cosine)
    return quotient.with_sign(x.sign())


def _nearest(x: Number) -> tuple[Integer, Number, Number, float, float]:
    """n as an integer and as a float, x - n p exactly, and the parts of pi / 2 behind p."""
    format = x.code.format
    first, second, third = parts(PI / 2, format, format.fraction_bits + 1, format.fraction_bits + 1)
    rounded = x.times_plus(float(2 / PI), format.magic)
    n = rounded - format.magic
    return rounded.bits(), n, n.times_plus_once(-first, x), second, third


def _reduced_fast(x: Number) -> Quarter:
    number, n, exact, second, third = _nearest(x)
    r = n.times_plus_once(-third, n.times_plus_once(-second, exact))
    return Quarter(number, r, None)


def _reduced(x: Number) -> Quarter:
    number, n, exact, second, third = _nearest(x)
    product = n * second
    r = exact - product
    # What r and the product have lost, and what the third part adds.
    lost = n.times_plus_once(third, n.times_plus_once(second, -product))
    return Quarter(number, r, ((exact - r) - product) - lost)


def _is_odd(quarter: Quarter) -> LaneMask:
    return (quarter.number & 1).is_not_zero()


def _sign_of_second_bit(number: Integer) -> Integer:
    width = number.code.format.integer_type.width.data
    return (number & 2) << (width - 2)


def _sine(quarter: Quarter) -> Number:
    """sin(r + low) = sin(r) + low cos(r)."""
    _, r, low = quarter
    z = r * r
    rest = z * r * z.polynomial(coefficients.SIN[r.code.format.name])
    if low is not None:
        rest = z.times_plus(low * -0.5, low) + rest
    return r + rest


def _cosine(quarter: Quarter) -> Number:
    """cos(r + low) = cos(r) - low r."""
    _, r, low = quarter
    z = r * r
    half = z * 0.5
    rest = z * z * z.polynomial(coefficients.COS[r.code.format.name])
    if low is not None:
        rest = r.times_plus(-low, rest)
    one = 1.0 - half
    # What 1 - half lost is exact.
    return one + (((1.0 - one) - half) + rest)
