"""What NumPy's functions do with expressions: operators are Python's, others are te's."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from teloom.errors import Error

_OPERATORS: dict[Any, Any] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.absolute: operator.abs,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.invert: operator.invert,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
}

IN_TE = {
    "maximum": "max",
    "minimum": "min",
    "where": "if_then_else",
    "rint": "nearbyint",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "amax": "max",
    "amin": "min",
    "dot": "sum",
    "matmul": "sum",
    "logical_and": "all",
    "logical_or": "any",
    **{
        name: name
        for name in (
            "exp log log2 log10 sqrt sin cos tan sinh cosh tanh floor ceil trunc round isnan isinf "
            "isfinite fmod sum prod max min all any"
        ).split()
    },
}
"""The functions of te by the names of NumPy's."""


def applied_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: Any) -> Any:
    """An operator of numbers and expressions; raises `teloom.Error` for all other functions."""
    for value in inputs:
        if isinstance(value, np.ndarray) and value.ndim:
            raise Error(
                f"an array of shape {value.shape} cannot stand in an expression; a te.placeholder "
                "has elements, and its array is an argument of the function"
            )
    if ufunc not in _OPERATORS or method != "__call__" or options:
        raise refused(ufunc.__name__, inputs)
    numbers = (v.item() if isinstance(v, np.generic | np.ndarray) else v for v in inputs)
    return _OPERATORS[ufunc](*numbers)


def refused(function: str, inputs: Sequence[Any]) -> Error:
    """What is said of a function of NumPy that gets what is no array."""
    found = next(
        value for value in inputs if not isinstance(value, np.generic | np.ndarray | int | float)
    )
    advice = f"; use te.{IN_TE[function]}" if function in IN_TE else ""
    return Error(f"np.{function} is a function of arrays, and {found} is none{advice}")
