"""`schedule.separate_at`."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySeparateAt(Primitive):
    """Writes the point into the stage of the axis, beside those that are there."""

    commands = (schedule.SeparateAtOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SeparateAtOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.var, op)
        new = schedule.SeparatedOp(op.var, op.point)
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(stage.order))
