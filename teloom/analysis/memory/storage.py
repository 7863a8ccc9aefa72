"""Sizes and alignments of values in memory, in bytes."""

from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FixedBitwidthType,
    IndexType,
    MemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from teloom.dialects.target import target_of
from teloom.errors import PassError

Allocation = memref.AllocOp | memref.AllocaOp


def boundary_of(op: Allocation) -> int:
    """The alignment of a buffer in bytes: as its allocation says, else the target's."""
    return target_of(op).alignment if op.alignment is None else op.alignment.value.data


def alignment_for(size: int | None, width: int, most: int) -> int:
    """The alignment of a buffer of `size` bytes, with elements of `width` bytes.

    That is `most`, halved while it exceeds a constant size, as in TVM; never less than that of
    an element. A size of None is symbolic.
    """
    alignment = max(most, width)
    while size is not None and alignment > max(size, width):
        alignment //= 2
    return alignment


def bytes_to_take(size: int, alignment: int) -> int:
    """What a buffer of a constant size asks for: whole multiples of its alignment, never none."""
    return min(-(-max(1, size) // alignment) * alignment, most_bytes(alignment))


def most_bytes(alignment: int) -> int:
    """What no system can give: a buffer asks for so much whose size does not fit an address."""
    return 2**63 - alignment


def byte_width(type: Attribute, op: Operation | None = None) -> int:
    """The size of one element of `type` in bytes; an i1 takes one byte.

    Raises `PassError` at `op` where `type` has no size.
    """
    if isinstance(type, IndexType):
        return 8
    if not isinstance(type, FixedBitwidthType) or type.bitwidth == 0:
        raise PassError(f"elements of type {type} have no size in memory", op)
    return -(-type.bitwidth // 8)


def buffer_bytes(buffer: SSAValue) -> int | None:
    """The size of a buffer in bytes, if it is constant."""
    assert isinstance(buffer.type, MemRefType)
    shape = buffer.type.get_shape()
    return None if DYNAMIC_INDEX in shape else prod(shape) * byte_width(buffer.type.element_type)
