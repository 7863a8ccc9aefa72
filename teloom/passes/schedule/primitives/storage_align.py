"""`schedule.storage_align`: rows of a stage lie apart by a stride of some remainder."""

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import alignments_of, name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.own_storage import (
    keep_in_stage,
    require_data_axis,
    require_temporary,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyStorageAlign(Primitive):
    """Leaves the command in the stage; of several for one axis, the last."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StorageAlignOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        require_data_axis(stage, op.axis, op)
        name = schedule.axis_name(op.axis)
        require_temporary(stage, f'align axis {name} of "{name_of(stage)}"', op)
        check_aligned(stage, op.axis, op)
        keep_in_stage(stage, op, alignments_of(stage))


def check_aligned(stage: schedule.StageOp, axis: SSAValue, command: Operation) -> None:
    """ScheduleError where a data axis has no stride of its own in the layout of its stage."""
    position = list(stage.root_axes).index(axis)
    if stage.layout is not None and stage.layout.position_of(position) is None:
        raise ScheduleError(
            f'axis {schedule.axis_name(axis)} of "{name_of(stage)}" has no stride to align: it is '
            f"no physical axis of the layout {stage.layout.map}",
            command,
        )
