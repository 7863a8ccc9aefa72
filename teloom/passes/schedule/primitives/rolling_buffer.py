"""`schedule.rolling_buffer`: a stage is stored outside of its loop, in a circular buffer."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of, path
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.own_storage import require_each_once, require_temporary, store
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyRollingBuffer(Primitive):
    """Stores the stage one loop further out, and folds each data axis."""

    commands = (schedule.RollingBufferOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.RollingBufferOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        what = f'roll the buffer of "{name_of(stage)}"'
        require_temporary(stage, what, op)
        require_each_once(stage, what, op)
        around = path(stage)
        if not around:
            raise ScheduleError(
                f'cannot roll the buffer of "{name_of(stage)}": it is computed at the root, in no '
                "loop along which it could roll; compute it at an axis before that",
                op,
            )
        stage.set_stored_at(around[-2] if len(around) > 1 else None)
        for axis in range(stage.data_axis_count):
            store(stage, stage.storage.folded(axis, None, op.location), op)
