"""Writes loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import memref
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import extents, lower_bounds
from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial, to_expr
from teloom.passes.code.index_code import IndexCode


def empty_body(name: str | None) -> Block:
    """The body of a loop, with nothing but its counter."""
    body = Block(arg_types=[loop.INDEX])
    body.args[0].name_hint = name
    return body


def loop_between(
    lowers: Sequence[Polynomial],
    uppers: Sequence[Polynomial],
    body: Region,
    kind: loop.LoopKind = loop.LoopKind.SERIAL,
) -> loop.ForOp:
    """A loop from the largest lower bound to the least upper bound."""
    operands = OperandList()
    lower, upper = ([to_expr(form, operands.dim) for form in side] for side in (lowers, uppers))
    return loop.ForOp(lower, upper, operands.values, body, kind)


def copy_elements(
    insert: Callable[[Operation], object],
    source: SSAValue,
    target: SSAValue,
    extents: Sequence[AffineExpr],
    sizes: Sequence[SSAValue],
) -> None:
    """Writes loops that copy one buffer to another, row-major."""
    indices: list[SSAValue] = []
    for extent in extents:
        body = Block(arg_types=[loop.INDEX])
        insert(loop.ForOp([AffineExpr.constant(0)], [extent], sizes, Region(body)))
        indices.append(body.args[0])
        insert = body.add_op
    load = memref.LoadOp.get(source, indices)
    insert(load)
    insert(memref.StoreOp.get(load.res, target, indices))


def put_in(op: Operation, around: Operation, block: Block) -> None:
    """Puts `around` in the place of `op`, which becomes the last op of one of its blocks."""
    around.location = op.location
    Rewriter.insert_op(around, InsertPoint.before(op))
    op.detach()
    block.add_op(op)


def put_where_it_runs(op: loop.ForOp) -> None:
    """Puts a loop in a branch, if it may have no iteration, in which no element need exist."""
    if lengths := [one for one in extents(op) if (one.as_constant() or 0) < 1]:
        operands, body = OperandList(), Block()
        runs = [to_expr(one - Polynomial.constant(1), operands.dim) for one in lengths]
        put_in(op, loop.IfOp([Conjunction([], runs)], operands.values, Region(body)), body)


def iteration(op: loop.ForOp, number: int) -> SSAValue:
    """The value of the induction variable in iteration `number`, counted from 0.

    The loop must have a single lower bound.
    """
    (lower,) = lower_bounds(op)
    return IndexCode.before(op).of(lower + Polynomial.constant(number))


def write_copies(op: loop.ForOp, extent: int, rewriter: PatternRewriter) -> None:
    """Writes the iterations of a loop, which has so many and one lower bound, in its place."""
    for number in range(extent):
        value = iteration(op, number)
        mapping: dict[SSAValue, SSAValue] = {op.induction_variable: value}
        rewriter.insert([inner.clone(mapping) for inner in op.body.block.ops])
    rewriter.erase(op)
