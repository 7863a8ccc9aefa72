"""`schedule.tile`: two splits and a reorder."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from teloom.dialects import schedule
from teloom.passes.schedule.ordering import require_no_tail
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyTile(Primitive):
    """Inserts the two splits and the reorder that the command stands for."""

    commands = (schedule.TileOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.TileOp, rewriter: PatternRewriter):
        axes = (op.x_parent, op.y_parent)
        require_no_tail(self.common_stage(axes, op), axes, op)
        tail = None if op.tail is None else op.tail.data
        x = schedule.SplitOp(op.x_parent, op.x_factor.get(), tail=tail)
        y = schedule.SplitOp(op.y_parent, op.y_factor.get(), tail=tail)
        results = (x.outer, y.outer, x.inner, y.inner)
        commands = [x, y, schedule.ReorderOp(results)]
        for old, new in zip(op.results, results, strict=True):
            new.name_hint = old.name_hint
        for command in commands:
            command.location = op.location
        rewriter.insert(commands, InsertPoint.after(op))
        for old, new in zip(op.results, results, strict=True):
            old.replace_all_uses_with(new)
