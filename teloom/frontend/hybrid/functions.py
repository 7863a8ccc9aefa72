"""What a hybrid script calls: on expressions, and where it runs as Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from teloom.backend.call.array_dtypes import array_dtype
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, as_expr, max_value, min_value
from teloom.frontend.expr.numpy_functions import IN_TE
from teloom.frontend.expr.scalar_rules import quotient, remainder
from teloom.frontend.extern.ir_builder import KINDS
from teloom.frontend.functions import math_functions
from teloom.frontend.functions.arithmetic import abs as absolute
from teloom.frontend.functions.arithmetic import fmod, popcount, power, truncdiv, truncmod
from teloom.frontend.functions.bits import copysign
from teloom.frontend.functions.composed import atan2
from teloom.frontend.tensor import reducers
from teloom.frontend.tensor.conditions import select

UNROLLED = "const_range"
"""The loop whose body is written out for each position."""

LOOPS = {"range": "serial"} | {kind: kind for kind in KINDS}
"""What a `for` may run over else, and the kind of loop that it is."""

SYNTAX = frozenset((*LOOPS, UNROLLED, "output_tensor", "allocate"))
"""The names that loops and tensors are made by, whatever stands around a script."""

LARGEST_UNROLLED = 10_000
"""The most positions of a `const_range`."""

_NUMPY_NAMES = {of_te: of_numpy for of_numpy, of_te in IN_TE.items()}
_ELEMENTARY = (
    "exp log log2 log10 sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "sigmoid floor ceil trunc nearbyint isnan isinf isfinite log1p erf"
).split()


def _cast(dtype: str, value: object) -> Expr:
    return as_expr(value).astype(dtype)


def _ceil_div(a: Any, b: Any) -> Any:
    return (a + b - 1) // b


FUNCTIONS: Mapping[str, Callable[..., Expr]] = {
    **{name: getattr(math_functions, name) for name in _ELEMENTARY},
    **{name: partial(_cast, name) for name in dtypes.DTYPES},
    "abs": absolute,
    "min": reducers.min,
    "max": reducers.max,
    "power": power,
    "pow": power,
    "fmod": fmod,
    "round": math_functions.nearbyint,
    "popcount": popcount,
    "ceil_div": _ceil_div,
    "truncdiv": truncdiv,
    "truncmod": truncmod,
    "minimum": reducers.minimum,
    "maximum": reducers.maximum,
    "select": select,
    "atan2": atan2,
    "copysign": copysign,
}
"""The functions on scalars, on expressions."""

OF_NUMBERS: Mapping[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "round": round,
    "ceil_div": _ceil_div,
}
"""The functions that give a number where all arguments are numbers."""


def _likely(condition: Any) -> Any:
    return condition


def _max_num_threads(allow_none: bool = True) -> int:
    return 1


KNOWN: Mapping[str, Callable[..., Any]] = {
    "inf": max_value,
    "ninf": min_value,
    "likely": _likely,
    "max_num_threads": _max_num_threads,
}
"""What is not about scalars alone; without threads of a device, a block has one."""


def _array(shape: Any, dtype: Any = "float32", scope: str = "global") -> np.ndarray:
    return np.zeros(shape, array_dtype(dtype))


def _bfloat16(value: Any) -> Any:
    return array_dtype("bfloat16").type(value)


def _divided(divide: Callable[[int, int], int], a: Any, b: Any) -> Any:
    """A quotient or a remainder as compiled code has it: 0 of a division by 0, and one that wraps.

    It has the dtype of the operands; Python's own integers have none.
    """
    value = divide(int(a), int(b)) if b else 0
    if isinstance(a, int) and isinstance(b, int):
        return value
    dtype = np.result_type(a, b)
    return np.array(value % 2 ** (8 * dtype.itemsize), "uint64").astype(dtype)[()]


def _popcount(x: Any) -> int:
    bits = np.asarray(x).dtype.itemsize * 8
    return (int(x) & ((1 << bits) - 1)).bit_count()


def _limit(of: Callable[[object], Any], dtype: object) -> Any:
    value = of(dtype)
    return np.dtype(value.dtype).type(value.value)


IN_PYTHON: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(np, of) for name in _ELEMENTARY if (of := _NUMPY_NAMES.get(name))},
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    **{name: np.dtype(name).type for name in dtypes.DTYPES if name != "bfloat16"},
    "bfloat16": _bfloat16,
    **{name: range for name in (*LOOPS, UNROLLED)},
    "erf": math.erf,
    "log1p": np.log1p,
    "power": np.power,
    "fmod": np.fmod,
    "truncdiv": partial(_divided, quotient),
    "truncmod": partial(_divided, remainder),
    "minimum": np.minimum,
    "maximum": np.maximum,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "select": lambda condition, a, b: a if condition else b,
    "popcount": _popcount,
    "ceil_div": _ceil_div,
    "inf": partial(_limit, max_value),
    "ninf": partial(_limit, min_value),
    "likely": _likely,
    "max_num_threads": _max_num_threads,
    "output_tensor": _array,
    "allocate": _array,
}
"""What a script calls, where it runs as Python; the rest is Python's own."""


def called(function: Callable[..., Any], name: str, values: list[Any]) -> Any:
    """The result of a function for some values; raises `teloom.Error` if there is none."""
    try:
        return function(*values)
    except TypeError:
        raise Error(f"{name} does not take {len(values)} arguments") from None
    except (ArithmeticError, ValueError) as error:
        raise Error(f"{name}({', '.join(map(str, values))}): {error}") from None
