"""Allocations and views in the place of those that share memory."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i8,
    i64,
)
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from teloom.analysis.memory.storage import boundary_of
from teloom.passes.code.code_motion import compute_before, end_of, erase_unused
from teloom.passes.code.index_code import IndexCode
from teloom.passes.memory.largest_size import largest_size, size_in_bytes
from teloom.passes.memory.shared_storages import Part, Storage

Slot = tuple[MemRefType, int, SSAValue | None]
"""A type of buffers, the line of a storage at which they begin, and their size if symbolic."""


def _place_of(part: Part) -> Slot:
    return part.type, part.line, next(iter(part.alloc.dynamic_sizes), None)


def _memory(
    storage: Storage, on_stack: bool, code: IndexCode
) -> tuple[SSAValue, dict[Slot, SSAValue]]:
    """Allocates `storage`, and gives the buffers in it."""
    first, line_bytes = storage.parts[0].alloc, storage.parts[0].line_bytes
    # Of several buffers at one start it is the name of the first.
    names = {
        (part.type, part.line): part.alloc.memref.name_hint for part in reversed(storage.parts)
    }
    type, name = first.memref.type, first.memref.name_hint
    sizes = [part.alloc.dynamic_sizes for part in storage.parts]
    if len(names) > 1:
        length = storage.bytes if storage.has_constant_size else DYNAMIC_INDEX
        type, name = MemRefType(i8, [length], NoneAttr(), type.memory_space), "storage"
        dynamic = (part for part in storage.parts if part.alloc.dynamic_sizes)
        sizes = [(size_in_bytes(part.alloc, code),) for part in dynamic]
    kind = memref.AllocaOp if on_stack else memref.AllocOp
    memory = kind.build(
        operands=[[largest_size(axis, code) for axis in zip(*sizes, strict=True)], []],
        result_types=[type],
        properties={
            "alignment": IntegerAttr(max(boundary_of(part.alloc) for part in storage.parts), i64)
        },
    )
    memory.location = first.location
    buffer = code.emit(memory)
    buffer.name_hint = name
    places = dict.fromkeys(map(_place_of, storage.parts), buffer)
    if len(names) > 1:
        for place in places:
            of, line, size = place
            shift = code.constant(line * line_bytes)
            view = code.emit(memref.ViewOp(buffer, shift, () if size is None else (size,), of))
            view.name_hint = names[of, line]
            places[place] = view
    return buffer, places


def put(storage: Storage, block: Block, on_stack: bool) -> None:
    """Allocates `storage` in `block`, and lets its parts lie there."""
    first = storage.parts[0].alloc
    is_there = first.parent is block and not storage.is_on_stack
    if len(storage.parts) == 1 and (on_stack or is_there):
        return
    place = block.find_ancestor_op_in_block(first)
    assert place is not None
    sizes = list(storage.sizes)
    for size in sizes:
        compute_before(size, place)
    memory, buffers = _memory(storage, on_stack, IndexCode.before(place))
    if not on_stack:
        Rewriter.insert_op(memref.DeallocOp.get(memory), end_of(block))
    for part in storage.parts:
        if part.free is not None:
            Rewriter.erase_op(part.free)
        part.alloc.memref.replace_all_uses_with(buffers[_place_of(part)])
        Rewriter.erase_op(part.alloc)
    for size in sizes:
        erase_unused(size)
