"""`schedule.rolling_buffer`: a stage is stored around its loop, in a circular buffer."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import name_of, path
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.own_storage import require_temporary
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.primitives.store_at import store


class ApplyRollingBuffer(Primitive):
    """Stores the stage one loop further out, and puts a `fold_storage` for each data axis next."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.RollingBufferOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        require_temporary(stage, f'roll the buffer of "{name_of(stage)}"', op)
        around = path(stage)
        if not around:
            raise ScheduleError(
                f'cannot roll the buffer of "{name_of(stage)}": it is computed at the root, in no '
                "loop along which it could roll; compute it at an axis before that",
                op,
            )
        store(stage, around[-2] if len(around) > 1 else None, op)
        folds = [schedule.FoldStorageOp(axis) for axis in stage.root_axes[: stage.data_axis_count]]
        for fold in folds:
            fold.location = op.location
        Rewriter.insert_op(folds, InsertPoint.after(op))
