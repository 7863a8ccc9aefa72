"""The `affine` dialect: xDSL's, whose ops `canonicalize` simplifies as upstream's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import HasCanonicalizationPatternsTrait

from teloom.dialects.affine.fold import over_dims
from teloom.dialects.affine.linear_forms import is_small
from teloom.dialects.affine.operands import pack, substitute
from teloom.dialects.upstream.arith import constant_index


def composed(op: Operation, own: AffineMapAttr) -> tuple[AffineMapAttr, Sequence[SSAValue]]:
    """The map of `op` over what its operands are computed from: constants, other maps."""
    exprs = over_dims(own.data)
    replacements = {
        operand: meaning for operand in op.operands if (meaning := _meaning(operand)) is not None
    }
    found, operands = substitute(exprs, op.operands, replacements)
    is_whole = all(map(is_small, found.data.results))
    return (found, operands) if is_whole else pack(exprs, op.operands)


def _meaning(value: SSAValue) -> tuple[AffineExpr, Sequence[SSAValue]] | None:
    match op := value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return AffineExpr.constant(number.value.data), ()
        case affine.ApplyOp():
            return over_dims(op.map.data)[0], op.mapOperands
        case _:
            return None


class SimplifyApply(RewritePattern):
    """Maps are composed; one that is a constant, or an operand, is replaced by it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ApplyOp, rewriter: PatternRewriter) -> None:
        map, operands = composed(op, op.map)
        (expr,) = map.data.results
        if isinstance(expr, AffineDimExpr):
            rewriter.replace(op, [], [operands[expr.position]])
        elif isinstance(expr, AffineConstantExpr):
            rewriter.replace(op, constant_index(expr.value))
        elif map != op.map or [*operands] != [*op.operands]:
            rewriter.replace(op, affine.ApplyOp(operands, map))


class SimplifyMin(RewritePattern):
    """Of several constants one counts, and of equal expressions one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.MinOp, rewriter: PatternRewriter) -> None:
        map, operands = composed(op, op.map)
        exprs = dict.fromkeys(map.data.results)
        constants = [expr.value for expr in exprs if isinstance(expr, AffineConstantExpr)]
        kept = [expr for expr in exprs if not isinstance(expr, AffineConstantExpr)]
        if constants:
            kept.append(AffineExpr.constant(min(constants)))
        map, operands = pack(kept, operands)
        if len(kept) == 1:
            rewriter.replace(op, affine.ApplyOp(operands, map))
        elif map != op.map or [*operands] != [*op.operands]:
            rewriter.replace(op, affine.MinOp(operands, map))


@dataclass(frozen=True)
class Simplifies(HasCanonicalizationPatternsTrait):
    """An op that `canonicalize` simplifies by one pattern."""

    pattern: type[RewritePattern]

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return (self.pattern(),)


# xDSL's classes stay the ones that everyone knows: they only get a trait.
affine.ApplyOp.traits.add_trait(Simplifies(SimplifyApply))
affine.MinOp.traits.add_trait(Simplifies(SimplifyMin))

Affine = affine.Affine
