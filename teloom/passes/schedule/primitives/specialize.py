"""`schedule.specialize`: loops of their own for sizes that satisfy a condition."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySpecialize(Primitive):
    """Writes the condition into the stage, behind those of earlier commands."""

    commands = (schedule.SpecializeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SpecializeOp, rewriter: PatternRewriter):
        stage, sizes = self.stage(op.stage, op), self.func.sizes
        symbols = op.condition.data.num_symbols
        if symbols > len(sizes):
            raise ScheduleError(
                f'specialize of "{name_of(stage)}" is by {symbols} sizes; the function has '
                f"{len(sizes)}",
                op,
            )
        new = schedule.SpecializedOp(op.conjunction(), sizes[:symbols])
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(stage.order))
