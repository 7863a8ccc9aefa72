"""`schedule.bind`: the iterations of an axis run in threads or blocks."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import set_kind
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyBind(Primitive):
    """Binds a leaf axis to a thread axis, and records the extent that it must have."""

    commands = (schedule.BindOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.BindOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.ivar, op)
        for axis, kind in stage.order.leaves:
            if kind is op.kind and axis is not op.ivar and kind is not LoopKind.VIRTUAL:
                raise ScheduleError(
                    f'axis {schedule.axis_name(op.ivar)} of stage "{name_of(stage)}" cannot be '
                    f"{kind.value}: axis {schedule.axis_name(axis)} is; fuse the two, or use "
                    "another thread axis",
                    op,
                )
        set_kind(stage, op.ivar, op.kind, op)
        if op.extent is not None:
            extent = schedule.ExtentOp(op.ivar, op.extent)
            extent.location = op.location
            Rewriter.insert_op(extent, InsertPoint.before(stage.order))
