"""Loops of constant extent start at 0."""

from dataclasses import dataclass

from xdsl.dialects.affine import ApplyOp
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.dialects import loop
from teloom.dialects.affine.operands import pack_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.code.loop_bounds import write_numbers
from teloom.passes.code.rewriting import of_kind


@dataclass
class CountFromZero(RewritePattern):
    """A loop of constant extent starts at 0, so that offsets of regions cancel.

    `starts` collects the ops that compute what the induction variables were.
    """

    starts: list[ApplyOp]

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        lowers = lower_bounds(op)
        extent = constant_extent(op)
        if len(lowers) > 1 or extent is None:
            return
        if not lowers[0].terms:
            if write_numbers(op):
                rewriter.notify_op_modified(op)
            return
        body = op.detach_region(op.body)
        map, values = pack_forms([lowers[0] + Polynomial.of(body.block.args[0])])
        start = ApplyOp(values, map)
        new = loop.ForOp(
            [AffineExpr.constant(0)], [AffineExpr.constant(extent)], [], body, op.kind.data
        )
        new.attributes.update(op.attributes)
        new.location = op.location
        variable = new.induction_variable
        variable.replace_uses_with_if(start.result, lambda use: use.operation is not start)
        rewriter.insert(start, InsertPoint.at_start(new.body.block))
        self.starts.append(start)
        rewriter.replace(op, new)
