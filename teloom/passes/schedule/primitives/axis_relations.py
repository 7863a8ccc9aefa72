"""`schedule.split`, `schedule.shift`, `schedule.reverse`: relations that consume one axis."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import add_relation, require_no_more_points, require_no_tail
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyAxisRelation(Primitive):
    """Adds the command to the relations of the stage; its results replace the parent.

    It is always legal: the points of an equation do not depend on each other, and a reduction
    may fold in any order. A stage computed at the parent moves to the last result, which for a
    split is the inner axis: it runs once per iteration of the parent, as before.
    """

    commands = (schedule.SplitOp, schedule.ShiftOp, schedule.ReverseOp)

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: schedule.SplitOp | schedule.ShiftOp | schedule.ReverseOp,
        rewriter: PatternRewriter,
    ):
        stage = self.leaf_stage(op.parent_, op)
        require_no_tail(stage, [op.parent_], op)
        if isinstance(op, schedule.SplitOp):
            require_no_more_points(stage, op)
        add_relation(stage, op)
