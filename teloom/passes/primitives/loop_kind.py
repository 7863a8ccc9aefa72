"""`schedule.vectorize`, `schedule.unroll`, `schedule.parallel`: the kind of a loop."""

from xdsl.pattern_rewriter import (
    PatternRewriter,
    op_type_rewrite_pattern,
)

from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.passes.primitives.handles import Primitive
from teloom.passes.primitives.ordering import set_kind

_KINDS = {
    schedule.VectorizeOp: LoopKind.VECTORIZED,
    schedule.UnrollOp: LoopKind.UNROLLED,
    schedule.ParallelOp: LoopKind.PARALLEL,
}


class ApplyLoopKind(Primitive):
    """Gives a leaf axis its kind."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.LoopKindCommand, rewriter: PatternRewriter):
        set_kind(self.leaf_stage(op.var, op), op.var, _KINDS[type(op)], op)
