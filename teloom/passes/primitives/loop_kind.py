"""`schedule.vectorize`, `schedule.unroll`, `schedule.parallel`: the kind of a loop."""

from xdsl.pattern_rewriter import (
    PatternRewriter,
    op_type_rewrite_pattern,
)

from teloom.analysis.stages import is_reduce, name_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.primitives.handles import Primitive
from teloom.passes.primitives.ordering import set_order

_KINDS = {
    schedule.VectorizeOp: LoopKind.VECTORIZED,
    schedule.UnrollOp: LoopKind.UNROLLED,
    schedule.ParallelOp: LoopKind.PARALLEL,
}


class ApplyLoopKind(Primitive):
    """Gives a leaf axis its kind."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.LoopKindCommand, rewriter: PatternRewriter):
        kind = _KINDS[type(op)]
        stage = self.leaf_stage(op.var, op)
        leaves = dict(stage.order.leaves)
        name = schedule.axis_name(op.var)
        if kind is not LoopKind.UNROLLED and is_reduce(op.var):
            data = [axis for axis in leaves if not is_reduce(axis)]
            raise ScheduleError(
                f'axis {name} of stage "{name_of(stage)}" is a reduce axis and cannot '
                f"be {kind.value}; data axes: "
                + (", ".join(map(schedule.axis_name, data)) or "none"),
                op,
            )
        if leaves[op.var] not in (LoopKind.SERIAL, kind):
            raise ScheduleError(
                f'axis {name} of stage "{name_of(stage)}" is {leaves[op.var].value} '
                f"already and cannot be {kind.value} too",
                op,
            )
        leaves[op.var] = kind
        set_order(stage, list(leaves.items()))
