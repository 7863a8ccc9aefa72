"""Allocations and views in the place of those that share memory."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i8,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.storage import boundary_of
from teloom.passes.code_motion import compute_outside, end_of
from teloom.passes.index_code import constant_index
from teloom.passes.shared_storages import Storage

Views = dict[tuple[MemRefType, int], SSAValue]
"""The buffer of each type that begins at a line of a storage."""


def _memory(storage: Storage, on_stack: bool) -> tuple[list[Operation], Views]:
    """What allocates `storage`, the allocation first, and the buffers in it."""
    first, line_bytes = storage.parts[0].alloc, storage.parts[0].line_bytes
    kind = memref.AllocaOp if on_stack else memref.AllocOp
    wanted: dict[tuple[MemRefType, int], str | None] = {}
    for part in storage.parts:
        wanted.setdefault((part.type, part.line), part.alloc.memref.name_hint)
    alignment = IntegerAttr(max(boundary_of(part.alloc) for part in storage.parts), i64)
    if len(wanted) == 1:
        type, name = first.memref.type, first.memref.name_hint
    else:
        type = MemRefType(i8, [storage.bytes], NoneAttr(), first.memref.type.memory_space)
        name = "storage"
    memory = kind.build(
        operands=[first.dynamic_sizes, []],
        result_types=[type],
        properties={"alignment": alignment},
    )
    memory.memref.name_hint = name
    memory.location = first.location
    if len(wanted) == 1:
        return [memory], dict.fromkeys(wanted, memory.memref)
    ops: list[Operation] = [memory]
    views: Views = {}
    for (type, line), name in wanted.items():
        shift = constant_index(line * line_bytes)
        view = memref.ViewOp(memory.memref, shift, (), type)
        view.result.name_hint = name
        ops += (shift, view)
        views[type, line] = view.result
    return ops, views


def put(storage: Storage, block: Block, on_stack: bool) -> None:
    """Allocates `storage` in `block`, and lets its parts lie there."""
    first = storage.parts[0].alloc
    is_there = first.parent is block and not storage.is_on_stack
    if len(storage.parts) == 1 and (on_stack or is_there):
        return
    place = block.find_ancestor_op_in_block(first)
    assert place is not None
    for size in first.dynamic_sizes:
        compute_outside(size, place)
    ops, views = _memory(storage, on_stack)
    Rewriter.insert_op(ops, InsertPoint.before(place))
    if not on_stack:
        Rewriter.insert_op(memref.DeallocOp.get(ops[0].results[0]), end_of(block))
    for part in storage.parts:
        if part.free is not None:
            Rewriter.erase_op(part.free)
        part.alloc.memref.replace_all_uses_with(views[part.type, part.line])
        Rewriter.erase_op(part.alloc)
