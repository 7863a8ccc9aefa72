"""`schedule.fuse`: adjacent axes become one."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages import is_reduce, name_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.primitives.handles import Primitive
from teloom.passes.primitives.ordering import (
    move_relation,
    reattach,
    require_serial,
    set_order,
)


class ApplyFuse(Primitive):
    """Makes the fusion a relation of the stage; the fused axis takes the axes' place.

    A stage computed at one of the axes is computed at the fused one.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.FuseOp, rewriter: PatternRewriter):
        axes = list(op.args)
        stage = self.common_stage(axes, op)
        require_serial(stage, axes, op)
        self._require_adjacent(stage, op)
        if len({is_reduce(axis) for axis in axes}) > 1:
            raise ScheduleError(
                f"fuse cannot join a data axis and a reduce axis: {_names(axes)} of stage "
                f'"{name_of(stage)}"',
                op,
            )

        leaves = stage.order.leaves
        first = list(stage.order.axes).index(axes[0])
        leaves[first : first + len(axes)] = [(op.fused, LoopKind.SERIAL)]
        move_relation(op, stage)
        set_order(stage, leaves)
        reattach(stage, axes, op.fused)

    def _require_adjacent(self, stage: schedule.StageOp, op: schedule.FuseOp) -> None:
        order = list(stage.order.axes)
        first = order.index(op.args[0])
        if order[first : first + len(op.args)] == list(op.args):
            return
        raise ScheduleError(
            f"fuse needs adjacent axes in their order, got {_names(op.args)}; the "
            f'order of stage "{name_of(stage)}" is {_names(order)}',
            op,
        )


def _names(axes) -> str:
    return ", ".join(schedule.axis_name(axis) for axis in axes)
