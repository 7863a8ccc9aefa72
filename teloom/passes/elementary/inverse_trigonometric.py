"""Arc sine, arc cosine and arc tangent: polynomials where the argument is small."""

from __future__ import annotations

from teloom.passes.elementary import coefficients
from teloom.passes.elementary.constants import PI, parts
from teloom.passes.elementary.numbers import Number, Test


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


def _arctangent_behind(high: Number, low: Number, t: Number) -> Number:
    """high + low + atan(t), for |t| up to 1/2, and `high` 0 or greater than that."""
    z = t * t
    rest = (t * z).times_plus(z.polynomial(coefficients.ATAN[t.code.format.name]), low)
    sum = high + t
    # What the sum lost is exact.
    return sum + ((t - (sum - high)) + rest)


def _arcsine(a: Number) -> tuple[Test, Number]:
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
