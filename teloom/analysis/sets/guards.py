"""What must hold in a loop nest, beyond its bounds, for an iteration to compute something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import islpy as isl

from teloom.analysis.sets.conditions import conjunction, constraints_of
from teloom.analysis.sets.integer_sets import (
    SET,
    ZERO,
    Constraint,
    conjunction_of,
    more_than,
    set_of,
)
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import DIVISIONS, operations

OPERATIONS = 100_000
"""isl operations that it may take to simplify a guard: a tenth of a second."""


class Guard(NamedTuple):
    """A guard: one of `alternatives` must hold; `cover` is where the loops run."""

    alternatives: list[Conjunction]
    cover: isl.BasicSet


def guard(domain: isl.Set, cover: isl.BasicSet) -> Guard:
    """The guard for points of `domain` inside `cover`; without alternatives if none is needed."""
    if cover.to_set().is_subset(domain):
        return Guard([], cover)
    missing = domain.gist(cover.to_set()).coalesce().compute_divs()
    return Guard([conjunction_of(piece) for piece in missing.get_basic_sets()], cover)


def conditions_of(guard: Guard) -> list[list[Conjunction]]:
    """Conditions that all hold just where the guard does, as alternatives, without what is implied.

    A constraint is left out where isl proves that nothing changes without it, in `OPERATIONS`.
    """
    simple = _Guard(guard)
    try:
        with budget(guard.cover.get_ctx(), OPERATIONS):
            simple.drop_implied()
    except OverBudget:
        pass  # What is not dropped by now stays.
    return simple.conditions()


class _Guard:
    """A guard in the making: its alternatives lose constraints one by one."""

    def __init__(self, guard: Guard):
        self.cover = guard.cover
        self.alternatives = [constraints_of(one) for one in guard.alternatives]

    def drop_implied(self) -> None:
        """Leaves out alternatives, and constraints, without which the same points are left."""
        whole = self._union(self.alternatives)
        if whole.is_empty():
            return
        self._drop_alternatives()
        for one in self.alternatives:
            self._drop_constraints(one, whole)
        self._drop_alternatives()  # those that are wider by now may be around others

    def _drop_alternatives(self) -> None:
        """Leaves out those inside the union of the others, first what says most."""
        for one in sorted(self.alternatives, key=len, reverse=True):
            others = [other for other in self.alternatives if other is not one]
            if others and self._points(one).to_set().is_subset(self._union(others)):
                self.alternatives = others

    def _drop_constraints(self, one: list[Constraint], whole: isl.Set) -> None:
        """Leaves out what an alternative need not say for all to stay in `whole`."""
        # What is longest goes first, of constraints that imply each other.
        for constraint in sorted(one, key=_length, reverse=True):
            rest = [other for other in one if other is not constraint]
            if len(self.alternatives) == 1:
                dropped = self._is_implied(constraint, rest)
            else:
                dropped = self._points(rest).to_set().is_subset(whole)
            if dropped:
                one[:] = rest

    def _is_implied(self, constraint: Constraint, others: Sequence[Constraint]) -> bool:
        """Whether a constraint follows from others that are tested in no loop further in."""
        depth = _depth(constraint)
        outer = [other for other in others if _depth(other) <= depth]
        return all(self._points([*outer, one]).is_empty() for one in _opposites(constraint))

    def _points(self, constraints: Sequence[Constraint]) -> isl.BasicSet:
        context, count = self.cover.get_ctx(), self.cover.dim(SET)
        return set_of(context, count, constraints).intersect(self.cover)

    def _union(self, alternatives: Sequence[Sequence[Constraint]]) -> isl.Set:
        nothing = isl.Set.empty(self.cover.get_space())
        return reduce(isl.Set.union, (self._points(a).to_set() for a in alternatives), nothing)

    def conditions(self) -> list[list[Conjunction]]:
        """The constraints common to all alternatives, tested alone, and then the alternatives."""
        if not all(self.alternatives):
            return []
        first, *others = self.alternatives or [[]]
        common = [one for one in first if all(one in other for other in others)]
        rests = [[c for c in one if c not in common] for one in self.alternatives]
        parts = [[common]] if common else []
        parts += [rests] if rests and all(rests) else []
        return [[conjunction(one) for one in part] for part in parts]


def _opposites(constraint: Constraint) -> Iterator[Constraint]:
    """A constraint does not hold just where one of these does."""
    yield more_than(ZERO, constraint.expr)
    if constraint.is_equality:
        yield more_than(constraint.expr, ZERO)


def _depth(constraint: Constraint) -> int:
    """The innermost of the loops that a constraint depends on: dimensions are in their order."""
    return max(constraint.used_dims(), default=-1)


def _length(constraint: Constraint) -> tuple[int, int]:
    """Divisions, then all operations of an expression."""
    kinds = [operation.kind for operation in operations(constraint.expr)]
    return sum(kind in DIVISIONS for kind in kinds), len(kinds)
