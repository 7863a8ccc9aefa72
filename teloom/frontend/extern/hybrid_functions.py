"""What a hybrid script may call: each function on expressions, and as it runs in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any

import numpy as np

from teloom.frontend.expr import dtypes, math_functions
from teloom.frontend.expr.arithmetic import fmod, power
from teloom.frontend.expr.expressions import Expr, apply, as_expr
from teloom.frontend.extern.ir_builder import KINDS

LOOPS = {"range": "serial"} | {kind: kind for kind in KINDS}
"""What a `for` may run over, and the kind of loop that it is."""

_ARRAYS = {
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "nearbyint": np.rint,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
}


def _fold(function: str, *values: object) -> Expr:
    return as_expr(reduce(partial(apply, function), values))


def _cast(dtype: str, value: object) -> Expr:
    return as_expr(value).astype(dtype)


FUNCTIONS: Mapping[str, Callable[..., Expr]] = {
    **{name: getattr(math_functions, name) for name in _ARRAYS},
    **{name: partial(_cast, name) for name in dtypes.DTYPES},
    "abs": partial(apply, "abs"),
    "min": partial(_fold, "minimum"),
    "max": partial(_fold, "maximum"),
    "power": power,
    "pow": power,
    "fmod": fmod,
}
"""The functions on scalars, on expressions."""


def _array(shape: Any, dtype: Any = "float32", scope: str = "global") -> np.ndarray:
    return np.zeros(shape, dtype)


IN_PYTHON: Mapping[str, Callable[..., Any]] = {
    **_ARRAYS,
    **{name: np.dtype(name).type for name in dtypes.DTYPES if name != "bfloat16"},
    **{name: range for name in LOOPS},
    "power": np.power,
    "fmod": np.fmod,
    "output_tensor": _array,
    "allocate": _array,
}
"""The same, and what else a script calls, where it runs as Python; the rest is Python's own."""
