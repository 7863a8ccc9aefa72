"""`schedule.vectorize`, `schedule.unroll`, `schedule.parallel`: the kind of a loop."""

from xdsl.pattern_rewriter import (
    PatternRewriter,
    op_type_rewrite_pattern,
)

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.dialects.bodies.extern import no_lane
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.ordering import set_kind
from teloom.passes.schedule.primitives.handles import Primitive

_KINDS = {
    schedule.VectorizeOp: LoopKind.VECTORIZED,
    schedule.UnrollOp: LoopKind.UNROLLED,
    schedule.ParallelOp: LoopKind.PARALLEL,
}


class ApplyLoopKind(Primitive):
    """Gives a leaf axis its kind."""

    commands = (schedule.VectorizeOp, schedule.UnrollOp, schedule.ParallelOp)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.LoopKindCommand, rewriter: PatternRewriter):
        stage, kind = self.leaf_stage(op.var, op), _KINDS[type(op)]
        if isinstance(op, schedule.ParallelOp) and op.is_dynamic:
            kind = LoopKind.DYNAMIC
        inner = None if stage.extern is None else no_lane(stage.extern)
        if kind is LoopKind.VECTORIZED and inner is not None:
            raise ScheduleError(
                f'cannot vectorize axis {schedule.axis_name(op.var)} of "{name_of(stage)}": it is '
                f"an extern, whose body has a {inner.name} and is no scalar code; unroll or "
                "parallel it",
                op,
            )
        set_kind(stage, op.var, kind, op)
