"""Loops over tiles of which the last one lacks iterations."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from teloom.analysis.index.forms import AnyIterationForms
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

    @property
    def is_whole_first(self) -> bool:
        """Whether it is known that the first tile is whole, and that the last one is not."""
        rest = self.missing - Polynomial.of(self.number).times(self.step)
        bounds = [*self.op.lower.data.results, *self.op.upper.data.results]
        if len(bounds) != 2 or rest.uses(self.number):
            return False
        first, end = AnyIterationForms().of_exprs(bounds, self.op.operands_)
        least, most = ((rest + at.times(self.step)).as_constant() for at in (first, end - _ONE))
        return least is not None and most is not None and least <= 0 < most


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
    """The loops in another one that have one end besides that of a tile, and what they lack by it.

    That follows from the number of the tile.
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
