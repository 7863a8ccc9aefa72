"""`schedule.decompose_reduction`: where the init part of a reduction runs."""

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import first_reduce, init_depth, name_of
from teloom.dialects import schedule
from teloom.dialects.bodies.preorder import ops_of
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyDecomposeReduction(Primitive):
    """Writes the axis into its stage, in the place of an earlier one.

    Whether all reduce axes are inside of it is checked after all commands: a later command may
    still move them there.
    """

    commands = (schedule.DecomposeReductionOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.DecomposeReductionOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.axis, op)
        first = first_reduce(stage)
        if first is None or stage.update is not None:
            raise _refusal(stage, op.axis, "that stage is no reduction", op)
        for earlier in _said(stage):
            Rewriter.erase_op(earlier)
        if stage.order.axes[first] is op.axis:
            return
        new = schedule.DecomposedOp(op.axis)
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(stage.order))

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        for op in _said(stage):
            first, depth = first_reduce(stage), init_depth(stage)
            if first is None or depth is None:
                reason = "a later command has given the loop to a stage that is no reduction"
                raise _refusal(stage, op.axis, reason, op)
            if depth > first:
                legal = schedule.axis_names(stage.order.axes[: first + 1])
                raise _refusal(
                    stage,
                    op.axis,
                    f"it is inside of {schedule.axis_name(stage.order.axes[first])}, whose first "
                    f"iteration folds into what the init part sets; legal axes: {legal}",
                    op,
                )


def _said(stage: schedule.StageOp) -> list[schedule.DecomposedOp]:
    return ops_of(stage.body.block, schedule.DecomposedOp)


def _refusal(
    stage: schedule.StageOp, axis: SSAValue, reason: str, place: Operation
) -> ScheduleError:
    return ScheduleError(
        f'cannot start the reduction of "{name_of(stage)}" at axis '
        f"{schedule.axis_name(axis)}: {reason}",
        place,
    )
