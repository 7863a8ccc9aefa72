"""Conditions as constraints: such that hold together, and alternatives of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import SET, Constraint, at_least, more_than, set_of
from teloom.dialects.affine.conjunctions import Conjunction

Alternatives = Sequence[Sequence[Constraint]]
"""A disjunction of conjunctions of constraints."""

Condition = tuple[Alternatives, bool]
"""Alternatives, and whether one of them holds or none does."""


COMPARED: Mapping[str, Callable[[AffineExpr, AffineExpr], Alternatives]] = {
    "eq": lambda a, b: [[Constraint(a, True, b)]],
    "ne": lambda a, b: [[more_than(a, b)], [more_than(b, a)]],
    "slt": lambda a, b: [[more_than(b, a)]],
    "sle": lambda a, b: [[at_least(b, a)]],
    "sgt": lambda a, b: [[more_than(a, b)]],
    "sge": lambda a, b: [[at_least(a, b)]],
}
"""When a comparison of signed integers holds, by its predicate."""


def constraints_of(conjunction: Conjunction) -> list[Constraint]:
    """The constraints that hold together, equalities first."""
    zeros = [Constraint(expr, True) for expr in conjunction.equalities]
    return zeros + [at_least(expr) for expr in conjunction.inequalities]


def conjunction(constraints: Sequence[Constraint]) -> Conjunction:
    """Constraints as those of a condition."""
    return Conjunction(
        [one.expr for one in constraints if one.is_equality],
        [one.expr for one in constraints if not one.is_equality],
    )


def union(context: isl.Context, dims: int, alternatives: Alternatives) -> isl.Set:
    """The points of a space with `dims` dimensions that satisfy some alternative."""
    return reduce(isl.Set.union, (set_of(context, dims, one).to_set() for one in alternatives))


def where(points: isl.Set, conditions: Iterable[Condition]) -> isl.Set:
    """The points at which the conditions hold."""
    for alternatives, holds in conditions:
        found = union(points.get_ctx(), points.dim(SET), alternatives)
        points = points.intersect(found) if holds else points.subtract(found)
    return points
