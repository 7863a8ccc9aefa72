"""`schedule.fuse`: adjacent axes become one."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import (
    add_relation,
    require_data_or_reduce,
    require_no_tail,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyFuse(Primitive):
    """Adds the fusion to the relations of the stage; the fused axis replaces the others.

    A stage computed at one of these moves to the fused axis.
    """

    commands = (schedule.FuseOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FuseOp, rewriter: PatternRewriter):
        stage = self.common_stage(op.args, op)
        require_no_tail(stage, op.args, op)
        self._require_adjacent(stage, op)
        require_data_or_reduce(stage, op.args, op)
        add_relation(stage, op)

    def _require_adjacent(self, stage: schedule.StageOp, op: schedule.FuseOp) -> None:
        order = list(stage.order.axes)
        first = order.index(op.args[0])
        if order[first : first + len(op.args)] == list(op.args):
            return
        raise ScheduleError(
            f"fuse needs adjacent axes in their order, got {schedule.axis_names(op.args)}; the "
            f'order of stage "{name_of(stage)}" is {schedule.axis_names(order)}',
            op,
        )
