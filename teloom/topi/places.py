"""Where the greatest and the least elements of a tensor are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.dtypes import bits_of, is_float
from teloom.topi.elementwise import computed
from teloom.topi.extents import ravelled, unravelled
from teloom.topi.folds import folded
from teloom.topi.tag import COMM_REDUCE_IDX, INJECTIVE

BLOCK = 512
"""The bytes of a block, which is searched if an extreme element is in it."""

FEWEST = 4
"""The least blocks that pay."""

Fold = Callable[[Any, list[te.IterVar]], Any]
"""The extreme of an element over reduce axes."""


class _Parts(NamedTuple):
    """What is folded, in parts of one length."""

    extents: Sequence[Any]
    """How many parts there are, along as many axes."""
    length: int
    index: Callable[[Sequence[Any], Any], Sequence[Any]]
    """The position on the axes that are folded, of a part and a position in it."""
    place: Callable[[Any, Any], Any]
    """The same as a number, of the number of a part."""


def place_of_extreme(
    name: str, data: te.Tensor, axes: Sequence[int], keepdims: bool, extreme: Fold, is_last: bool
) -> te.Tensor:
    """The first or last position on `axes`, in row-major order, of what `extreme` gives.

    Of many elements, the extremes of contiguous parts come first: only one part is searched again.
    """
    parts = _parts_of(data, axes)
    if parts is not None:
        return _in_parts(name, data, axes, keepdims, extreme, is_last, parts)
    value = folded(f"{name}_value", data, axes, keepdims, extreme)
    return _place_of(name, data, axes, keepdims, value, is_last)


def _place_of(
    name: str, data: te.Tensor, axes: Sequence[int], keepdims: bool, value: te.Tensor, is_last: bool
) -> te.Tensor:
    """The first or last position on `axes` of elements of a value."""
    no_place = (te.min_value if is_last else te.max_value)("int32")

    def place(*at: Any) -> Any:
        element = data(*at)
        here = ravelled([at[axis] for axis in axes], [data.shape[axis] for axis in axes])
        around = [(axis, 0 if axis in axes else one) for axis, one in enumerate(at)]
        is_there = element == value(*(one for axis, one in around if keepdims or axis not in axes))
        if is_float(data.dtype):
            # If one is NaN, so is the value, and equal to none.
            is_there = is_there | te.isnan(element)
        return te.select(is_there, here.astype("int32"), no_place)

    def nearest(one: Any, on: list[te.IterVar]) -> Any:
        return (te.max if is_last else te.min)(one, axis=on)

    places = computed(f"{name}_places", data.shape, place)
    return folded(name, places, axes, keepdims, nearest, COMM_REDUCE_IDX)


def _parts_of(data: te.Tensor, axes: Sequence[int]) -> _Parts | None:
    """Rows of several axes, or blocks of one; None if they are short, or of unknown extents.

    Of no parts none could be searched, and calls may say that an extent is 0.
    """
    *extents, length = (data.shape[axis] for axis in axes)
    block = 8 * BLOCK // bits_of(data.dtype)
    are_known = all(isinstance(extent, int) for extent in (*extents, length))
    if data.ndim - 1 not in axes or not are_known or length < block // 4:
        return None
    if extents:
        return _Parts(
            extents,
            length,
            lambda part, here: [*part, here],
            lambda part, here: part * length + here,
        )
    if length < FEWEST * block:
        return None

    def begin(number: Any) -> Any:
        """Where a block begins: the last one has elements of the one before it, too."""
        return te.min(number * block, length - block)

    return _Parts(
        [-(-length // block)],
        block,
        lambda part, here: [begin(part[0]) + here],
        lambda part, here: begin(part) + here,
    )


def _in_parts(
    name: str,
    data: te.Tensor,
    axes: Sequence[int],
    keepdims: bool,
    extreme: Fold,
    is_last: bool,
    parts: _Parts,
) -> te.Tensor:
    rows = [extent for axis, extent in enumerate(data.shape) if axis not in axes]
    first, end = len(rows), len(rows) + len(parts.extents)

    def element(row: Sequence[Any], part: Sequence[Any], here: Any) -> Any:
        kept, on_axes = iter(row), iter(parts.index(part, here))
        return data(*(next(on_axes if axis in axes else kept) for axis in range(data.ndim)))

    def in_part(*at: Any) -> Any:
        return element(at[:first], at[first:end], at[end])

    def searched(*at: Any) -> Any:
        numbers = unravelled(found(*at[:-1]).astype("int64"), parts.extents)
        part = [
            te.bounded(number, 0, extent)
            for number, extent in zip(numbers, parts.extents, strict=True)
        ]
        return element(at[:-1], part, at[-1])

    def place(*at: Any) -> Any:
        row = [one for axis, one in enumerate(at) if axis not in axes] if keepdims else at
        return parts.place(found(*row), inside(*row)).astype("int32")

    split = computed(f"{name}_parts", (*rows, *parts.extents, parts.length), in_part, INJECTIVE)
    extremes = folded(f"{name}_extremes", split, [end], False, extreme)
    along = [*range(first, end)]
    value = folded(f"{name}_value", extremes, along, False, extreme)
    found = _place_of(f"{name}_part", extremes, along, False, value, is_last)
    window = computed(f"{name}_searched", (*rows, parts.length), searched, INJECTIVE)
    inside = _place_of(f"{name}_inside", window, [first], False, value, is_last)
    shape = [1 if axis in axes else extent for axis, extent in enumerate(data.shape)]
    return computed(name, shape if keepdims else rows, place, COMM_REDUCE_IDX)
