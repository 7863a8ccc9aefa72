"""`schedule.set_mode`: how exactly the region of a stage is computed."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySetMode(Primitive):
    """Sets the mode and the budget of the stage, each if it is given."""

    commands = (schedule.SetModeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SetModeOp, rewriter: PatternRewriter):
        self.stage(op.stage, op).properties.update(op.properties)
