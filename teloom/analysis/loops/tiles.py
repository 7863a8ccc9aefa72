"""Loops that run as long as the tiles of a split, or begin or end where the axis does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import islpy as isl
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.extents import lower_bounds, upper_bounds
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Longer
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects import loop
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.syntax.tails import Tail


@dataclass(frozen=True, eq=False)
class Tile:
    """A loop that runs from the largest of `lower` and `starts` to the least of `upper` and `ends`.

    `extent` is the most iterations that it has.
    """

    op: loop.ForOp
    lower: AffineExpr
    upper: AffineExpr
    starts: Sequence[AffineExpr]
    ends: Sequence[AffineExpr]
    extent: int

    @property
    def shifts_inwards(self) -> bool:
        """Whether it will begin earlier in the last tile, so as to be as long as the others."""
        return loop.tail_of(self.op) is Tail.SHIFT_INWARDS and not self.starts

    @cached_property
    def is_never_empty(self) -> bool:
        """Whether it always has an iteration, also where tiles around it are longer."""
        sets = IterationSets(isl.Context())
        others = [*tiles_around(self.op)]
        around = sets.around(self.op, [one.op for one in others])
        around += [constraint for one in others for constraint in one.longest(sets)]
        lowers = sets.exprs([self.lower, *self.starts], self.op.operands_)
        uppers = sets.exprs([self.upper, *self.ends], self.op.operands_)
        sides = product(lowers, uppers)
        return sets.points([[*around, at_least(*one)] for one in sides]).set.is_empty()

    def extra(self, sets: IterationSets) -> list[list[Constraint]]:
        """The iterations that it lacks to be full: an alternative for each bound that cuts it."""
        values = self.op.operands_
        counter = sets.coordinate(self.op.induction_variable)
        missing = [more_than(start, counter) for start in sets.exprs(self.starts, values)]
        missing += [at_least(counter, end) for end in sets.exprs(self.ends, values)]
        return [[*self.longest(sets), one] for one in missing]

    def longest(self, sets: IterationSets) -> list[Constraint]:
        """The iterations of the full tile."""
        lower, upper = sets.exprs([self.lower, self.upper], self.op.operands_)
        counter = sets.coordinate(self.op.induction_variable)
        return [at_least(counter, lower), more_than(upper, counter)]

    def shifted(self, sets: IterationSets) -> list[Constraint]:
        """The iterations of a full tile that ends where this one does."""
        lower, upper, *ends = sets.exprs([self.lower, self.upper, *self.ends], self.op.operands_)
        counter = sets.coordinate(self.op.induction_variable)
        length = difference(upper, lower)
        early = [
            constraint
            for end in ends
            for constraint in (more_than(end, counter), at_least(counter, difference(end, length)))
        ]
        return [*early, *(more_than(upper, end) for end in ends)]

    def longer(self, others: Sequence[Tile]) -> Longer:
        """The iterations that it lacks, where other loops may run longer, too."""

        def extra(sets: IterationSets) -> list[list[Constraint]]:
            around = [constraint for other in others for constraint in other.longest(sets)]
            return [[*one, *around] for one in self.extra(sets)]

        return Longer([self.op, *(other.op for other in others)], extra)


def tile_of(op: loop.ForOp) -> Tile | None:
    """A loop as a tile; None if no pair of its bounds has a constant distance, or it has no others.

    The first two bounds that do are those of the tile.
    """
    starts, ends = [*op.lower.data.results], [*op.upper.data.results]
    if len(starts) == len(ends) == 1:
        return None
    bounds = product(enumerate(lower_bounds(op)), enumerate(upper_bounds(op)))
    for (first, lower), (last, upper) in bounds:
        extent = (upper - lower).as_constant()
        if extent is not None:
            return Tile(op, starts.pop(first), ends.pop(last), starts, ends, extent)
    return None


def tiles_around(op: Operation, with_own: bool = False) -> Iterator[Tile]:
    """The tiles in which an op is, from the innermost out; `with_own`, also the op."""
    own = [op] if with_own else []
    for outer in (*own, *ops_around(op)):
        if isinstance(outer, loop.ForOp) and (tile := tile_of(outer)) is not None:
            yield tile
