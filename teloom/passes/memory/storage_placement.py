"""Emits one allocation for a storage, and replaces its parts by that buffer or by views."""

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
from teloom.passes.memory.largest_sizes import largest_size, size_in_bytes
from teloom.passes.memory.shared_storages import PlacedAllocation, Storage

Slot = tuple[MemRefType, int, SSAValue | None]
"""The type of a buffer, its line in the storage, and its size if that is symbolic."""


def _slot_of(part: PlacedAllocation) -> Slot:
    return part.type, part.line, next(iter(part.alloc.dynamic_sizes), None)


def _memory(
    storage: Storage, on_stack: bool, code: IndexCode
) -> tuple[SSAValue, dict[Slot, SSAValue]]:
    """Allocates `storage`; returns its memory, and the buffer of each slot.

    Parts of one type at one line are one buffer. If all parts are, the memory itself is that
    buffer. Otherwise it is bytes, and the buffers are views.
    """
    first, line_bytes = storage.parts[0].alloc, storage.parts[0].line_bytes
    # The first of the parts at one line gives the name: later entries of a dict win.
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
    buffers = dict.fromkeys(map(_slot_of, storage.parts), buffer)
    if len(names) > 1:
        for slot in buffers:
            of, line, size = slot
            shift = code.constant(line * line_bytes)
            view = code.emit(memref.ViewOp(buffer, shift, () if size is None else (size,), of))
            view.name_hint = names[of, line]
            buffers[slot] = view
    return buffer, buffers


def put(storage: Storage, block: Block, on_stack: bool) -> None:
    """Allocates `storage` in `block`, and puts its parts there.

    The allocation stands where the first part does, which dominates all uses of the others:
    parts are in program order. A single stack buffer stays in its loop, for a function allocates
    its stack once, wherever the op stands.
    """
    first = storage.parts[0].alloc
    is_there = first.parent is block and not storage.is_on_stack
    if len(storage.parts) == 1 and (on_stack or is_there):
        return
    place = block.find_ancestor_op_in_block(first)
    assert place is not None
    sizes = list(storage.sizes)
    for size in sizes:  # sizes of later parts must dominate the allocation, too
        compute_before(size, place)
    memory, buffers = _memory(storage, on_stack, IndexCode.before(place))
    if not on_stack:
        Rewriter.insert_op(memref.DeallocOp.get(memory), end_of(block))
    for part in storage.parts:
        if part.free is not None:
            Rewriter.erase_op(part.free)
        part.alloc.memref.replace_all_uses_with(buffers[_slot_of(part)])
        Rewriter.erase_op(part.alloc)
    for size in sizes:
        erase_unused(size)
