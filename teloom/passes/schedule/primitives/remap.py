"""`schedule.remap`: axes become affine functions of them."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import (
    add_relation,
    check_relations,
    require_data_or_reduce,
    require_serial,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyRemap(Primitive):
    """Adds the map to the relations of the stage; its results replace the axes.

    They take the place of the outermost of these. A stage computed at one of them moves to the
    last result. That the map is injective is checked here, on the axes of the whole tensor: a
    part of it that is computed somewhere has no longer axes.
    """

    commands = (schedule.RemapOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.RemapOp, rewriter: PatternRewriter):
        stage = self.common_stage(op.args, op)
        require_serial(stage, op.args, op)
        require_data_or_reduce(stage, op.args, op)
        add_relation(stage, op)
        check_relations(stage)
