"""`schedule.fold_storage`: a stage is stored in a circular buffer."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.passes.schedule.own_storage import (
    require_data_axis,
    require_each_once,
    require_temporary,
    store,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyFoldStorage(Primitive):
    """Folds an axis of the storage of a stage; the last command on an axis wins."""

    commands = (schedule.FoldStorageOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FoldStorageOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        require_data_axis(stage, op.axis, op)
        name = schedule.axis_name(op.axis)
        what = f'fold axis {name} of "{name_of(stage)}"'
        require_temporary(stage, what, op)
        require_each_once(stage, what, op)
        factor = None if op.factor is None else op.factor.value.data
        axis = list(stage.root_axes).index(op.axis)
        store(stage, stage.storage.folded(axis, factor, op.location), op)
