"""`schedule.split`: an axis becomes an outer and an inner one."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.passes.primitives.handles import Primitive
from teloom.passes.primitives.ordering import (
    move_relation,
    reattach,
    require_serial,
    set_order,
)


class ApplySplit(Primitive):
    """Makes the split a relation of the stage; outer and inner take the parent's place.

    A stage computed at the parent is computed at the inner axis: once per iteration of
    the parent, as before.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SplitOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.parent_, op)
        require_serial(stage, [op.parent_], op)
        split_leaf(stage, op)


def split_leaf(stage: schedule.StageOp, op: schedule.SplitOp) -> None:
    """Carries out `op` on its leaf axis."""
    leaves = []
    for axis, kind in stage.order.leaves:
        if axis is op.parent_:
            leaves += [(op.outer, LoopKind.SERIAL), (op.inner, LoopKind.SERIAL)]
        else:
            leaves.append((axis, kind))
    if op.parent_op() is not stage:
        move_relation(op, stage)
    set_order(stage, leaves)
    reattach(stage, [op.parent_], op.inner)
