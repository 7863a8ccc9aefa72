"""`schedule.fold_storage`: elements of a stage lie in a circular buffer."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import folds_of, name_of
from teloom.dialects import schedule
from teloom.passes.schedule.own_storage import (
    keep_in_stage,
    require_data_axis,
    require_temporary,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyFoldStorage(Primitive):
    """Leaves the command in the stage; of several for one axis, the last."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FoldStorageOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        require_data_axis(stage, op.axis, op)
        name = schedule.axis_name(op.axis)
        require_temporary(stage, f'fold axis {name} of "{name_of(stage)}"', op)
        keep_in_stage(stage, op, folds_of(stage))
