"""`schedule.cache_write`: a stage is computed in other memory, and then copied."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from teloom.analysis.stages.queries import name_of, states_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import AxisBounds
from teloom.errors import ScheduleError
from teloom.passes.schedule.caches import copying, finish, new_name
from teloom.passes.schedule.ordering import set_order
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage


class ApplyCacheWrite(Primitive):
    """Moves the equation to a new stage at the root; the old stage becomes a copy of it.

    The old stage keeps its place, scope, readers and data axes. Handles of its reduce axes become
    axes of the new stage.
    """

    commands = (schedule.CacheWriteOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.CacheWriteOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        if stage.extern is not None:
            raise ScheduleError(
                f'cannot compute "{name_of(stage)}" in "{op.scope.data}" first: it is an extern, '
                "whose body fills a buffer of its own; set_scope says where that is",
                op,
            )
        if stage.update is not None:
            raise ScheduleError(
                f'cannot compute "{name_of(stage)}" in "{op.scope.data}" first: it is an update, '
                "whose points read it; set_scope says where it is",
                op,
            )
        if states_of(stage):
            raise ScheduleError(
                f'cannot compute "{name_of(stage)}" in "{op.scope.data}" first: it is a scan, '
                "whose steps read it; set_scope says where it is",
                op,
            )
        reason = _why_not(stage)
        if reason is not None:
            raise ScheduleError(
                f'cannot compute "{name_of(stage)}" in "{op.scope.data}" first: {reason}; '
                "cache_write comes before all commands on the axes of its stage",
                op,
            )
        cache = _computing_stage(new_name(self, op, name_of(stage)), stage)
        finish(self, op, cache, stage.tensors, reader=stage)
        _make_copy(stage, cache)


def _why_not(stage: schedule.StageOp) -> str | None:
    if stage.attached:
        return f'"{name_of(stage.attached[0])}" is computed inside it'
    if stage.order.leaves != [(axis, LoopKind.SERIAL) for axis in stage.root_axes]:
        return "its loops are not those of its equation any more"
    if ahead := schedule.ahead_in(stage):
        return f"it {ahead[0].WORD} in its loops"
    return None


def _computing_stage(name: str, stage: schedule.StageOp) -> schedule.StageOp:
    """A new stage that takes the equation of `stage` away from it."""
    count = stage.data_axis_count
    names = [axis.name_hint for axis in stage.root_axes]
    return unscheduled_stage(
        name,
        [axis and f"{axis}.c" for axis in names[:count]] + names[count:],
        stage.bounds,
        count,
        stage.equation.detach_parts(),
        [tensor.type for tensor in stage.tensors],
    )


def _make_copy(stage: schedule.StageOp, cache: schedule.StageOp) -> None:
    """Makes `stage` a copy of `cache`, which has its equation; all else of it stays."""
    count = stage.data_axis_count
    axes = stage.body.block.args
    data_axes, reduce_axes = axes[:count], axes[count:]
    set_order(stage, [(axis, LoopKind.SERIAL) for axis in data_axes])
    for axis, moved in zip(reduce_axes, cache.root_axes[count:], strict=True):
        axis.replace_all_uses_with(moved)
        stage.body.block.erase_arg(axis)
    stage.set_bounds(AxisBounds.of(stage.bounds.pairs()[:count], stage.sizes))
    parts = copying(cache.tensors, [axis.name_hint for axis in data_axes])
    Rewriter.replace_op(stage.equation, schedule.EquationOp(parts))
