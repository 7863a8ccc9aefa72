"""`schedule.compute_at`: a stage is computed in a loop of another."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages import is_output, name_of, places_text
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.primitives.handles import Primitive


class ApplyComputeAt(Primitive):
    """Moves the stage into the region of the other one, at the axis named.

    Whether all readers are inside that loop is checked when all commands are applied:
    a later command may yet move a reader there.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ComputeAtOp, rewriter: PatternRewriter):
        stage, around = self.stage(op.stage, op), self.stage(op.parent_, op)
        axis = schedule.axis_name(op.scope)
        where = f'cannot compute "{name_of(stage)}" at axis {axis} of "{name_of(around)}"'
        leaves = list(around.order.axes)
        if stage is around or stage.is_ancestor(around):
            inside = "itself" if stage is around else "a stage computed inside it"
            raise ScheduleError(f"{where}: that is {inside}", op)
        if is_output(stage):
            raise ScheduleError(
                f'{where}: "{name_of(stage)}" is an output; legal places: the root', op
            )
        if self.stage_of(op.scope, op) is not around or op.scope not in leaves:
            raise ScheduleError(
                f'{where}: {axis} is no leaf axis of "{name_of(around)}"; legal '
                f"places: {places_text(leaves)}",
                op,
            )
        stage.detach()
        stage.set_at(op.scope)
        Rewriter.insert_op(stage, InsertPoint.before(around.equation))
