"""`schedule.compute_root`: a stage is computed as a whole, before its readers."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import root_of
from teloom.dialects import schedule
from teloom.passes.schedule.primitives.groups import placed_stages
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyComputeRoot(Primitive):
    """Moves the stage, or each stage of a group, out of all others."""

    commands = (schedule.ComputeRootOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ComputeRootOp, rewriter: PatternRewriter):
        for stage in placed_stages(self, op):
            _move_to_root(stage)


def _move_to_root(stage: schedule.StageOp) -> None:
    if stage.at is None:
        return
    outermost = root_of(stage)
    stage.detach()
    stage.set_at(None)
    Rewriter.insert_op(stage, InsertPoint.before(outermost))
