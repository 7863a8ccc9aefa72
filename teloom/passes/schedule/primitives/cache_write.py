"""`schedule.cache_write`: a stage is computed in other memory, and then copied."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import box_of, name_of, states_of
from teloom.dialects import schedule
from teloom.dialects.syntax.stage_header import AxisBounds
from teloom.errors import ScheduleError
from teloom.passes.schedule.caches import (
    computed_inside,
    computing_stage,
    copying,
    define_by,
    finish,
    new_name,
    said_of_loops,
)
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.relayouts import Relayout, laid_out_stage, move_loops


class ApplyCacheWrite(Primitive):
    """Moves the equation to a new stage at the root; the old stage becomes a copy of it.

    The old stage keeps its place, scope, readers and data axes. Handles of its reduce axes become
    axes of the new stage. So do all loops of the old stage, if commands have changed these: the
    new one has a data axis for each that is no reduce axis, and the old one begins anew. Code of
    an extern moves, too; its copy is an equation.
    """

    commands = (schedule.CacheWriteOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.CacheWriteOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
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
        name = new_name(self, op, name_of(stage))
        if stage.extern is not None:
            self._cache_code(stage, name, op)
        elif stage.has_own_loops:
            cache = computing_stage(name, stage)
            finish(self, op, cache, stage.tensors, reader=stage)
            _make_copy(stage, cache)
        else:
            layout = Relayout.of(stage, op)
            cache = laid_out_stage(name, stage, layout)
            finish(self, op, cache, stage.tensors, reader=stage)
            move_loops(stage, cache, layout)
            _make_copy(stage, cache, layout)

    def _cache_code(self, stage: schedule.StageOp, name: str, op: schedule.CacheWriteOp) -> None:
        """Moves the code of an extern; the copy has a data axis for each axis of the tensors."""
        box, sizes = box_of(stage.tensors[0])
        cache = computing_stage(name, stage)
        finish(self, op, cache, stage.tensors, reader=stage)
        for position in range(stage.data_axis_count, len(box)):
            axis = stage.body.block.insert_arg(schedule.AXIS, position)
            axis.name_hint = f"ax{position}"
        stage.data_axes = IntegerAttr(len(box), 64)
        _make_copy(stage, cache)
        pairs = [(start, start + extent) for start, extent in box]
        stage.set_bounds(AxisBounds.of(pairs, sizes))


def _why_not(stage: schedule.StageOp) -> str | None:
    if reason := computed_inside(stage):
        return reason
    if stage.extern is not None:
        if not stage.has_own_loops:
            return "its loops are not those of its code any more"
        shapes = [box_of(tensor)[0] for tensor in stage.tensors]
        if any(shape != shapes[0] for shape in shapes):
            return "its code fills tensors of different shapes, which no one equation copies"
        if stage.data_axis_count > len(shapes[0]):
            return "its code runs in more loops than its tensors have axes"
    kept = schedule.RelationOp | schedule.OrderOp | schedule.EquationOp | schedule.ExternOp
    return said_of_loops(stage, kept)


def _make_copy(
    stage: schedule.StageOp,
    cache: schedule.StageOp,
    layout: Relayout | None = None,
) -> None:
    """Makes `stage` a copy of `cache`, whose elements are there as they are here, or laid out."""
    names = [axis.name_hint for axis in stage.root_axes[: stage.data_axis_count]]
    coordinates, sizes = (layout.coordinates, layout.domain.around) if layout else (None, ())
    define_by(stage, cache, copying(cache.tensors, names, coordinates, sizes))
