"""Loops that run as long as the tiles of a split, or end where the axis ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import islpy as isl
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.extents import lower_bounds, upper_bounds
from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Longer
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects import loop
from teloom.dialects.affine.linear_forms import difference


@dataclass(frozen=True, eq=False)
class Tile:
    """A loop that runs from `lower` to the least of `upper` and `ends`.

    `extent` is the most iterations that it has.
    """

    op: loop.ForOp
    lower: AffineExpr
    upper: AffineExpr
    ends: Sequence[AffineExpr]
    extent: int

    @cached_property
    def is_never_empty(self) -> bool:
        """Whether it always has an iteration, also where tiles around it are longer."""
        sets = IterationSets(isl.Context())
        others = [*tiles_around(self.op)]
        around = sets.around(self.op, [one.op for one in others])
        around += [constraint for one in others for constraint in one.longest(sets)]
        (lower,) = sets.exprs([self.lower], self.op.operands_)
        ends = sets.exprs(self.ends, self.op.operands_)
        return sets.points([[*around, at_least(lower, end)] for end in ends]).set.is_empty()

    def extra(self, sets: IterationSets) -> list[list[Constraint]]:
        """The iterations that it lacks to be full: an alternative for each end that cuts it."""
        values = self.op.operands_
        counter = sets.coordinate(self.op.induction_variable)
        longest, ends = self.longest(sets), sets.exprs(self.ends, values)
        return [[*longest, at_least(counter, end)] for end in ends]

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
    """A loop as a tile; None if no pair of its bounds has a constant distance.

    The first upper bound that does is that of the tile; the others are its ends.
    """
    if len(op.lower.data.results) != 1 or len(op.upper.data.results) < 2:
        return None
    (lower,) = lower_bounds(op)
    extents = [(upper - lower).as_constant() for upper in upper_bounds(op)]
    known = (pair for pair in enumerate(extents) if pair[1] is not None)
    number, extent = next(known, (0, None))
    if extent is None:
        return None
    uppers = [*op.upper.data.results]
    upper = uppers.pop(number)
    return Tile(op, op.lower.data.results[0], upper, uppers, extent)


def tiles_around(op: Operation, with_own: bool = False) -> Iterator[Tile]:
    """The tiles in which an op is, from the innermost out; `with_own`, also the op."""
    outer = op if with_own else op.parent_op()
    while outer is not None:
        if isinstance(outer, loop.ForOp) and (tile := tile_of(outer)) is not None:
            yield tile
        outer = outer.parent_op()
