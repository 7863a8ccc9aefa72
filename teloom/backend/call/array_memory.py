"""The layout of NumPy arrays in memory: strides, reach, addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def element_strides(array: Array) -> tuple[int | None, ...]:
    """The stride of each axis in elements; None for an axis without neighbours.

    Raises `ValueError` for a stride that is negative or no multiple of an element.
    """
    found: list[int | None] = []
    for axis, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        if extent < 2 or not array.size:
            found.append(None)
            continue
        if stride < 0:
            raise ValueError(f"the negative stride {stride} on axis {axis}")
        count, rest = divmod(stride, array.itemsize)
        if rest:
            raise ValueError(
                f"stride {stride} on axis {axis}, no multiple of its {array.itemsize}-byte elements"
            )
        found.append(count)
    return tuple(found)


def bytes_reached(array: Array) -> int:
    """The bytes from the first element to the end of the last one; strides are not negative."""
    if not array.size:
        return 0
    steps = zip(array.shape, array.strides, strict=True)
    return array.itemsize + sum((extent - 1) * stride for extent, stride in steps)


def bytes_before(array: Array) -> int:
    """The offset of the first element in its memory, in bytes.

    The memory is that of the array of which `array` is a view, or its own.
    """
    owner, base = array, array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            owner = base
        base = getattr(base, "base", None)
    return address(array) - address(owner)


def address(array: Array) -> int:
    """The address of the first element."""
    return array.__array_interface__["data"][0]


def overlaps_itself(array: Array) -> bool:
    """Whether two elements of the array share a byte."""
    # Say that elements x and y share a byte, and k is the first axis on which they differ. Moving
    # both by the same offset keeps that. So take x with 0 on all axes up to k, and y with 0 in
    # front of k: x is in rest[:1] and y in rest[1:], after k steps of the loop.
    rest = array
    while rest.ndim:
        if np.shares_memory(rest[:1], rest[1:]):
            return True
        if not rest.size:
            return False
        rest = rest[0]
    return False


def laid_out(values: Array, strides: tuple[int, ...], offset: int = 0, alignment: int = 1) -> Array:
    """A copy of `values` in new memory that starts at a multiple of `alignment` bytes.

    The first element is at `offset` there. `offset` and `strides` are in elements.
    """
    size = values.itemsize
    steps = zip(values.shape, strides, strict=True)
    reach = 1 + sum((extent - 1) * stride for extent, stride in steps) if values.size else 0
    memory = memory_at(alignment, (offset + reach) * size, np.zeros)
    in_bytes = [stride * size for stride in strides]
    view = np.ndarray(values.shape, values.dtype, memory, offset * size, in_bytes)
    view[...] = values
    return view


def memory_at(alignment: int, size: int, make: Callable[[int, type], Array]) -> Array:
    """New memory of `size` bytes or more, by `make`, that starts at a multiple of `alignment`."""
    raw = make(size + alignment, np.uint8)
    first = -address(raw) % alignment
    # By a memoryview the new memory starts here: `bytes_before` follows bases of arrays only.
    return np.frombuffer(raw.data[first:], np.uint8)
