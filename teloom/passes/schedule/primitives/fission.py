"""`schedule.fission`: stages that share a loop get one each."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyFission(Primitive):
    """Lets the stages in the loop share only the loops outside of it."""

    commands = (schedule.FissionOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FissionOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.axis, op)
        depth = list(stage.order.axes).index(op.axis)
        if not self.stages.order.part(name_of(stage), depth):
            raise ScheduleError(
                f"fission of axis {schedule.axis_name(op.axis)}: no stage shares its loop with "
                f'"{name_of(stage)}"',
                op,
            )
