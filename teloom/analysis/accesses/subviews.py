"""Subviews of buffers: the sizes, offsets and axes of `memref.subview` and similar ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerType, MemRefType
from xdsl.ir import SSAValue


def mixed(static: DenseArrayBase[IntegerType], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """Static values as numbers, dynamic ones as SSA values."""
    values = iter(dynamic)
    return [next(values) if one == DYNAMIC_INDEX else one for one in static.get_values()]


def kept_axes(op: memref.SubviewOp) -> list[int] | None:
    """The axes of the source that remain in the result; None if the result's type matches none.

    A subview may drop axes of one element (it is rank-reducing).
    """
    source = op.source.type
    assert isinstance(source, MemRefType)
    if op.result.type.element_type != source.element_type:
        return None
    shape = list(op.result.type.get_shape())
    kept: list[int] = []
    for axis, size in enumerate(op.static_sizes.get_values()):
        if len(kept) < len(shape) and shape[len(kept)] == size:
            kept.append(axis)
        elif size != 1:
            return None
    return kept if len(kept) == len(shape) else None


def is_same_view(op: memref.CastOp) -> bool:
    """Whether both types of a cast can be those of one buffer."""
    old, new = op.source.type, op.dest.type
    return (
        isinstance(old, MemRefType)
        and isinstance(new, MemRefType)
        and old.element_type == new.element_type
        and old.get_num_dims() == new.get_num_dims()
        and all(
            a == b or DYNAMIC_INDEX in (a, b)
            for a, b in zip(old.get_shape(), new.get_shape(), strict=True)
        )
    )
