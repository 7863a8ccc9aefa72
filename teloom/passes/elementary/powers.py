"""x to the power y: e^(y log(x)), with more bits than the result has; products and a root."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from math import inf, nan
from operator import mul

from teloom.passes.elementary.exponentials import LIMITS, exp2_short, exp_of_pair
from teloom.passes.elementary.logarithms import log2_short, log_pair
from teloom.passes.elementary.numbers import FORMATS, Format, LaneMask, Number
from teloom.passes.elementary.pairs import LN2, Pair, rounding


def power(x: Number, y: Number) -> Number:
    """x^y: special cases as C has them, in annex F.10.4.4."""
    code, a = x.code, abs(x)
    size = _of_extreme(a, y, _positive(a, y))
    whole, odd = _integers(y)
    signed = odd.choose(size.with_sign(x.sign()), size)
    undefined = (x < 0.0) & (x > -inf) & (abs(y) < inf)
    found = undefined.choose(whole.choose(signed, code.number(nan)), signed)
    found = x.unordered(y).choose(x + y, found)
    # 1^y and x^0 are 1, for NaN too; so is -1 to the power of an infinity.
    is_one = x.equals(1.0) | y.equals(0.0) | (a.equals(1.0) & abs(y).equals(inf))
    return is_one.choose(code.number(1.0), found)


MOST_FACTORS = 4
"""The greatest exponent for which powers are products."""

_OF_ONE_OPERATION = (1.0, -1.0, 2.0, 0.5)

_OF_TWO = (3.0, 1.5, -0.5)
"""Two operations give them, and round; what is between these is out of range if the power is."""

_OF_PAIRS = (3.0, 4.0)


def power_of(y: float, format: Format, level: str) -> Callable[[Number, Number], Number] | None:
    """The formula of x^y for a number y, at a level; None if it is that of any y.

    At level `precise` it is rounded once, of float64 as good as once: products are of float64 then,
    or pairs.
    """
    if not (2 * y).is_integer() or not 0 < abs(y) <= MOST_FACTORS:
        return None
    if y in _OF_ONE_OPERATION or (level != "precise" and y in _OF_TWO):
        return partial(_by_products, y)
    if format != FORMATS["f64"]:
        return partial(_in_float64, y)
    return partial(_by_pairs, y) if y in _OF_PAIRS else None


def _in_float64(y: float, x: Number, other: Number) -> Number:
    return _by_products(y, x.converted(FORMATS["f64"]), other).converted(x.code.format)


def _by_products(y: float, x: Number, _: Number) -> Number:
    """x^y; more than one operation rounds more than once."""
    factors, has_root = divmod(2 * abs(y), 2)
    if has_root:
        # A root of -0 is -0, and one of -infinity is NaN; the powers are 0 and infinity.
        x = x.equals(-inf).choose(x.code.number(inf), x + 0.0)
    found = [*[x] * int(factors), *([x.root()] if has_root else [])]
    product = reduce(mul, found)
    return 1.0 / product if y < 0 else product


def _by_pairs(y: float, x: Number, _: Number) -> Number:
    """x^3 or x^4, with the rounding errors of its products added at the end."""
    square = x * x
    low = rounding(square, x, x)
    other, times = (x, x) if y == 3 else (square, square * 2.0)
    product = square * other
    exact = product + (rounding(product, square, other) + low * times)
    has_error = (abs(product) < inf) & (abs(product) > 0.0)
    return has_error.choose(exact, product)


def _positive(x: Number, y: Number) -> Number:
    """x^y, for a positive x: of float32 in float64, of that in pairs, and rounded once."""
    wide, narrow = FORMATS["f64"], x.code.format
    if narrow == wide:
        return exp_of_pair(*_product(log_pair(x), y))
    return exp2_short(y.converted(wide) * log2_short(x.converted(wide))).converted(narrow)


def _product(x: Pair, y: Number) -> Pair:
    """x y; without its small part where that is beyond all results, and its great one limited."""
    limits = LIMITS["f64"]
    high = x.high * y
    low = rounding(high, x.high, y) + x.low * y
    limited = high.at_most(limits.high * float(LN2)).at_least(limits.low * float(LN2))
    return Pair(limited, limited.equals(high).choose(low, y.code.number(0.0)))


def _of_extreme(x: Number, y: Number, found: Number) -> Number:
    """`found`, but where x is 0 or infinite: there x^y is, too."""
    grows = x.equals(0.0).choose(-y, y) > 0.0
    extreme = x.equals(0.0) | x.equals(inf)
    return extreme.choose(grows.choose(x.code.number(inf), x.code.number(0.0)), found)


def _integers(y: Number) -> tuple[LaneMask, LaneMask]:
    """Whether y is an integer, and whether it is an odd one."""
    size = abs(y)
    large = 2.0**y.code.format.fraction_bits
    # From there on all floats are integers, and twice as far even ones; below, the sum has the
    # integer in its low bits, as a float between the two has it.
    far = size >= large
    rounded = far.choose(size, size + large)
    whole = far | (rounded - large).equals(size)
    return whole, (size < 2 * large) & whole & (rounded.bits() & 1).is_not_zero()
