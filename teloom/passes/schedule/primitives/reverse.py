"""`schedule.reverse`: an axis runs from its end to its start."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import add_relation, require_serial
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyReverse(Primitive):
    """Makes the reversal a relation of the stage; the new axis takes the parent's place.

    It is always legal: the points of an equation do not depend on each other, and a
    reduction may fold in any order. A stage computed at the parent is computed at the
    new axis.
    """

    commands = (schedule.ReverseOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ReverseOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.parent_, op)
        require_serial(stage, [op.parent_], op)
        add_relation(stage, op)
