"""Maps from points to time in isl's language: `{ C[i, j] -> [i + j, j] }`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import IN, OUT, at_least, map_of, more_than, set_of
from teloom.analysis.sets.inverses import meeting_of
from teloom.analysis.sets.pieces import PiecesError, in_one

PARAM = isl.dim_type.param


Sides = tuple[AffineExpr | None, AffineExpr | None]
"""The start and the end of an axis, over dimensions behind those of all axes: sizes. None is not
known."""


class Tuple(NamedTuple):
    """Points of a stage as a map to time calls them: `C[i, j]`; it may be `of_some` of them."""

    name: str
    axes: Sequence[str]
    sides: Sequence[Sides]
    of_some: bool = False

    def __str__(self) -> str:
        return f"{word(self.name)}[{', '.join(map(word, self.axes))}]"


_KEYWORDS = frozenset(
    "and ceil ceild exists false floor floord implies infinity infty max min mod nan not or rat "
    "true".split()
)
"""What isl takes for no name of a coordinate, in upper case, too."""


def word(name: str) -> str:
    """A name that isl can read back: of letters, digits and `_`, no number and no keyword."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if found.lower() in _KEYWORDS:
        return f"{found}_"
    return f"_{found}" if found[:1].isdigit() else found


class TimeMapError(Exception):
    """The text is no map of the points of a stage; the message says why."""


class TimeMap:
    """A map to time of the points of a stage, which are one of `tuples`.

    Raises TimeMapError for a text that is no map, and for one of other points.
    """

    def __init__(self, text: str, tuples: Sequence[Tuple]):
        try:
            self.map = found = isl.Map.read_from_str(isl.Context(), text)
        except isl.Error as error:
            reason = str(error).partition("failed: ")[2].rpartition(" in ")[0] or str(error)
            raise TimeMapError(f"it is no map in isl's language ({reason})") from None
        name, count = found.get_tuple_name(IN), found.dim(IN)
        given = Tuple(name or "", [found.get_dim_name(IN, k) or "_" for k in range(count)], ())
        fitting = (
            number
            for number, one in enumerate(tuples)
            if name in (None, one.name, word(one.name)) and len(one.axes) == count
        )
        number = next(fitting, None)
        if number is None:
            there = " or ".join(map(str, tuples))
            raise TimeMapError(f"it is a map of {given}, not of {there}")
        self.number, self.points = number, tuples[number]

    def times(self, sizes: Sequence[str] = ()) -> list[AffineExpr]:
        """The times of the points, over their axes and sizes.

        Parameters of the map are sizes, by their names. Raises TimeMapError for what is no
        function of all these points, for one that gives two of them the same times, and for pieces
        that are no single expression.
        """
        axes = self.points.sides
        found = _of_sizes(self.map.reset_tuple_id(IN), sizes)
        points = _points(found.get_ctx(), axes, len(sizes))
        timed = points.intersect(found.domain()) if self.points.of_some else points
        is_function = found.is_single_valued() and timed.is_subset(found.domain())
        if not is_function or (timed.is_empty() and not points.is_empty()):
            raise TimeMapError("it is no function of all points: one has no time, or several")
        inside = found.intersect_domain(points)
        has_sides = all(None not in side for side in axes)
        if has_sides:
            _check_injective(inside.move_dims(OUT, 0, IN, len(axes), len(sizes)), sizes)
        function = found.as_pw_multi_aff()
        if function.n_piece() > 1:
            # Only then: of an axis with one point, or none, isl makes no expression but a number.
            function = inside.as_pw_multi_aff()
        times = [_time(function, number, timed) for number in range(found.dim(OUT))]
        if has_sides and self.points.of_some:
            every = map_of(points, times)
            _check_injective(every.move_dims(OUT, 0, IN, len(axes), len(sizes)), sizes)
        return times


def _time(function: isl.PwMultiAff, number: int, points: isl.Set) -> AffineExpr:
    try:
        return in_one(function.get_pw_aff(number), points)
    except PiecesError as error:
        raise TimeMapError(f"time {number} {error}") from None


def _check_injective(graph: isl.Map, sizes: Sequence[str]) -> None:
    """Raises TimeMapError, with two points, for a map to sizes and times that is not injective."""
    if graph.is_injective():
        return
    met = meeting_of(graph, len(sizes))
    at = ", ".join(f"{size} = {number}" for size, number in zip(sizes, met.around, strict=True))
    raise TimeMapError(f"{met}{at and f', with {at}'}")


def _of_sizes(found: isl.Map, sizes: Sequence[str]) -> isl.Map:
    """The map with all sizes, in their order, as arguments behind the axes: no parameters."""
    given = [found.get_dim_name(PARAM, k) for k in range(found.dim(PARAM))]
    for name in given:
        if sizes.count(name) != 1:
            there = f"the program has {', '.join(sizes) or 'none'}"
            raise TimeMapError(f"it depends on {name}, which is no axis and no size: {there}")
    axes = found.dim(IN)
    for number, size in enumerate(sizes):
        if size in given:
            found = found.move_dims(IN, axes + number, PARAM, given.index(size), 1)
            given.remove(size)
        else:
            found = found.insert_dims(IN, axes + number, 1)
    return found


def _points(context: isl.Context, axes: Sequence[Sides], sizes: int) -> isl.Set:
    """The points of axes with these sides, for all sizes."""
    count = len(axes) + sizes
    inside = [at_least(AffineExpr.dimension(dim)) for dim in range(len(axes), count)]
    for dim, (start, end) in enumerate(axes):
        axis = AffineExpr.dimension(dim)
        inside += [] if start is None else [at_least(axis, start)]
        inside += [] if end is None else [more_than(end, axis)]
    return set_of(context, count, inside).to_set()
