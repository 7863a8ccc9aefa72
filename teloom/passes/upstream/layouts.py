"""Layouts of buffers as upstream says them: strides and an offset."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Attribute, IntAttr, MemRefType, NoneAttr, StridedLayoutAttr

from teloom.errors import PassError


def strided(type: MemRefType) -> tuple[Sequence[int | None] | None, int | None]:
    """The strides and the offset of a buffer, in elements; None for one that a call says.

    Without a layout a buffer has no strides: it is row-major. Raises `PassError` for a layout
    that is no strides.
    """
    layout = type.layout
    if isinstance(layout, NoneAttr):
        return None, 0
    if not isinstance(layout, StridedLayoutAttr):
        raise PassError(
            f"{type} has a layout that is no strides; legal is strided<[...], offset: n>"
        )
    strides = [_number(one) for one in layout.strides]
    return strides, 0 if layout.offset is None else _number(layout.offset)


def _number(value: Attribute) -> int | None:
    return value.data if isinstance(value, IntAttr) else None
