"""`schedule.cache_read`: some stages read a tensor from a copy in other memory."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import box_of
from teloom.dialects import schedule, te
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds
from teloom.passes.schedule.caches import copying, finish, new_name, reads_by
from teloom.passes.schedule.named_tensor import named_tensor
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage


class ApplyCacheRead(Primitive):
    """Creates a stage at the root that copies the tensor; the named readers read the copy."""

    commands = (schedule.CacheReadOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.CacheReadOp, rewriter: PatternRewriter):
        source = named_tensor(self, op, op.stage)
        readers = [self.stage(reader, op) for reader in op.readers]
        tensors, called = [source.value], source.name
        reads = [read for one in readers for read in reads_by(one, tensors, called, op)]
        bounds = _bounds(self.func, source.value)
        axes = [f"ax{number}" for number in range(len(bounds.pairs()))]
        name = new_name(self, op, called)
        parts = copying(tensors, axes)
        types = [source.value.type]
        cache = unscheduled_stage(name, axes, bounds, len(axes), parts, types)
        finish(self, op, cache, tensors, reader=readers[0])
        for read in reads:
            read.operands[0] = cache.tensors[0]


def _bounds(func: te.FuncOp, tensor: SSAValue) -> AxisBounds:
    """The bounds of the axes of a copy of `tensor`."""
    if isinstance(tensor.owner, schedule.StageOp):
        box, sizes = box_of(tensor)
        bounds = [(start, start + extent) for start, extent in box]
        return AxisBounds.of(bounds, sizes, tensor.owner.bounds.where())
    shape = func.shape_of(list(func.tensors).index(tensor))
    return AxisBounds.of([(ZERO, extent) for extent in shape], func.sizes)
