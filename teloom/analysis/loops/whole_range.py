"""The consecutive iterations of a loop in which conditions inside of it always hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, product
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AnyIterationForms
from teloom.analysis.loops.iteration_sets import IterationSets, is_inside
from teloom.analysis.loops.tiles import tiles_around
from teloom.analysis.sets.conditions import Alternatives
from teloom.analysis.sets.integer_sets import (
    Constraint,
    aff_of,
    at_least,
    bounds_on,
    more_than,
    with_known_divisions,
)
from teloom.analysis.sets.points import Points
from teloom.dialects import loop
from teloom.dialects.affine.linear_forms import difference


class IterationRange(NamedTuple):
    """Iterations from the largest of `lower` to the least of `upper`; at most `most` of them.

    `most` is None where no number is known.
    """

    lower: Sequence[AffineExpr]
    upper: Sequence[AffineExpr]
    most: int | None


class LoopParts(NamedTuple):
    """The iterations of a loop, in order, over `values`; a part that is None has none.

    Those `between` are before the whole ones, which end before these: there are none then. A size
    says whether there are such, as in an image with both borders in its only tile.
    """

    before: IterationRange | None
    between: IterationRange | None
    whole: IterationRange
    behind: IterationRange | None
    values: Sequence[SSAValue]

    @property
    def _others(self) -> list[IterationRange]:
        return [part for part in (self.before, self.behind) if part is not None]

    @property
    def number(self) -> int:
        """How many parts there are."""
        return 1 + len(self._others) + (self.between is not None)

    @property
    def without_between(self) -> LoopParts:
        """The same with all iterations in front of the whole ones in one part."""
        if self.before is None or self.between is None:
            return self
        return self._replace(before=self.before._replace(upper=self.between.upper), between=None)

    @property
    def left_over(self) -> int | None:
        """The most iterations that are not whole; None if there is no limit."""
        found = [part.most for part in self._others if part.most is not None]
        return sum(found) if len(found) == len(self._others) else None


class LoopRange:
    """The iterations of a loop in which each condition that is tested inside has a known answer.

    `parts` are the iterations before, in and behind the range, once it was narrowed. It is None if
    the range is not known to be an interval: isl may describe an interval by several pieces.
    """

    parts: LoopParts | None = None

    def __init__(self, op: loop.ForOp, context: isl.Context, inner: Operation | None = None):
        """All iterations, or those in which an op `inner` of the loop may run."""
        self.op = op
        self._sets = sets = IterationSets(context, AnyIterationForms())
        around, every = _alternatives(sets, op), _alternatives(sets, op, with_own=True)
        self._lowers = sets.exprs(op.lower.data.results, op.operands_)
        self._uppers = sets.exprs(op.upper.data.results, op.operands_)
        self._around = sets.points(around)
        self._all = sets.points(every)
        if inner is not None:
            runs = sets.points(_alternatives(sets, inner))
            self._all = self._all.intersect(runs.without(self._inner(runs).values()))
        self._whole = self._all

    @property
    def narrowed(self) -> bool:
        """Whether there are iterations outside of the range."""
        return self._whole is not self._all

    def failing(
        self, op: Operation, condition: Callable[[IterationSets], Alternatives], answer: bool
    ) -> Points:
        """The iterations in which a condition, asked by `op`, may have another answer."""
        sets = self._sets.another()
        around, asked = _alternatives(sets, op), condition(sets)
        holds = sets.points(asked)
        inner = self._inner(holds)
        runs = sets.points([_about(one, asked, inner.keys()) for one in around])
        wrong = runs.subtract(holds) if answer else runs.intersect(holds)
        wrong = wrong.without(inner.values())
        return wrong._replace(set=with_known_divisions(wrong.set))

    def _inner(self, points: Points) -> dict[int, SSAValue]:
        """The coordinates that are values from inside the loop, by their dimensions."""
        return {
            dim: name
            for dim, name in enumerate(points.names_of(SSAValue))
            if name is not self.op.induction_variable and is_inside(name, self.op)
        }

    def can_fail(self, failing: Points) -> bool:
        """Whether a condition may fail in an iteration that is still whole."""
        return not self._whole.intersect(failing).set.is_empty()

    def most_of(self, some: Points) -> int | None:
        """The most of some iterations, from the first to the last of them; None if unbounded."""
        counter, last = self.op.induction_variable, "last"
        first = self._whole.intersect(some)
        pairs = first.intersect(first.renamed([counter], [last]))
        return _most(pairs, [difference(pairs.dim(last), pairs.dim(counter))])

    def without(self, failing: Points) -> LoopRange:
        """A copy of the range, without these iterations."""
        found = LoopRange.__new__(LoopRange)
        found.__dict__.update(self.__dict__)
        every, failing = self._all.with_those_of(failing)
        found._all = every.intersect(self._known_of(every.names))
        found._around = self._around.over(every.names)
        found._whole = self._whole.over(every.names).intersect(found._all).subtract(failing)
        # Computed once: the number of pieces that isl finds depends on its earlier operations on
        # the set.
        found.parts = found._divided_in_parts()
        return found

    def _known_of(self, names: Sequence[Hashable]) -> Points:
        """What is known of coordinates by themselves, as of minima: pieces are not for that."""
        sets = self._sets.another()
        for name in names:
            sets.coordinate(name)
        return sets.points([[]]).over(names)

    def _divided_in_parts(self) -> LoopParts | None:
        pieces = self._whole.set.coalesce().get_basic_sets()
        if len(pieces) != 1:
            return None
        counter = self._all.dim(self.op.induction_variable)
        first: list[AffineExpr] = []
        end: list[AffineExpr] = []
        for bound in bounds_on(pieces[0].remove_redundancies(), counter.position):
            if bound.is_lower:
                lower = _divided(bound.numerator + (bound.denominator - 1), bound.denominator)
                if self._has(more_than(lower, counter)):
                    first.append(lower)
            if bound.is_upper:
                upper = _divided(bound.numerator + bound.denominator, bound.denominator)
                if self._has(at_least(counter, upper)):
                    end.append(upper)
        inside = [*(at_least(counter, e) for e in first), *(more_than(e, counter) for e in end)]
        is_interval = self._all.where(*inside).set.is_subset(self._whole.set)
        if len(first) > 1 or len(end) > 1 or not is_interval:
            return None
        return self._between(*(one[0] if one else None for one in (first, end)))

    def _between(self, first: AffineExpr | None, end: AffineExpr | None) -> LoopParts:
        counter = self._all.dim(self.op.induction_variable)
        before = between = behind = None
        lowers, uppers = self._lowers, self._uppers
        if first is not None:
            distances = [difference(counter, one) for one in lowers]
            most = _most(self._all.where(more_than(first, counter)), distances)
            before = IterationRange(lowers, self._least(first, uppers), most)
            if end is not None and self._has(more_than(first, counter), at_least(counter, end)):
                between = before._replace(lower=self._largest(end, lowers))
                before = before._replace(upper=self._least(first, self._least(end, uppers)))
            lowers = self._largest(first, lowers)
        whole_uppers = uppers
        if end is not None:
            distances = [difference(one, counter) + -1 for one in uppers]
            most = _most(self._all.where(at_least(counter, end)), distances)
            behind = IterationRange(self._largest(end, lowers), uppers, most)
            whole_uppers = self._least(end, uppers)
        whole = IterationRange(lowers, whole_uppers, None)
        return LoopParts(before, between, whole, behind, self._all.names)

    def _has(self, *constraints: Constraint) -> bool:
        """Whether an iteration of the loop fulfils the constraints."""
        return not self._all.where(*constraints).set.is_empty()

    def _may_be(self, constraint: Constraint) -> bool:
        return not self._around.where(constraint).set.is_empty()

    def _largest(self, expr: AffineExpr, others: Sequence[AffineExpr]) -> list[AffineExpr]:
        """`expr`, and those of the others that may be larger."""
        return [expr, *(one for one in others if self._may_be(more_than(one, expr)))]

    def _least(self, expr: AffineExpr, others: Sequence[AffineExpr]) -> list[AffineExpr]:
        """`expr`, and those of the others that may be less."""
        return [expr, *(one for one in others if self._may_be(more_than(expr, one)))]


def _most(points: Points, distances: Sequence[AffineExpr]) -> int | None:
    """The most iterations, by `distances` from the first to the last one; None if unbounded."""
    if points.set.is_empty():
        return 0
    found = [points.set.max_val(aff_of(one, points.set.get_space())) for one in distances]
    return min((1 + one.to_python() for one in found if one.is_int()), default=None)


def _alternatives(
    sets: IterationSets, op: Operation, with_own: bool = False
) -> list[list[Constraint]]:
    """Alternatives that hold where `op` runs, also in tiles that are going to begin earlier.

    With `with_own`, they are of the iterations of the loop `op`.
    """
    tiles = tiles_around(op, with_own)
    shifted = [tile for tile in tiles if tile.shifts_inwards]
    loops = [tile.op for tile in shifted]
    around = sets.around(op, loops)
    if isinstance(op, loop.ForOp) and with_own and op not in loops:
        around += sets.iterations(op)
    own = [([*sets.iterations(tile.op)], tile.shifted(sets)) for tile in shifted]
    return [[*around, *chain.from_iterable(chosen)] for chosen in product(*own)]


def _about(
    constraints: Sequence[Constraint], condition: Alternatives, inner: AbstractSet[int]
) -> list[Constraint]:
    """The constraints on the coordinates that a condition mentions, directly or through others.

    Constraints on other loops and sizes are left out: they would only split the iterations further.
    """
    about = {dim for one in condition for constraint in one for dim in constraint.used_dims()}
    remaining, found = [(one, one.used_dims()) for one in constraints], list[Constraint]()
    while True:
        said = [(one, used) for one, used in remaining if (used & inner or used) & about]
        if not said:
            return found
        found += [one for one, _ in said]
        remaining = [one for one in remaining if one not in said]
        about = about.union(*(used for _, used in said))


def _divided(expr: AffineExpr, divisor: int) -> AffineExpr:
    return expr if divisor == 1 else expr // divisor
