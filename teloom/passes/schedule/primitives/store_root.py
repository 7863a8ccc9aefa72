"""`schedule.store_root`: a stage is stored outside of all loops."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.primitives.store_at import store


class ApplyStoreRoot(Primitive):
    """Leaves in the stage that it is stored at the root."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StoreRootOp, rewriter: PatternRewriter):
        store(self.stage(op.stage, op), None, op)
