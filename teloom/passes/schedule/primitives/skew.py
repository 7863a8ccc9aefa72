"""`schedule.skew`: an axis moves along with another."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import (
    add_relation,
    require_data_or_reduce,
    require_serial,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySkew(Primitive):
    """Adds the skew to the relations of the stage; the skewed axis replaces the parent.

    The other axis stays a leaf, and may have a kind. A stage computed at the parent moves to the
    skewed axis.
    """

    commands = (schedule.SkewOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SkewOp, rewriter: PatternRewriter):
        stage = self.common_stage(op.operands, op)
        require_serial(stage, [op.parent_], op)
        require_data_or_reduce(stage, op.operands, op)
        add_relation(stage, op)
