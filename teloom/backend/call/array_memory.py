"""Where the elements of an array are in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def element_strides(array: Array) -> tuple[int | None, ...]:
    """How many elements neighbours on each axis are apart; None where there are no two.

    Raises `ValueError` for a stride that is negative or no whole number of elements.
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
    """How far the last byte is behind the first; the strides are not negative."""
    if not array.size:
        return 0
    steps = zip(array.shape, array.strides, strict=True)
    return array.itemsize + sum((extent - 1) * stride for extent, stride in steps)


def bytes_before(array: Array) -> int:
    """How many bytes the first element is behind the start of the memory that it is in.

    The memory is that of the array of which `array` is a view, or its own.
    """
    owner, base = array, array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            owner = base
        base = getattr(base, "base", None)
    return address(array) - address(owner)


def address(array: Array) -> int:
    """Where the first element is."""
    return array.__array_interface__["data"][0]


def meets_itself(array: Array) -> bool:
    """Whether two elements have a byte in common."""
    # Two that do differ first on some axis, and moved together they have position 0 on the
    # axes in front of it, and one of them on it.
    rest = array
    while rest.ndim:
        if np.shares_memory(rest[:1], rest[1:]):
            return True
        if not rest.size:
            return False
        rest = rest[0]
    return False


def laid_out(values: Array, strides: tuple[int, ...], offset: int = 0, alignment: int = 1) -> Array:
    """A view of `values` in new memory that starts at a multiple of `alignment` bytes.

    `strides` and `offset`, where in it the first element is, count elements.
    """
    size = values.itemsize
    steps = zip(values.shape, strides, strict=True)
    reach = 1 + sum((extent - 1) * stride for extent, stride in steps) if values.size else 0
    raw = np.zeros((offset + reach) * size + alignment, np.uint8)
    first = -address(raw) % alignment
    # Through a memoryview, so that the memory starts here and not where that of `raw` does.
    memory = np.frombuffer(raw.data[first:], np.uint8)
    in_bytes = [stride * size for stride in strides]
    view = np.ndarray(values.shape, values.dtype, memory, offset * size, in_bytes)
    view[...] = values
    return view
