"""Whether two buffers may have a byte in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.ir import BlockArgument, SSAValue

from teloom.analysis.index.reading import constant_of
from teloom.analysis.memory.storage import Allocation, byte_width
from teloom.dialects.upstream.functions import NOALIAS, said_of


class BytesOfBuffer(NamedTuple):
    """Bytes of the buffer `base`: from the first up to behind the last, or unknown ones."""

    base: SSAValue
    bytes: tuple[int, int] | None

    def is_apart(self, other: BytesOfBuffer) -> bool:
        """Whether no byte is in both."""
        if self.base is not other.base:
            bases = (self.base, other.base)
            return all(map(_is_root, bases)) and any(map(is_distinct, bases))
        if self.bytes is None or other.bytes is None:
            return False
        return self.bytes[1] <= other.bytes[0] or other.bytes[1] <= self.bytes[0]


def bytes_of(buffer: SSAValue) -> BytesOfBuffer:
    """The bytes that a buffer has: of its source, if it is a view."""
    if isinstance(view := buffer.owner, memref.ViewOp):
        return BytesOfBuffer(view.source, _view_bytes(view))
    return BytesOfBuffer(buffer, None)


def _view_bytes(op: memref.ViewOp) -> tuple[int, int] | None:
    begin, type = constant_of(op.byte_shift), op.result.type
    if begin is None or not type.has_static_shape():
        return None
    return begin, begin + prod(type.get_shape()) * byte_width(type.element_type, op)


def _is_root(buffer: SSAValue) -> bool:
    """Whether a buffer is computed from no other one of its function."""
    return isinstance(buffer, BlockArgument) or isinstance(buffer.owner, Allocation)


def is_distinct(buffer: SSAValue) -> bool:
    """Whether no other root shares a byte with a buffer."""
    return isinstance(buffer.owner, Allocation) or NOALIAS in said_of(buffer)


def are_apart(buffers: Sequence[SSAValue]) -> bool:
    """Whether no two of these buffers have a byte in common."""
    parts = map(bytes_of, buffers)
    return all(one.is_apart(other) for one, other in combinations(parts, 2))
