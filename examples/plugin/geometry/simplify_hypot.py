"""Pass `simplify-hypot`: the length of a vector along an axis is an absolute value."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from geometry.dialect import HypotOp


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0.0."""
    if not isinstance(value.owner, arith.ConstantOp):
        return False
    return isinstance(value.owner.value, FloatAttr) and value.owner.value.value.data == 0


class AlongAnAxis(RewritePattern):
    # hypot(x, 0) -> |x|
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: HypotOp, rewriter: PatternRewriter):
        for length, other in ((op.x, op.y), (op.y, op.x)):
            if is_zero(other):
                rewriter.replace(op, math.AbsFOp(length))
                return


@dataclass(frozen=True)
class SimplifyHypotPass(ModulePass):
    """Replaces `geometry.hypot` with a constant 0 by `math.absf`."""

    name = "simplify-hypot"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(AlongAnAxis()).rewrite_module(op)
