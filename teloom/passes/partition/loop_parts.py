"""Writes the parts of a loop's iterations: as loops one after the other, or as branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import extents, lower_bounds
from teloom.analysis.loops.whole_range import LoopParts
from teloom.dialects import loop
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.polynomials import Polynomial, of_exprs
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.syntax.tails import Tail
from teloom.passes.code.counters import put_in_place
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.partition.loop_tests import settle_where_negative


def past_first(counter: SSAValue, first: Polynomial) -> Polynomial:
    """The counter of a loop minus its second iteration: negative only in the first one."""
    return Polynomial.of(counter) - first - Polynomial.constant(1)


class LeftOver(NamedTuple):
    """The body of a part whose iterations are not whole, and the most iterations that it has.

    `most` is None where no number is known.
    `counter` is that of its loop; all iterations of the loop began at `first`, over `values`.
    One that `is_rare` has iterations for few sizes only.
    """

    body: Block
    most: int | None
    counter: SSAValue
    first: AffineExpr
    values: Sequence[SSAValue]
    is_rare: bool = False

    @property
    def past_first(self) -> Polynomial:
        """What is negative only in the first iteration."""
        (first,) = of_exprs([self.first], self.values)
        return past_first(self.counter, first)

    def put_in_place(self) -> None:
        """Puts the number of a single iteration, if there is one, in the place of its counter.

        The counter stays where a tile is going to begin earlier: the tile reads it to know whether
        another tile is before it.
        """
        op = self.body.parent_op()
        if not isinstance(op, loop.ForOp) or not _runs_once(op) or _moves_tiles(op):
            return
        if len(lowers := lower_bounds(op)) == 1 and any(self.counter.uses):
            put_in_place(self.counter, lowers[0], self.body)


def _runs_once(op: loop.ForOp) -> bool:
    """Whether a loop has one iteration, or none."""
    return any(extent.as_constant() == 1 for extent in extents(op))


def _moves_tiles(op: loop.ForOp) -> bool:
    """Whether an op holds a tile that is going to begin earlier."""
    tiles = ops_in(op.body.block, loop.ForOp)
    return any(
        loop.tail_of(one) is Tail.SHIFT_INWARDS and op.induction_variable in one.operands_
        for one in tiles
    )


def as_loops(op: loop.ForOp, parts: LoopParts) -> list[LeftOver]:
    """Puts each part into a loop of its own; `op` keeps the whole iterations.

    The counter of a single iteration is put in place.
    """
    found: list[LeftOver] = []
    first = (parts.before or parts.whole).lower[0]
    for part, place in (
        (parts.before, InsertPoint.before(op)),
        (parts.between, InsertPoint.before(op)),
        (parts.behind, InsertPoint.after(op)),
    ):
        if part is None:
            continue
        copy = op.clone()
        Rewriter.insert_op(copy, place)
        set_bounds(copy, part.lower, part.upper, parts.values)
        body = copy.body.block
        is_rare = part is parts.between
        rest = LeftOver(body, part.most, copy.induction_variable, first, parts.values, is_rare)
        rest.put_in_place()
        found.append(rest)
    set_bounds(op, parts.whole.lower, parts.whole.upper, parts.values)
    return found


def separate(op: loop.ForOp, points: Sequence[int]) -> None:
    """Splits a loop at some points: the iterations between two of them get a loop of their own."""
    values = [*op.operands_]
    lowers, uppers = op.lower.data.results, op.upper.data.results
    behind = op
    for point, end in zip(points, [*points[1:], None], strict=True):
        part, upper = op.clone(), uppers if end is None else _joined(uppers, end, min)
        set_bounds(part, _joined(lowers, point, max), upper, values)
        Rewriter.insert_op(part, InsertPoint.after(behind))
        behind = part
    set_bounds(op, lowers, _joined(uppers, points[0], min), values)


def _joined(
    bounds: Sequence[AffineExpr], number: int, choose: Callable[..., int]
) -> list[AffineExpr]:
    """Bounds and a number, joined with those of the bounds that are constant."""
    known = [one.value for one in bounds if isinstance(one, AffineConstantExpr)]
    others = [one for one in bounds if not isinstance(one, AffineConstantExpr)]
    return [*others, AffineExpr.constant(choose([number, *known]))]


def as_branches(
    op: loop.ForOp, parts: LoopParts, nests: Sequence[Operation] = ()
) -> list[LeftOver]:
    """Puts the parts into the two branches of an `if` in the loop, which stays one loop.

    With `nests`, ops in the loop without results, only these stand in branches. A branch in which
    nothing runs is left out.
    """
    values = parts.values
    counter = AffineExpr.dimension(values.index(op.induction_variable))
    limits: list[AffineExpr] = []
    if parts.before is not None:
        limits.append(difference(counter, parts.whole.lower[0]))
    if parts.behind is not None:
        limits.append(difference(parts.whole.upper[0], counter) + -1)
    first = (parts.before or parts.whole).lower[0]
    found: list[LeftOver] = []
    for inner in [[nest] for nest in nests] or [[*op.body.block.ops]]:
        mapping = dict(zip(values, values, strict=True))
        whole, rest = Block(), Block([one.clone(mapping) for one in inner])
        if len(limits) == 1:
            settle_where_negative(rest, *limits, values)
        otherwise = Region(rest) if rest.ops else None
        branch = loop.IfOp([Conjunction([], limits)], values, Region(whole), otherwise)
        Rewriter.insert_op(branch, InsertPoint.before(inner[0]))
        for one in inner:
            one.detach()
            whole.add_op(one)
        if otherwise is not None:
            most = parts.left_over
            found.append(LeftOver(rest, most, op.induction_variable, first, values))
    return found
