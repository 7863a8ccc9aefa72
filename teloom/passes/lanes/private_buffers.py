"""Scalar expansion: a buffer of one iteration gets an element for each lane, side by side."""

from __future__ import annotations

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.operands import map_of
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.target import target_of

MOST_BYTES = 4096
"""The largest buffer for all lanes of a vector: one that stays in registers or the first cache."""


def expand(op: loop.ForOp, lanes: int) -> list[SSAValue]:
    """Moves the buffers that the body allocates in front of the loop, with room for `lanes` lanes.

    Iteration i uses the elements of lane `(i - lower) mod lanes`. The elements of neighbouring
    lanes lie side by side, so that accesses of all lanes become vectors. Returns the new buffers;
    none for a loop with several lower bounds. Source: scalar expansion (Padua and Wolfe, "Advanced
    compiler optimizations for supercomputers", 1986).
    """
    if len(op.lower.data.results) != 1 or lanes < 2:
        return []
    allocated = ops_of(op.body.block, memref.AllocaOp)
    return [_expanded(one, op, lanes) for one in allocated if _can_be_expanded(one, lanes)]


def _can_be_expanded(op: memref.AllocaOp, lanes: int) -> bool:
    type = op.memref.type
    assert isinstance(type, MemRefType)
    if not isinstance(type.layout, NoneAttr) or DYNAMIC_INDEX in type.get_shape():
        return False
    if len(type.get_shape()) != 1:
        return False
    bytes = type.get_shape()[0] * lanes * byte_width(type.element_type)
    return bytes <= MOST_BYTES and all(_is_access(use.operation) for use in op.memref.uses)


def _is_access(op: Operation) -> bool:
    return isinstance(op, memref.LoadOp | memref.StoreOp)


def _expanded(op: memref.AllocaOp, around: loop.ForOp, lanes: int) -> SSAValue:
    type = op.memref.type
    assert isinstance(type, MemRefType)
    shape = [type.get_shape()[0] * lanes]
    buffer = memref.AllocaOp.get(type.element_type, target_of(around).alignment, shape)
    buffer.memref.name_hint = op.memref.name_hint
    Rewriter.insert_op(buffer, InsertPoint.before(around))
    for use in [*op.memref.uses]:
        _use_lane(use.operation, buffer.memref, around, lanes)
    Rewriter.erase_op(op)
    return buffer.memref


def _use_lane(access: Operation, buffer: SSAValue, around: loop.ForOp, lanes: int) -> None:
    """Makes an access use the element of its iteration's lane."""
    assert isinstance(access, memref.LoadOp | memref.StoreOp)
    (index,) = access.indices
    values = [*around.operands_, around.induction_variable, index]
    dims = [AffineExpr.dimension(number) for number in range(len(values))]
    (lower,) = around.lower.data.results
    place = dims[-1] * lanes + (dims[-2] - lower) % lanes
    at = affine.ApplyOp(values, map_of([place], values))
    Rewriter.insert_op(at, InsertPoint.before(access))
    position = 1 if isinstance(access, memref.StoreOp) else 0
    access.operands[position], access.operands[position + 1] = buffer, at.result
