"""Stages that are stored in loops further out than they are computed.

What one iteration of the loops between has computed is there for the next ones, so each element
is computed only where it is first needed. It is live from there to its last read; elements that
are not live at the same time can share memory.

All sets are over the values around a stage, and then its data axes. `inner` are those of the
values that are loops between, from the outermost in, and values that follow from these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import (
    IN,
    OUT,
    SET,
    Constraint,
    between,
    extreme,
    first_of,
    flat_set,
    set_of,
)
from teloom.analysis.sets.points import Name, Points

Folds = Mapping[int, int]
"""The factor of each axis that is folded."""


def first_needed(needed: Points, inner: Sequence[Name]) -> Points:
    """The elements that no earlier iteration of the loops between needs."""
    others = [name for name in needed.names if name not in inner]
    when = extreme(needed.relation(inner), isl.Map.lexmin)
    return Points([*others, *inner], flat_set(when)).over(needed.names)


class _Next(Enum):
    """The name of the value of a loop in its next iteration."""

    VALUE = auto()


def with_the_rest(needed: Points, box: Points, inner: Sequence[Name]) -> Points:
    """What iterations need, and the rest of the boxes around it if the next one needs that.

    So a row that is needed in two parts, one after the other, is computed as a whole.
    """
    rest, loop = box.subtract(needed), inner[-1]
    if rest.set.is_empty():
        return needed
    later = needed.renamed([loop], [_Next.VALUE]).over([*needed.names, _Next.VALUE])
    step = Constraint(later.dim(_Next.VALUE), True, later.dim(loop), 1)
    soon = later.where(step).over(needed.names)
    return box if rest.set.is_subset(soon.set) else needed


def of_all_iterations(elements: Points, inner: Sequence[Name]) -> Points:
    """The elements of all iterations of the loops between together, at each of these iterations."""
    return elements.without(inner).over(elements.names)


class Clash(NamedTuple):
    """Two elements that are live at the same time, and the values around both."""

    around: list[int]
    one: list[int]
    other: list[int]


class UnknownLifetimesError(Exception):
    """The iterations that need an element first or last are not known; the text says why."""


class Lifetimes:
    """The elements of a stage that are live at the same time.

    Raises `UnknownLifetimesError` if the first or last need of an element is not known.
    """

    def __init__(self, written: Points, read: Points, inner: Sequence[Name], axes: int):
        self.axes = axes
        self.around = len(written.names) - len(inner) - axes
        try:
            begin = _extreme(written, inner, isl.Map.lexmin)
            end = _extreme(written.union(read), inner, isl.Map.lexmax)
        except isl.Error as error:
            raise UnknownLifetimesError(_why_unknown(error)) from None
        order = isl.Map.lex_le(begin.range().get_space())
        begins_in_time = begin.apply_range(order).apply_range(end.reverse())
        for dim in range(self.around):
            begins_in_time = begins_in_time.equate(IN, dim, OUT, dim)
        # The pieces of pairs are many; those of distances are few, once they are joined.
        begins_in_time = begins_in_time.coalesce()
        self._together = begins_in_time.intersect(begins_in_time.reverse())
        distances = self._together.deltas().project_out(SET, 0, self.around).coalesce()
        self._distances = distances.subtract(isl.Set.from_point(isl.Point.zero(distances.space)))

    def smallest_factor(self, axis: int, folds: Folds) -> int | None:
        """The least factor by which an axis can be folded, with others; None if there is none."""
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
        """Two live elements at one address, if an axis is folded by a factor, with others."""
        distances = self._along(axis, folds)
        distances = distances.intersect(_multiples(distances, axis, factor))
        if distances.is_empty():
            return None
        distances = distances.insert_dims(SET, 0, self.around)
        pairs = self._together.deltas_map().intersect_range(distances).domain().flatten()
        count, numbers = self.around + self.axes, first_of(pairs)
        return Clash(numbers[: self.around], numbers[self.around : count], numbers[-self.axes :])

    def _along(self, axis: int, folds: Folds) -> isl.Set:
        """The distances along one axis of live elements that folding joins along all others."""
        distances = self._distances
        for other in range(self.axes):
            if other in folds:
                distances = distances.intersect(_multiples(distances, other, folds[other]))
            elif other != axis:
                distances = distances.fix_val(SET, other, 0)
        return distances


def _extreme(points: Points, inner: Sequence[Name], end: Callable[[isl.Map], isl.Map]) -> isl.Map:
    """The first or the last iteration of the loops between, for each element."""
    points = points._replace(set=points.set.coalesce())
    return extreme(points.relation(inner), end).coalesce()


def _why_unknown(error: isl.Error) -> str:
    if "unbounded" in str(error):
        return "how far a loop between runs is not affine, for an extent is symbolic"
    return f"isl fails: {str(error).partition(' in /')[0]}"


def _multiples(distances: isl.Set, axis: int, factor: int) -> isl.Set:
    """The distances that are a multiple of a factor along an axis."""
    rest = Constraint(AffineExpr.dimension(axis) % factor, True)
    return set_of(distances.get_ctx(), distances.dim(SET), [rest]).to_set()
