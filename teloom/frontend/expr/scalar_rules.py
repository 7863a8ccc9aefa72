"""The scalar functions: the kinds of dtype on which each is defined, and its result's dtype."""

from __future__ import annotations

from typing import NamedTuple

from teloom.frontend.expr.dtypes import BOOL, FLOAT, INT, UINT

_CAST_TO_FLOAT = 'cast it first, as in x.astype("float32")'
_CAST_BOOL = 'cast it first, as in x.astype("int32")'
_CAST_TO_INT = 'cast it first, as in x.astype("int32")'


class Rule(NamedTuple):
    """The kinds on which a function is defined, and what a user can do about others.

    The operands have one dtype. The result has it, too, unless `gives_bool`.
    """

    kinds: tuple[str, ...]
    advice: str = ""
    symbol: str | None = None
    gives_bool: bool = False


def _numeric(symbol: str | None = None) -> Rule:
    return Rule((FLOAT, INT, UINT), _CAST_BOOL, symbol)


def _integer(symbol: str | None, advice: str = _CAST_TO_INT) -> Rule:
    return Rule((INT, UINT), advice, symbol)


def _bits(symbol: str) -> Rule:
    return Rule((INT, UINT, BOOL), _CAST_TO_INT, symbol)


def _comparison(symbol: str) -> Rule:
    return Rule((FLOAT, INT, UINT, BOOL), "", symbol, gives_bool=True)


def _float() -> Rule:
    return Rule((FLOAT,), _CAST_TO_FLOAT)


RULES = {
    "add": _numeric("+"),
    "sub": _numeric("-"),
    "mul": _numeric("*"),
    "minimum": _numeric(),
    "maximum": _numeric(),
    "negative": _numeric("-"),
    "abs": _numeric(),
    "power": _numeric("**"),
    "divide": Rule((FLOAT,), _CAST_TO_FLOAT, "/"),
    "fmod": Rule((FLOAT,), "use % or te.truncmod on integers"),
    "floordiv": _integer("//", "use te.floor(a / b) on floats"),
    "floormod": _integer("%", "use te.fmod on floats"),
    "truncdiv": _integer(None, "use te.trunc(a / b) on floats"),
    "truncmod": _integer(None, "use te.fmod on floats"),
    "left_shift": _integer("<<"),
    "right_shift": _integer(">>"),
    "bitwise_and": _bits("&"),
    "bitwise_or": _bits("|"),
    "bitwise_xor": _bits("^"),
    "bitwise_not": _bits("~"),
    "popcount": _integer(None),
    "equal": _comparison("=="),
    "not_equal": _comparison("!="),
    "less": _comparison("<"),
    "less_equal": _comparison("<="),
    "greater": _comparison(">"),
    "greater_equal": _comparison(">="),
    "select": Rule((FLOAT, INT, UINT, BOOL)),
    "isnan": Rule((FLOAT,), gives_bool=True),
    "isinf": Rule((FLOAT,), gives_bool=True),
    "isfinite": Rule((FLOAT,), gives_bool=True),
    **dict.fromkeys(
        (
            "exp erf tanh sigmoid log log2 log10 sin cos tan sinh cosh asin asinh acos acosh "
            "atan atanh sqrt rsqrt floor ceil trunc round nearbyint"
        ).split(),
        _float(),
    ),
}
