"""`schedule.compute_at`: a stage is computed in a loop of another."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import (
    in_bounds,
    in_init,
    is_legally_placed,
    kind_of,
    legal_places,
    name_of,
    path,
    places_text,
    reader_of,
    reads_of,
    stage_of,
)
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.own_storage import compute_in
from teloom.passes.schedule.primitives.groups import placed_stages, placing_command
from teloom.passes.schedule.primitives.handles import Primitive, quoted


class ApplyComputeAt(Primitive):
    """Moves the stage into the body of the other one, at the axis named.

    Whether all readers are inside that loop is checked after all commands: a later command may
    still move a reader there. An output stays in the caller's array, at the root.
    """

    commands = (schedule.ComputeAtOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ComputeAtOp, rewriter: PatternRewriter):
        around = self.stage(op.parent_, op)
        self.stage_of(op.axis, op)  # refuses an axis of a stage that was inlined
        for stage in placed_stages(self, op):
            reason = _why_never(stage, around, op.axis)
            if reason is not None:
                raise _refusal(stage, around, op.axis, reason, op)
            stage.detach()
            compute_in(stage, op.axis)
            Rewriter.insert_op(stage, InsertPoint.before(around.definition))

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        if is_legally_placed(stage):
            return
        around = stage.enclosing
        assert around is not None
        assert stage.at is not None
        command = placing_command(stage, sequence)
        raise _refusal(stage, around, stage.at, _why_not_there(stage, around), command or stage)


def _refusal(
    stage: schedule.StageOp,
    around: schedule.StageOp,
    axis: SSAValue,
    reason: str,
    command: Operation,
) -> ScheduleError:
    return ScheduleError(
        f'cannot compute "{name_of(stage)}" at axis {schedule.axis_name(axis)} of '
        f'"{name_of(around)}": {reason}; legal places: {places_text(legal_places(stage))}',
        command,
    )


def _why_never(stage: schedule.StageOp, around: schedule.StageOp, axis: SSAValue) -> str | None:
    """Why no later command can make the place legal; None if it is legal or can become so."""
    name = schedule.axis_name(axis)
    if stage is around:
        return "a stage cannot be computed inside itself"
    if stage.is_ancestor(around):
        between = next(inner for inner in stage.attached if inner.is_ancestor(around))
        assert between.at is not None
        return (
            f'"{name_of(around)}" is computed inside "{name_of(stage)}", at axis '
            f"{schedule.axis_name(between.at)}"
        )
    if (owner := stage_of(axis)) is not around:
        return f'axis {name} belongs to "{name_of(owner)}"'
    if axis in around.order.axes:
        return None
    consumed_by = next(op for op in around.relations if axis in op.consumed)
    return schedule.consumed_text(axis, consumed_by)


def _why_not_there(stage: schedule.StageOp, around: schedule.StageOp) -> str:
    """Why the place of `stage` is not legal."""
    reads = list(reads_of(stage))
    readers = dict.fromkeys(reader_of(read) for read in reads)
    if not readers:
        return "nothing reads it"
    if all(around.is_ancestor(reader) for reader in readers):
        for axis in path(stage):
            if kind_of(axis) is LoopKind.VECTORIZED:
                return f"{schedule.axis_name(axis)} is vectorized"
        early = next((reader_of(read) for read in reads if in_init(read)), None)
        if early is around:
            return f'the init region of "{name_of(around)}" reads it before that loop'
        early = next((reader_of(read) for read in reads if in_bounds(read)), None)
        if early is around:
            return f'bounds of axes of "{name_of(around)}" are read from it before that loop'
    names = quoted([name_of(reader) for reader in readers])
    return f"not every read of it is inside that loop (readers: {names})"
