"""Stages that are stored in loops further out than they are computed.

What an iteration of the loops between has computed is there for the next ones, so that
each element is computed where it is first needed. It lives from there to where it is last
read; elements that do not live at the same time can share memory.

All sets are over the values around a stage, and then its data axes. Of the values, `inner`
are the loops between, in the order in which they are nested, and what follows from those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import IN, OUT, SET, Constraint, between, extreme, set_of

Folds = Mapping[int, int]
"""Axes that are folded, each by a factor."""


def first_needed(needed: isl.Set, inner: Sequence[int]) -> isl.Set:
    """The elements that no earlier iteration of the loops between needs."""
    when = extreme(_iterations_of(needed, inner), isl.Map.lexmin)
    moved = [*inner]
    for dim in sorted(inner):
        when = when.move_dims(IN, dim, OUT, moved.index(dim), 1)
        moved.remove(dim)
    return when.domain()


def of_all_iterations(elements: isl.Set, inner: Sequence[int]) -> isl.Set:
    """The elements of all iterations of the loops between, at each of these."""
    for dim in inner:
        elements = elements.project_out(SET, dim, 1).insert_dims(SET, dim, 1)
    return elements


def _iterations_of(elements: isl.Set, inner: Sequence[int]) -> isl.Map:
    """The iterations of the loops between, by element."""
    when = isl.Map.from_domain(elements)
    for moved, dim in enumerate(inner):
        before = sum(other < dim for other in inner[:moved])
        when = when.move_dims(OUT, moved, IN, dim - before, 1)
    return when


class Clash(NamedTuple):
    """Two elements that live at the same time, and the values around both."""

    around: list[int]
    one: list[int]
    other: list[int]


class UnknownLifetimesError(Exception):
    """It is not known when elements are first or last needed; the text says why."""


class Lifetimes:
    """Which elements of a stage live at the same time, from when they are first written.

    Raises `UnknownLifetimesError` where that is not known.
    """

    def __init__(self, written: isl.Set, read: isl.Set, inner: Sequence[int], axes: int):
        self.axes = axes
        self.around = written.dim(SET) - len(inner) - axes
        try:
            begin = extreme(_iterations_of(written.coalesce(), inner), isl.Map.lexmin).coalesce()
            needed = written.union(read).coalesce()
            end = extreme(_iterations_of(needed, inner), isl.Map.lexmax).coalesce()
        except isl.Error as error:
            raise UnknownLifetimesError(_why_unknown(error)) from None
        order = isl.Map.lex_le(begin.range().get_space())
        begins_in_time = begin.apply_range(order).apply_range(end.reverse())
        for dim in range(self.around):
            begins_in_time = begins_in_time.equate(IN, dim, OUT, dim)
        self._together = begins_in_time.intersect(begins_in_time.reverse()).coalesce()
        distances = self._together.deltas().project_out(SET, 0, self.around)
        self._distances = distances.subtract(isl.Set.from_point(isl.Point.zero(distances.space)))

    def smallest_factor(self, axis: int, folds: Folds) -> int | None:
        """The least factor by which an axis can be folded, where others are; None if none can."""
        distances = self._along(axis, folds)
        for other in reversed(range(self.axes)):
            if other != axis:
                distances = distances.project_out(SET, other, 1)
        if distances.is_empty():
            return 1
        longest = distances.dim_max_val(0)
        if not longest.is_int():
            return None
        length = longest.to_python()
        all_of_them = between(AffineExpr.dimension(0) + -1, AffineExpr.constant(length))
        if set_of(distances.get_ctx(), 1, all_of_them).to_set().is_subset(distances):
            return length + 1
        return next(
            factor
            for factor in range(1, length + 2)
            if distances.intersect(_multiples(distances, 0, factor)).is_empty()
        )

    def clash(self, axis: int, factor: int, folds: Folds) -> Clash | None:
        """Two elements of one address, where an axis is folded by a factor and others are."""
        distances = self._along(axis, folds)
        distances = distances.intersect(_multiples(distances, axis, factor))
        if distances.is_empty():
            return None
        distances = distances.insert_dims(SET, 0, self.around)
        pairs = self._together.deltas_map().intersect_range(distances).domain().flatten()
        point = pairs.lexmin().sample_point()
        count = self.around + self.axes
        numbers = [point.get_coordinate_val(SET, k).to_python() for k in range(2 * count)]
        return Clash(numbers[: self.around], numbers[self.around : count], numbers[-self.axes :])

    def _along(self, axis: int, folds: Folds) -> isl.Set:
        """The distances of elements that differ along one axis, and in others only by folding."""
        distances = self._distances
        for other in range(self.axes):
            if other in folds:
                distances = distances.intersect(_multiples(distances, other, folds[other]))
            elif other != axis:
                distances = distances.fix_val(SET, other, 0)
        return distances


def _why_unknown(error: isl.Error) -> str:
    if "unbounded" in str(error):
        return "how far a loop between runs is not affine, for an extent is symbolic"
    return f"isl fails: {str(error).partition(' in /')[0]}"


def _multiples(distances: isl.Set, axis: int, factor: int) -> isl.Set:
    """The distances that are a multiple of a factor along an axis."""
    rest = Constraint(AffineExpr.dimension(axis) % factor, True)
    return set_of(distances.get_ctx(), distances.dim(SET), [rest]).to_set()
