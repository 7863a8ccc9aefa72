"""`schedule.compute_with`: stages that share loops."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.dialects.schedule import Align
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.stage_order.wishes import Together


class ApplyComputeWith(Primitive):
    """Notes which loops the stages share; who comes first is decided after all commands."""

    commands = (schedule.ComputeWithOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ComputeWithOp, rewriter: PatternRewriter):
        stage, other = self.stage(op.stage, op), self.stage(op.other, op)
        if (owner := self.leaf_stage(op.axis, op)) is not other:
            raise ScheduleError(
                f'compute_with of "{name_of(stage)}": axis {schedule.axis_name(op.axis)} belongs '
                f'to "{name_of(owner)}", not to "{name_of(other)}"',
                op,
            )
        words = [Align(word.data) for word in op.align or ()] or [Align.AUTO]
        self.stages.order.together.append(
            Together(name_of(stage), name_of(other), op.axis, words, op)
        )
