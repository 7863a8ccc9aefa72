"""Arc sine, arc cosine and arc tangent: polynomials where the argument is small."""

from __future__ import annotations

from typing import NamedTuple

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.numbers import LaneMask, Number
from teloom.passes.elementary.pairs import PI, parts


class _Scales(NamedTuple):
    """Factors for sizes up to `limit`, and above: none is denormal or overflows, if doubled.

    Beside what is above the limit, a denormal number is nothing.
    """

    limit: float
    up: float
    down: float


_SCALES = {"f32": _Scales(2.0**64, 2.0**25, 2.0**-4), "f64": _Scales(2.0**512, 2.0**54, 2.0**-4)}


def asin(x: Number) -> Number:
    """The arc sine; above 1/2 pi/2 - 2 asin(sqrt((1 - a) / 2)), for a = |x|."""
    far, t = _arcsine(abs(x))
    first, second = parts(PI / 2, x.code.format, x.code.format.fraction_bits + 1)
    return far.choose(first - ((t + t) - second), t).with_sign(x.sign())


def acos(x: Number) -> Number:
    """The arc cosine: pi/2 - asin(x) near 0, 2 asin(sqrt((1 - a) / 2)), or pi less that."""
    far, t = _arcsine(abs(x))
    first, second = parts(PI / 2, x.code.format, x.code.format.fraction_bits + 1)
    doubled = t + t
    near = first - (t.with_sign(x.sign()) - second)
    beyond = (x < 0.0).choose(2 * first - (doubled - 2 * second), doubled)
    return far.choose(beyond, near)


def atan(x: Number) -> Number:
    """The arc tangent: of t, up to 1/2, plus 0, pi/4 or pi/2."""
    code = x.code
    a = abs(x)
    beyond, middle = a > 2.0, a > 0.5
    over = middle.choose(a - 1.0, a)
    under = middle.choose(a + 1.0, code.number(1.0))
    t = beyond.choose(code.number(-1.0), over) / beyond.choose(a, under)
    first, second = parts(PI / 2, code.format, code.format.fraction_bits + 1)
    zero = code.number(0.0)
    high = beyond.choose(code.number(first), middle.choose(code.number(first / 2), zero))
    low = beyond.choose(code.number(second), middle.choose(code.number(second / 2), zero))
    return _arctangent_behind(high, low, t).with_sign(x.sign())


def atan2(y: Number, x: Number) -> Number:
    """The angle of (x, y): k pi/4 + atan(t), with an integer k; special cases as in C's F.10.1.4.

    For a positive x, |y| / |x| is t near 0, and -|x| / |y| near pi/2; between them it is
    (|y| - |x|) / (|y| + |x|), of which the difference is exact.
    """
    code = x.code
    a, b = _scaled(abs(x), abs(y))
    steep = b > a
    larger, difference = steep.choose(b, a), b - a
    # False for two infinities, whose difference is NaN.
    far = abs(difference) >= larger * 0.5
    t = far.choose(steep.choose(-a, b), difference) / far.choose(larger, a + b)
    # Of two zeros or infinities.
    t = t.unordered(t).choose(code.number(0.0), t).with_sign(x.sign())
    count = far.choose(steep.choose(code.number(2.0), code.number(0.0)), code.number(1.0))
    count = x.sign().is_not_zero().choose(4.0 - count, count)
    # Four times the first part are a float, too.
    first, second = parts(PI / 4, code.format, code.format.fraction_bits - 1)
    found = _arctangent_behind(count * first, count * second, t).with_sign(y.sign())
    return x.unordered(y).choose(x + y, found)


def _arctangent_behind(high: Number, low: Number, t: Number) -> Number:
    """high + low + atan(t), for |t| up to 1/2, and `high` 0 or greater than that."""
    z = t * t
    rest = (t * z).times_plus(z.polynomial(coefficients.ATAN[t.code.format.name]), low)
    sum = high + t
    # What the sum lost is exact.
    return sum + ((t - (sum - high)) + rest)


def _scaled(x: Number, y: Number) -> tuple[Number, Number]:
    """Numbers of the same quotient, whose sum is a float and whose larger one is not denormal."""
    code = x.code
    limit, up, down = _SCALES[code.format.name]
    scale = ((x > limit) | (y > limit)).choose(code.number(down), code.number(up))
    return x * scale, y * scale


def _arcsine(a: Number) -> tuple[LaneMask, Number]:
    """Whether a is above 1/2, and asin(a), or there asin(sqrt((1 - a) / 2))."""
    far = a > 0.5
    square = far.choose((1.0 - a) * 0.5, a * a)
    root = square.root()
    # What the root lost: of 0 nothing.
    lost = (-root).times_plus_once(root, square) / (root + root)
    lost = (far & (a < 1.0)).choose(lost, a.code.number(0.0))
    x = far.choose(root, a)
    rest = square.polynomial(coefficients.ASIN[a.code.format.name])
    return far, x + (x * square).times_plus(rest, lost)
