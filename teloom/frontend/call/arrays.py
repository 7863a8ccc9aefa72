"""Arrays that begin on a boundary: what vectors and whole cache lines want."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from teloom.backend.call.array_dtypes import array_dtype
from teloom.backend.call.array_memory import memory_at
from teloom.errors import Error
from teloom.frontend.expr.integers import checked_alignment, checked_integer


def empty(
    shape: int | Sequence[int], dtype: Any = "float32", alignment: int = 64
) -> np.ndarray[Any, Any]:
    """A new array of NumPy, undefined, that begins at a multiple of `alignment` bytes.

    It is row-major. NumPy's own arrays begin at a multiple of 16 bytes; 64 are a line of the
    cache, and the longest vector. Raises `teloom.Error` for a shape or a dtype that no array has,
    and for an alignment that is no power of two up to 2^32. A bfloat16 is that of the package
    ml_dtypes. Source: NumPy's `empty`, TVM's
    `nd.empty`.

    >>> empty((3, 5)).ctypes.data % 64
    0
    """
    return _array(shape, dtype, alignment, np.empty)


def zeros(
    shape: int | Sequence[int], dtype: Any = "float32", alignment: int = 64
) -> np.ndarray[Any, Any]:
    """An array as `empty` makes it, of zeros.

    >>> zeros(3, "int32")
    array([0, 0, 0], dtype=int32)
    """
    return _array(shape, dtype, alignment, np.zeros)


def _array(shape: int | Sequence[int], dtype: Any, alignment: int, make: Any) -> Any:
    extents = shape if isinstance(shape, Sequence) else (shape,)
    for axis, extent in enumerate(extents):
        if checked_integer(extent, f"the extent of axis {axis}", Error) < 0:
            raise Error(f"the extent of axis {axis} is {extent}; it must be at least 0")
    try:
        kind = array_dtype(dtype)
    except (TypeError, ValueError):
        raise Error(f"{dtype!r} is no dtype of NumPy") from None
    if kind.hasobject:
        raise Error(f"an array of {kind} holds Python objects, which compiled code cannot use")
    size = checked_alignment(alignment, "the alignment")
    try:
        memory = memory_at(size, kind.itemsize * math.prod(extents), make)
        return np.ndarray(tuple(extents), kind, memory)
    except (ValueError, MemoryError) as error:
        raise Error(f"no array of shape {tuple(extents)} and dtype {kind}: {error}") from None
