"""`schedule.after`, `schedule.between`: the order of stages, where reads leave it open."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.dialects.schedule import Align
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive, quoted
from teloom.passes.schedule.stage_order.wishes import RunsAfter, Together


class ApplyAfter(Primitive):
    """Notes who runs behind whom, and the loops that they share."""

    commands = (schedule.AfterOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.AfterOp, rewriter: PatternRewriter):
        stage, other = self.stage(op.stage, op), self.stage(op.other, op)
        names = name_of(stage), name_of(other)
        self.stages.order.behind.append(RunsAfter(*names, op))
        if op.axis is None:
            return
        owner = self.leaf_stage(op.axis, op)
        if owner not in (stage, other):
            raise ScheduleError(
                f"after of {quoted(names)}: axis {schedule.axis_name(op.axis)} belongs to "
                f'"{name_of(owner)}"',
                op,
            )
        first, second = names if owner is other else names[::-1]
        self.stages.order.together.append(Together(first, second, op.axis, [Align.AUTO], op))


class ApplyBetween(Primitive):
    """Inserts the two commands that it stands for."""

    commands = (schedule.BetweenOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.BetweenOp, rewriter: PatternRewriter):
        commands = [
            schedule.AfterOp(op.stage, op.before, op.before_axis),
            schedule.AfterOp(op.behind, op.stage, op.behind_axis),
        ]
        for command in commands:
            command.location = op.location
        rewriter.insert(commands, InsertPoint.after(op))
