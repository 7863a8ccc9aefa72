"""How many points a set has, where that is quick to find out."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import islpy as isl

from teloom.analysis.sets.integer_sets import IN, OUT, SET, non_negative
from teloom.analysis.sets.modes import OverBudget, budget

OPERATIONS = 200_000
"""isl operations that a count may take."""

SCANNED = 100_000
"""Points that a count may look at one by one: some tenths of a second."""


def count(points: isl.Set, sizes: int = 0) -> int | None:
    """The number of points of a set; None if it has no end or takes too long to count.

    The first `sizes` dimensions are sizes of a program: it is the number of points of the
    others, and None unless that is the same for all sizes.
    """
    try:
        with budget(points.get_ctx(), OPERATIONS):
            counts = [_of_piece(piece, sizes) for piece in _disjoint(points)]
    except OverBudget:
        return None
    known = [number for number in counts if number is not None]
    return sum(known) if len(known) == len(counts) else None


def _disjoint(points: isl.Set) -> list[isl.BasicSet]:
    """Disjoint basic sets, without divisions that are only known to exist."""
    return points.compute_divs().make_disjoint().compute_divs().get_basic_sets()


def _of_piece(piece: isl.BasicSet, sizes: int) -> int | None:
    """The number of points of a basic set: a product over dimensions that no constraint ties."""
    if piece.is_empty():
        return 0
    all_sizes = non_negative(piece.get_ctx(), sizes)
    if not piece.project_out(SET, sizes, piece.dim(SET) - sizes).is_equal(all_sizes):
        return None
    components = [part for part in _components(piece) if max(part) >= sizes]
    if any(min(part) < sizes for part in components):
        return None
    counts = [_of_component(piece, component) for component in components]
    known = [number for number in counts if number is not None]
    return prod(known) if len(known) == len(counts) else None


def _components(piece: isl.BasicSet) -> list[set[int]]:
    """The dimensions, together where a constraint ties them."""
    components = [{dim} for dim in range(piece.dim(SET))]
    for constraint in piece.get_constraints():
        tied = [dim for dim in range(piece.dim(SET)) if _involves(constraint, dim)]
        joined = [part for part in components if part.intersection(tied)]
        components = [part for part in components if part not in joined]
        components.append(set[int]().union(*joined))
    return [part for part in components if part]


def _involves(constraint: isl.Constraint, dim: int) -> bool:
    if constraint.involves_dims(SET, dim, 1):
        return True
    return constraint.get_aff().involves_dims(IN, dim, 1)


def _of_component(piece: isl.BasicSet, component: set[int]) -> int | None:
    for dim in reversed(range(piece.dim(SET))):
        if dim not in component:
            piece = piece.project_out(SET, dim, 1)
    points = piece.to_set()
    if len(list(_extents(points))) < len(component):
        return None
    if _scanned(points) > SCANNED:
        points = _without_functions(points)
    if _scanned(points) > SCANNED:
        return None
    return points.count_val().to_python()


def _scanned(points: isl.Set) -> int:
    """How many points isl looks at one by one: it goes through all but one of the dimensions."""
    return prod(sorted(_extents(points))[:-1])


def _without_functions(points: isl.Set) -> isl.Set:
    """A set of as many points, without dimensions that follow from others, as a tile's number.

    Where each of several is a function of the others, that goes without which least is scanned.
    """
    smaller = [
        points.project_out(SET, dim, 1)
        for dim in range(points.dim(SET))
        if points.dim(SET) > 1 and _is_function(points, dim)
    ]
    if not smaller:
        return points.compute_divs()
    return _without_functions(min(smaller, key=_scanned))


def _is_function(points: isl.Set, dim: int) -> bool:
    """Whether the others determine a dimension."""
    relation = isl.Map.from_range(points).move_dims(IN, 0, OUT, 0, dim)
    return relation.move_dims(IN, dim, OUT, 1, points.dim(SET) - 1 - dim).is_single_valued()


def _extents(points: isl.Set) -> Iterator[int]:
    """The extents of the dimensions that have an end on both sides."""
    for dim in range(points.dim(SET)):
        least, greatest = points.dim_min_val(dim), points.dim_max_val(dim)
        if least.is_int() and greatest.is_int():
            yield greatest.to_python() - least.to_python() + 1
