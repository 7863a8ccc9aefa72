"""Layouts of buffers as upstream says them: strides."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, MemRefType, NoneAttr, StridedLayoutAttr

from teloom.errors import PassError


def strides_of(type: MemRefType) -> Sequence[int | None] | None:
    """The strides of a buffer, in elements; None in place of one that a call says.

    Without a layout a buffer has none: it is row-major. Where the first element lies in memory, the
    caller's array says. Raises `PassError` for a layout that is no strides.
    """
    layout = type.layout
    if isinstance(layout, NoneAttr):
        return None
    if not isinstance(layout, StridedLayoutAttr):
        raise PassError(f"{type} has no strides; legal is a layout strided<[...], offset: ?>")
    if layout.offset is not None and getattr(layout.offset, "data", 0) != 0:
        raise PassError(f"{type} has an offset; an array begins with its first element: write ?")
    return [stride.data if isinstance(stride, IntAttr) else None for stride in layout.strides]
