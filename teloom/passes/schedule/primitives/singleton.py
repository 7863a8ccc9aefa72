"""`schedule.singleton`: an axis of one iteration around a stage."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import add_relation
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySingleton(Primitive):
    """Adds the relation to the stage; the axis that it makes is the outermost."""

    commands = (schedule.SingletonOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SingletonOp, rewriter: PatternRewriter):
        if op.stage is None:
            raise ScheduleError("singleton of no stage: a command says `of` which", op)
        stage = self.stage(op.stage, op)
        if stage.extern is not None and not stage.root_axes:
            raise ScheduleError(
                f'stage "{name_of(stage)}" is an extern without axes: no loop is around it', op
            )
        op.operands = []  # a relation is one of the stage that it is in
        add_relation(stage, op)
