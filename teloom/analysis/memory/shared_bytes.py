"""Whether two buffers may have a byte in common: views, casts and tensors of one memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from teloom.analysis.index.reading import constant_of
from teloom.analysis.memory.storage import Allocation, byte_width
from teloom.dialects.loop import TensorType
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


def roots(buffer: SSAValue) -> set[SSAValue]:
    """The buffers, made of no other one, in whose memory a buffer may be."""
    return {one for one in _closure([buffer], _sources) if not _sources(one)}


def sharing(buffer: SSAValue) -> list[SSAValue]:
    """The buffers that may have a byte in common with one, itself among them."""
    there = _closure(roots(buffer), _made_of)
    return [one for one in there if may_share(one, buffer)]


def _closure(
    first: Iterable[SSAValue], step: Callable[[SSAValue], list[SSAValue]]
) -> Iterable[SSAValue]:
    found = dict.fromkeys(first)
    pending = [*found]
    while pending:
        new = [one for one in step(pending.pop()) if one not in found]
        found |= dict.fromkeys(new)
        pending += new
    return found


def _sources(buffer: SSAValue) -> list[SSAValue]:
    """The buffers of which one may be a part: what its op takes, or regions of that give."""
    owner = buffer.owner
    if isinstance(owner, Block):
        around = owner.parent_op()
        if around is None or _is_entry(owner, around):
            return []
        owner = around
    ends = (block.last_op for region in owner.regions for block in region.blocks)
    given = [op.operands for op in (owner, *ends) if op is not None]
    return [one for operands in given for one in operands if _is_buffer(one)]


def _made_of(buffer: SSAValue) -> list[SSAValue]:
    """The buffers that may be a part of one: those whose `_sources` have it."""
    found: list[SSAValue] = []
    for use in buffer.uses:
        op, around = use.operation, use.operation.parent_op()
        found += [*op.results, *_arguments_in(op)]
        if around is not None and op.next_op is None:
            found += [*around.results, *_arguments_in(around)]
    return [*filter(_is_buffer, found)]


def _arguments_in(op: Operation) -> Iterator[SSAValue]:
    """The arguments of blocks in an op, without those of a function."""
    for block in (block for region in op.regions for block in region.blocks):
        if not _is_entry(block, op):
            yield from block.args


def _is_entry(block: Block, around: Operation) -> bool:
    """Whether the arguments of a block come from outside of the program, as a function's do."""
    return block is around.regions[0].first_block and not around.operands


def _is_buffer(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType | TensorType)


def may_share(one: SSAValue, other: SSAValue) -> bool:
    """Whether two buffers may have a byte in common: neither is apart in memory that both are of.

    Memory of different arguments of a function is.
    """
    if one is other:
        return True
    return not roots(one).isdisjoint(roots(other)) and not bytes_of(one).is_apart(bytes_of(other))


def are_same(one: SSAValue, other: SSAValue) -> bool:
    """Whether two buffers have the same elements at the indices that both have."""
    if one is other:
        return True
    if not isinstance(one, OpResult) or not isinstance(other, OpResult):
        return False
    a, b = one.op, other.op
    if isinstance(a, memref.ViewOp) and isinstance(b, memref.ViewOp):
        return a.source is b.source and _places(a) == _places(b)
    if not is_side_effect_free(a) or (one.type, one.index) != (other.type, other.index):
        return False
    block = a.parent
    return block is not None and a.is_structurally_equivalent(b, {block: block})


def _places(view: memref.ViewOp) -> tuple[object, ...]:
    """What decides where its elements are: all but the extent of the first axis."""
    begin, type, sizes = constant_of(view.byte_shift), view.result.type, iter(view.sizes)
    extents = [next(sizes) if one == DYNAMIC_INDEX else one for one in type.get_shape()]
    begins: object = view.byte_shift if begin is None else begin
    return begins, *extents[1:], len(extents), byte_width(type.element_type, view)
