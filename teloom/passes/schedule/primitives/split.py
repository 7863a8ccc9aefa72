"""`schedule.split`: an axis becomes an outer and an inner one."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import add_relation, require_serial
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySplit(Primitive):
    """Makes the split a relation of the stage; outer and inner take the parent's place.

    A stage computed at the parent is computed at the inner axis: once per iteration of
    the parent, as before.
    """

    commands = (schedule.SplitOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SplitOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.parent_, op)
        require_serial(stage, [op.parent_], op)
        add_relation(stage, op)
