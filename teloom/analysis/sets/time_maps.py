"""Maps from points to time in isl's language: `{ C[i, j] -> [i + j, j] }`."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import IN, OUT, Constraint, at_least, expr_of_aff, set_of

PARAM = isl.dim_type.param


Sides = tuple[int | None, int | None]
"""The start and the extent of an axis; None is symbolic."""


class TimeMapError(Exception):
    """A text that is no map of the points of a stage; says why."""


def time_map(text: str, name: str, axes: Sequence[Sides]) -> list[AffineExpr]:
    """The times of the points of a stage `name`, over its axes, which have these sides.

    Raises TimeMapError for what is no function of all these points, and
    for one in several pieces.
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
    if found.dim(PARAM):
        raise TimeMapError(f"it depends on {found.get_dim_name(PARAM, 0)}, which is no axis")
    points = _points(context, axes)
    if not found.is_single_valued() or not points.is_subset(found.reset_tuple_id(IN).domain()):
        raise TimeMapError("it is no function of all points: one has no time, or several")
    pieces: list[isl.MultiAff] = []
    function = found.reset_tuple_id(IN).intersect_domain(points).as_pw_multi_aff()
    function.foreach_piece(lambda _, piece: pieces.append(piece))
    if len(pieces) > 1:
        raise TimeMapError(f"it has {len(pieces)} pieces; one expression per time is a loop")
    return [expr_of_aff(pieces[0].get_aff(k)) for k in range(found.dim(OUT))] if pieces else []


def _points(context: isl.Context, axes: Sequence[Sides]) -> isl.Set:
    """The points of axes with these sides."""
    inside: list[Constraint] = []
    for dim, (start, extent) in enumerate(axes):
        axis = AffineExpr.dimension(dim)
        if start is not None:
            inside.append(at_least(axis, AffineExpr.constant(start)))
        if start is not None and extent is not None:
            inside.append(at_least(AffineExpr.constant(start + extent - 1), axis))
    return set_of(context, len(axes), inside).to_set()
