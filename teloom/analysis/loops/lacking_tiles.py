"""Loops over tiles of which the last one lacks iterations."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.loops.iteration_sets import is_inside
from teloom.analysis.loops.tiles import Tile, tile_of
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in

_ONE = Polynomial.constant(1)


@dataclass(frozen=True, eq=False)
class LackingTile:
    """A loop over tiles, each `step` behind another, and the loops that end early in the last one.

    These lack `missing` iterations: none in whole tiles, or a negative number. Some of them count
    from the begin of the tile, the others have points of the axis as their counters.
    """

    op: loop.ForOp
    tiles: Sequence[Tile]
    step: int
    missing: Polynomial

    @property
    def axis(self) -> str:
        """The name of the axis in a tile."""
        return self.tiles[-1].op.axis_name

    @property
    def number(self) -> SSAValue:
        """The number of the tile."""
        return self.op.induction_variable

    @cached_property
    def loops_over_parts(self) -> list[loop.ForOp]:
        """The loops around that count parts of the axis: what a tile lacks follows them, too."""
        counters = {value for value in self.missing.values() if value is not self.number}
        around = (value.owner.parent_op() for value in counters if loop.is_counter(value))
        return [one for one in around if isinstance(one, loop.ForOp)]

    @cached_property
    def first_lacks(self) -> Polynomial | None:
        """What the first tile lacks at least, as values from outside; None if that is not known.

        If loops around count parts of the axis, it is the first tile of the first part, and whole
        tiles that end where the axis does have to begin at one place.
        """
        if len(self.op.lower.data.results) != 1:
            return None
        (first,) = AnyIterationForms().of_exprs(self.op.lower.data.results, self.op.operands_)
        least = self._lacks(first)
        if self.loops_over_parts:
            least = _least(least, self.op) if self._ends_at_one_place else None
        if least is None or any(is_inside(value, self.op) for value in least.values()):
            return None
        return least

    @cached_property
    def last_lacks(self) -> int | None:
        """What the last tile lacks, if that is known, and the same in all loops over tiles."""
        ends = AnyIterationForms().of_exprs(self.op.upper.data.results, self.op.operands_)
        return self._lacks(ends[0] - _ONE).as_constant() if len(ends) == 1 else None

    @property
    def is_whole_first(self) -> bool:
        """Whether it is known that the first tile is whole, and that the last one is not.

        If loops around count parts of the axis, the last one may be whole.
        """
        least = self.first_lacks.as_constant() if self.first_lacks is not None else None
        ends_early = bool(self.loops_over_parts) or (self.last_lacks or 0) > 0
        return least is not None and least <= 0 and ends_early

    def _lacks(self, number: Polynomial) -> Polynomial:
        """What the tile of a number lacks."""
        return self.missing.substitute(self.number, number)

    @property
    def _ends_at_one_place(self) -> bool:
        """Whether a whole tile that ends where the axis does begins at a constant place.

        So it is if the place where a tile begins follows the same counters as what it lacks.
        """
        forms = AnyIterationForms()
        begins = (forms.expr(one.lower, one.op.operands_) for one in self.tiles)
        return any((begin - self.missing).as_constant() is not None for begin in begins)


def _least(form: Polynomial, op: Operation) -> Polynomial | None:
    """The least value of a sum, where the loops around an op that it follows begin.

    None if one does not begin at a constant, or its counter is subtracted.
    """
    for counter in [*filter(loop.is_counter, form.values())]:
        around, factor = counter.owner.parent_op(), form.factor_of(counter)
        assert isinstance(around, loop.ForOp)
        begins = around.lower.data.results
        if factor is None or factor < 0 or not around.is_ancestor(op):
            return None
        if len(begins) != 1 or not isinstance(begins[0], AffineConstantExpr):
            return None
        form = form.substitute(counter, Polynomial.constant(begins[0].value))
    return form


def lacking_tile(op: loop.ForOp, asked: Container[Operation]) -> LackingTile | None:
    """The tile that a loop is over, if all loops of `asked` in it are of the same one."""
    found = [*_lacking_in(op)]
    lacks = {missing for tile, missing in found if tile.op in asked}
    if len(lacks) != 1:
        return None
    (missing,) = lacks
    tiles = [tile for tile, other in found if other == missing]
    step = missing.terms.get((op.induction_variable,), 0)
    return LackingTile(op, tiles, step, missing) if step > 0 else None


def _lacking_in(op: loop.ForOp) -> Iterator[tuple[Tile, Polynomial]]:
    """The tiles in a loop that one further bound cuts, and the iterations that they then lack.

    How many these are follows from the number of the tile.
    """
    for inner in ops_in(op.body.block, loop.ForOp):
        tile = tile_of(inner)
        if tile is not None and not tile.starts and len(tile.ends) == 1:
            if (missing := _missing(tile)).uses(op.induction_variable):
                yield tile, missing


def _missing(tile: Tile) -> Polynomial:
    """How many iterations a loop lacks."""
    upper, end = AnyIterationForms().of_exprs([tile.upper, *tile.ends], tile.op.operands_)
    return upper - end
