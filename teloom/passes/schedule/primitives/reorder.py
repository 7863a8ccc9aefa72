"""`schedule.reorder`: a permutation of leaf axes."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import set_order
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyReorder(Primitive):
    """Permutes the named axes among their positions; all other axes stay."""

    commands = (schedule.ReorderOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ReorderOp, rewriter: PatternRewriter):
        stage = self.common_stage(op.args, op)
        kinds = dict(stage.order.leaves)
        named = iter(op.args)
        leaves = [next(named) if axis in op.args else axis for axis in stage.order.axes]
        set_order(stage, [(axis, kinds[axis]) for axis in leaves], op)
