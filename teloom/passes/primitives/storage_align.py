"""`schedule.storage_align`: rows of a stage lie apart by a stride of some remainder."""

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages import alignments_of, is_output, name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.primitives.handles import Primitive


class ApplyStorageAlign(Primitive):
    """Leaves the command in the stage; of several for one axis, the last."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StorageAlignOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        data_axes = stage.root_axes[: stage.data_axis_count]
        name = schedule.axis_name(op.axis)
        if op.axis not in data_axes:
            legal = schedule.axis_names(data_axes)
            raise ScheduleError(
                f'axis {name} is no data axis of the equation of "{name_of(stage)}"; these are '
                f"{legal}",
                op,
            )
        if is_output(stage):
            raise ScheduleError(
                f'cannot align axis {name} of "{name_of(stage)}": it is an output, which the '
                "caller stores row-major and without gaps",
                op,
            )
        check_aligned(stage, op.axis, op)
        for earlier in alignments_of(stage):
            if earlier.axis is op.axis:
                Rewriter.erase_op(earlier)
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(stage.order))


def check_aligned(stage: schedule.StageOp, axis: SSAValue, command: Operation) -> None:
    """ScheduleError where a data axis has no stride of its own in the layout of its stage."""
    position = list(stage.root_axes).index(axis)
    if stage.layout is not None and stage.layout.position_of(position) is None:
        raise ScheduleError(
            f'axis {schedule.axis_name(axis)} of "{name_of(stage)}" has no stride to align: it is '
            f"no physical axis of the layout {stage.layout.map}",
            command,
        )
