"""Stages that copy tensors, and their handles: shared by the cache commands."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import steps_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.equation import EquationParts
from teloom.passes.schedule.primitives.handles import Primitive


def new_name(primitive: Primitive, op: schedule.CacheCommand, tensor: str) -> str:
    """The name of the cache stage that `op` creates for a tensor of this name.

    No other stage has the name, nor did one that was inlined since.
    """
    return schedule.cache_name(tensor, op.scope.data, primitive.stages.names)


def copying(tensors: Sequence[SSAValue], axis_names: Sequence[str | None]) -> EquationParts:
    """An equation that copies these tensors, which have one shape."""
    block = Block(arg_types=[IndexType()] * len(axis_names))
    for axis, axis_name in zip(block.args, axis_names, strict=True):
        axis.name_hint = axis_name
    identity = AffineMapAttr(AffineMap.identity(len(axis_names)))
    reads = [te.ReadOp(tensor, identity, block.args) for tensor in tensors]
    block.add_ops([*reads, te.YieldOp([read.value for read in reads])])
    return EquationParts(Region(block), Region(), None, Region())


def finish(
    primitive: Primitive,
    op: schedule.CacheCommand,
    cache: schedule.StageOp,
    cached: Sequence[SSAValue],
    reader: schedule.StageOp,
) -> None:
    """Inserts the cache of the tensors `cached` in front of a reader, and defines its handle.

    The cache is at the root. If it is a step of a scan, it is at the place of the step that
    reads it.
    """
    cache.set_storage(cache.storage.in_scope(op.scope.data))
    cache.location = op.location
    for tensor, copied in zip(cache.tensors, cached, strict=True):
        tensor.name_hint = copied.name_hint and f"{copied.name_hint}.{op.scope.data}"
    place = reader
    while place.enclosing is not None and cache not in steps_of(place.enclosing):
        place = place.enclosing
    if place.at is not None:
        cache.set_at(place.at)
    Rewriter.insert_op(cache, InsertPoint.before(place))
    primitive.stages.add(cache)
    get = schedule.GetOp(cache.stage_name.data)
    get.location = op.location
    get.stage.name_hint = op.cache.name_hint
    Rewriter.insert_op(get, InsertPoint.after(op))
    op.cache.replace_all_uses_with(get.stage)
