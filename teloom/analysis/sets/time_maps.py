"""Maps from points to time in isl's language: `{ C[i, j] -> [i + j, j] }`."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import IN, OUT, at_least, expr_of_aff, more_than, set_of

PARAM = isl.dim_type.param


Sides = tuple[AffineExpr | None, AffineExpr | None]
"""The start and the end of an axis, over dimensions behind those of all axes: sizes. None is not
known."""


class TimeMapError(Exception):
    """A text that is no map of the points of a stage; says why."""


def time_map(
    text: str, name: str, axes: Sequence[Sides], sizes: Sequence[str] = ()
) -> list[AffineExpr]:
    """The times of the points of a stage `name`, over its axes, which have these sides, and sizes.

    Parameters of the map are sizes, by their names. Raises TimeMapError for what is no function of
    all these points, and for one in several pieces.
    """
    context = isl.Context()
    try:
        found = isl.Map.read_from_str(context, text)
    except isl.Error as error:
        reason = str(error).partition("failed: ")[2].rpartition(" in ")[0] or str(error)
        raise TimeMapError(f"it is no map in isl's language ({reason})") from None
    if (of := found.get_tuple_name(IN) or name) != name:
        raise TimeMapError(f"it is a map of {of}")
    if found.dim(IN) != len(axes):
        raise TimeMapError(f"it is a map of {found.dim(IN)} axes, not of {len(axes)}")
    found = _of_sizes(found.reset_tuple_id(IN), sizes)
    points = _points(context, axes, len(sizes))
    if not found.is_single_valued() or not points.is_subset(found.domain()):
        raise TimeMapError("it is no function of all points: one has no time, or several")
    pieces = _pieces(found)
    if len(pieces) > 1:
        # Only then: of an axis with one point, or none, isl makes no expression but a number.
        pieces = _pieces(found.intersect_domain(points))
    if len(pieces) != 1:
        raise TimeMapError(f"it has {len(pieces)} pieces; one expression per time is a loop")
    return [expr_of_aff(pieces[0].get_aff(k)) for k in range(found.dim(OUT))]


def _pieces(function: isl.Map) -> list[isl.MultiAff]:
    """The expressions of a function, for each piece of its domain."""
    pieces: list[isl.MultiAff] = []
    function.as_pw_multi_aff().foreach_piece(lambda _, piece: pieces.append(piece))
    return pieces


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
