"""`schedule.tensorize`: the code of an intrinsic in the place of loops."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import is_reduce, kind_of, name_of, states_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyTensorize(Primitive):
    """Notes the intrinsic in the stage; `match-intrinsics` puts its code there.

    Whether the loops are such that code can stand in their place is checked after all commands.
    """

    commands = (schedule.TensorizeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.TensorizeOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.var, op)
        if (reason := _why_no_loops(stage)) is not None:
            raise ScheduleError(
                f'cannot tensorize axis {schedule.axis_name(op.var)} of "{name_of(stage)}": '
                f"{reason}",
                op,
            )
        tensorized = schedule.TensorizedOp(op.var, op.tensor_intrin)
        tensorized.location = op.location
        Rewriter.insert_op(tensorized, InsertPoint.before(stage.definition))

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        for op in schedule.tensorized_in(stage):
            reason = _why_not(stage, op.axis)
            if reason is None:
                continue
            legal = [axis for axis in stage.order.axes if _why_not(stage, axis) is None]
            raise ScheduleError(
                f'cannot tensorize axis {schedule.axis_name(op.axis)} of "{name_of(stage)}": '
                f"{reason}; legal axes: {schedule.axis_names(legal)}",
                op,
            )


def _why_no_loops(stage: schedule.StageOp) -> str | None:
    if states_of(stage):
        return "it is a scan, which only copies; tensorize its steps"
    if stage.extern is not None:
        return "it is an extern, whose code is given"
    if stage.update is not None:
        return "it is an update, whose points depend on each other"
    if earlier := schedule.tensorized_in(stage):
        return f"it is tensorized at {schedule.axis_name(earlier[0].axis)} already"
    return None


def _why_not(stage: schedule.StageOp, axis: SSAValue) -> str | None:
    """Why no code can stand in the place of a loop and of those inside it."""
    leaves = list(stage.order.axes)
    if axis not in leaves:
        consumers = schedule.consumers_of(axis)
        if consumers:
            return schedule.consumed_text(axis, consumers[0])
        return "a later command has given the axis to another stage"
    first = leaves.index(axis)
    for inside in stage.attached:
        if inside.at in leaves[first:]:
            return f'"{name_of(inside)}" is computed inside, at {schedule.axis_name(inside.at)}'
    for ahead in schedule.ahead_in(stage):
        if ahead.axis in leaves[first:]:
            return f"the loop of {schedule.axis_name(ahead.axis)}, which is inside, {ahead.WORD}"
    for around in leaves[:first]:
        kind = kind_of(around)
        if kind is LoopKind.VECTORIZED:
            return f"{schedule.axis_name(around)}, which is around it, is vectorized"
        if kind.at_the_same_time and is_reduce(around):
            return (
                f"{schedule.axis_name(around)}, which is around it, is a reduce axis and "
                f"{kind.value}: the code knows no partial results"
            )
    return None
