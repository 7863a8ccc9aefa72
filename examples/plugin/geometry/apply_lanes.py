"""`geometry.lanes`: the pattern that carries the command out."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from geometry.dialect import LanesOp
from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyLanes(Primitive):
    """Replaces the command by the two that it stands for, which are carried out next."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LanesOp, rewriter: PatternRewriter):
        split = schedule.SplitOp(op.parent_, op.count.value.data)
        vectorize = schedule.VectorizeOp(split.inner)
        for command in (split, vectorize):
            command.location = op.location
        rewriter.insert([split, vectorize], InsertPoint.after(op))
        for old, new in zip(op.results, split.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
