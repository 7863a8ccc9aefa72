"""`schedule.shift`: the coordinates of an axis move."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import add_relation, require_serial
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyShift(Primitive):
    """Makes the shift a relation of the stage; the shifted axis takes the parent's place.

    A stage computed at the parent is computed at the shifted axis.
    """

    commands = (schedule.ShiftOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ShiftOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.parent_, op)
        require_serial(stage, [op.parent_], op)
        add_relation(stage, op)
