"""NumPy's functions of expressions: operators work as Python's, for others te has its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teloom.errors import Error
from teloom.frontend.expr.expressions import no_scalar, number_of
from teloom.frontend.expr.operators import OPERATORS
from teloom.lazy import loaded

_OPERATORS: dict[Any, Any] = {getattr(np, one.ufunc): one.function for one in OPERATORS}

IN_TE = {
    "fmax": "max",
    "fmin": "min",
    "where": "if_then_else",
    "rint": "nearbyint",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "amax": "maximum",
    "amin": "minimum",
    "dot": "sum",
    "matmul": "sum",
    "logical_and": "all",
    "logical_or": "any",
    **{
        name: name
        for name in (
            "exp log log2 log10 sqrt sin cos tan sinh cosh tanh floor ceil trunc round isnan isinf "
            "isfinite fmod maximum minimum sum prod max min all any"
        ).split()
    },
}
"""NumPy's functions, and those of te with the same meaning."""


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
    return _OPERATORS[ufunc](*map(_operand, inputs))


def _operand(value: Any) -> Any:
    """A number of NumPy as one of Python, for which an operator is not asked of NumPy again."""
    if not isinstance(value, np.generic | np.ndarray):
        return value
    number = number_of(value)
    if number is None:
        raise no_scalar(value)
    return number


def _with_its_module(function: str, name: str, value: object) -> str:
    """What is meant of an element, or of a whole tensor: there `topi` has NumPy's names, too."""
    if not getattr(value, "ndim", 0):
        return f"te.{name}"
    return f"topi.{function if hasattr(loaded('teloom.topi'), function) else name}"


def refused(function: str, inputs: Sequence[Any]) -> Error:
    """The refusal of a function of NumPy for something that is no array."""
    found = next(
        value for value in inputs if not isinstance(value, np.generic | np.ndarray | int | float)
    )
    name = IN_TE.get(function)
    advice = f"; use {_with_its_module(function, name, found)}" if name else ""
    return Error(f"np.{function} is a function of arrays, and {found} is none{advice}")
