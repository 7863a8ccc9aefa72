"""`schedule.store_root`: a stage is stored outside of all loops."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyStoreRoot(Primitive):
    """Writes on the stage that it is stored at the root."""

    commands = (schedule.StoreRootOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StoreRootOp, rewriter: PatternRewriter):
        self.stage(op.stage, op).set_stored_at(None)
