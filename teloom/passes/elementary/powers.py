"""x to the power y: e^(y log(x)), with more bits than the result has."""

from __future__ import annotations

from math import inf, nan

from teloom.passes.elementary.constants import LN2
from teloom.passes.elementary.exponentials import LIMITS, exp2_short, exp_of_pair
from teloom.passes.elementary.logarithms import log2_short, log_pair
from teloom.passes.elementary.numbers import FORMATS, LaneMask, Number
from teloom.passes.elementary.pairs import Pair, rounding


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
