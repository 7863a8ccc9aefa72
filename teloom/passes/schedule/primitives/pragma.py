"""`schedule.pragma`: a note on the loop of an axis."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.pragmas import notes_on
from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyPragma(Primitive):
    """Adds the note to those of the axis; the last one of a name counts."""

    commands = (schedule.PragmaOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.PragmaOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.var, op)
        earlier = notes_on(stage).get(op.var)
        notes = {} if earlier is None else earlier.values.data
        new = schedule.PragmasOp(op.var, {**notes, op.pragma_type.data: op.value})
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(earlier or stage.order))
        if earlier is not None:
            Rewriter.erase_op(earlier)
