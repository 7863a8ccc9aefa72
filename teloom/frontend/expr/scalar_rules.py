"""The scalar functions: on which kinds of dtype each is defined, its result, its value."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom.frontend.expr import dtypes
from teloom.frontend.expr.dtypes import BOOL, FLOAT, INT, UINT

_CAST_TO_FLOAT = 'cast it first, as in x.astype("float32")'
_CAST_BOOL = 'cast it first, as in x.astype("int32")'
_CAST_TO_INT = 'cast it first, as in x.astype("int32")'

Number = int | float
Value = Callable[..., Any]


class Rule(NamedTuple):
    """The kinds on which a function is defined, and what a user can do about others.

    The operands have one dtype. The result has it, too, unless `gives_bool`. `value` is the exact
    result of constants, where one is known.
    """

    kinds: tuple[str, ...]
    advice: str = ""
    symbol: str | None = None
    gives_bool: bool = False
    value: Value | None = None

    def of_constants(self, values: Sequence[Number], dtype: str) -> Number | None:
        """The function of constants of `dtype`, as compiled code computes it.

        None where that is no number of the result's dtype. A sum, product or quotient of floats of
        less than half the bits of float64 is rounded there to what one rounding gives.

        >>> RULES["truncdiv"].of_constants([-7, 2], "int32")
        -3
        >>> RULES["add"].of_constants([100, 100], "int8")
        """
        kind = dtypes.of(dtype).kind
        if self.value is None:
            return None
        if kind == FLOAT:
            values = [dtypes.rounded(value, dtype) for value in values]
        found = self.value(*values)
        if found is None or self.gives_bool:
            return found
        if kind == BOOL:
            return int(found) & 1
        if not dtypes.holds(dtype, found):
            return None
        return dtypes.rounded(found, dtype) if kind == FLOAT else found


def _numeric(symbol: str | None = None, value: Value | None = None) -> Rule:
    return Rule((FLOAT, INT, UINT), _CAST_BOOL, symbol, value=value)


def _integer(symbol: str | None, value: Value | None = None, advice: str = _CAST_TO_INT) -> Rule:
    return Rule((INT, UINT), advice, symbol, value=value)


def _bits(symbol: str, value: Value) -> Rule:
    return Rule((INT, UINT, BOOL), _CAST_TO_INT, symbol, value=value)


def _comparison(symbol: str, value: Value) -> Rule:
    return Rule((FLOAT, INT, UINT, BOOL), "", symbol, gives_bool=True, value=value)


def _float() -> Rule:
    return Rule((FLOAT,), _CAST_TO_FLOAT)


def _rounding(function: Callable[[float], float]) -> Rule:
    """A function that gives an integer, with the sign of what it rounds; not of NaN and inf."""

    def value(x: float) -> float:
        return math.copysign(float(function(x)), x) if math.isfinite(x) else x

    return Rule((FLOAT,), _CAST_TO_FLOAT, value=value)


def _away_from_zero(x: float) -> float:
    """The nearest integer; halves are rounded away from zero."""
    below = math.floor(abs(x))
    return below + (abs(x) - below >= 0.5)


def _of_integers(function: Value) -> Value:
    """A rule for integers only: for floats it would depend on signs of zeros, or be rounded."""
    return lambda *all: None if any(isinstance(one, float) for one in all) else function(*all)


def quotient(a: int, b: int) -> int:
    """The quotient, rounded towards zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def remainder(a: int, b: int) -> int:
    """What the quotient leaves; it has the sign of `a`."""
    return a - quotient(a, b) * b


RULES = {
    "add": _numeric("+", operator.add),
    "sub": _numeric("-", operator.sub),
    "mul": _numeric("*", operator.mul),
    "minimum": _numeric(None, _of_integers(min)),
    "maximum": _numeric(None, _of_integers(max)),
    "negative": _numeric("-", operator.neg),
    "abs": _numeric(None, abs),
    "power": _numeric("**", _of_integers(lambda a, b: a**b if 0 <= b < 64 else None)),
    "divide": Rule((FLOAT,), _CAST_TO_FLOAT, "/", value=lambda a, b: a / b if b else None),
    "fmod": Rule((FLOAT,), "use % or te.truncmod on integers"),
    "copysign": _float(),
    "atan2": _float(),
    "floordiv": _integer("//", operator.floordiv, "use te.floor(a / b) on floats"),
    "ceildiv": _integer(None, lambda a, b: -(-a // b), "use te.ceil(a / b) on floats"),
    "floormod": _integer("%", operator.mod, "use te.fmod on floats"),
    "truncdiv": _integer(None, quotient, "use te.trunc(a / b) on floats"),
    "truncmod": _integer(None, remainder, "use te.fmod on floats"),
    "left_shift": _integer("<<", operator.lshift),
    "right_shift": _integer(">>", operator.rshift),
    "bitwise_and": _bits("&", operator.and_),
    "bitwise_or": _bits("|", operator.or_),
    "bitwise_xor": _bits("^", operator.xor),
    "bitwise_not": _bits("~", operator.invert),
    "popcount": _integer(None, lambda a: a.bit_count() if a >= 0 else None),
    "clz": _integer(None),
    "reinterpret": Rule((FLOAT, INT, UINT)),
    "equal": _comparison("==", operator.eq),
    "not_equal": _comparison("!=", operator.ne),
    "less": _comparison("<", operator.lt),
    "less_equal": _comparison("<=", operator.le),
    "greater": _comparison(">", operator.gt),
    "greater_equal": _comparison(">=", operator.ge),
    "select": Rule((FLOAT, INT, UINT, BOOL)),
    "isnan": Rule((FLOAT,), gives_bool=True, value=math.isnan),
    "isinf": Rule((FLOAT,), gives_bool=True, value=math.isinf),
    "isfinite": Rule((FLOAT,), gives_bool=True, value=math.isfinite),
    "floor": _rounding(math.floor),
    "ceil": _rounding(math.ceil),
    "trunc": _rounding(math.trunc),
    "round": _rounding(_away_from_zero),
    "nearbyint": _rounding(round),
    **dict.fromkeys(
        (
            "exp erf tanh sigmoid log log2 log10 log1p sin cos tan sinh cosh asin asinh acos acosh "
            "atan atanh sqrt rsqrt"
        ).split(),
        _float(),
    ),
}
