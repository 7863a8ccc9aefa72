"""`schedule.storage_align`: rows of a stage lie apart by a stride of some remainder."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from teloom.analysis.stages import alignments_of, name_of
from teloom.dialects import schedule
from teloom.passes.primitives.handles import Primitive
from teloom.passes.primitives.own_storage import (
    keep_in_stage,
    require_data_axis,
    require_temporary,
)


class ApplyStorageAlign(Primitive):
    """Leaves the command in the stage; of several for one axis, the last."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StorageAlignOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        require_data_axis(stage, op.axis, op)
        name = schedule.axis_name(op.axis)
        require_temporary(stage, f'align axis {name} of "{name_of(stage)}"', op)
        for earlier in alignments_of(stage):
            if earlier.axis is op.axis:
                Rewriter.erase_op(earlier)
        keep_in_stage(stage, op)
