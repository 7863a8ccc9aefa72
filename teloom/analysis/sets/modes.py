"""How exactly a region is computed: as it is, as a convex hull, or as a box.

A union of many pieces can take isl very long. Its work is counted in operations, not
in seconds: a budget makes the choice between the modes the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import box_around
from teloom.analysis.sets.integer_sets import (
    SET,
    inside,
    set_of,
    simple_hull,
    with_known_divisions,
    without_divisions,
)
from teloom.dialects.schedule import Mode

_Found = TypeVar("_Found")
_Other = TypeVar("_Other")

MOST_PIECES = 8
"""Of a region; each further one may double the time."""


class OverBudget(Exception):
    """A computation took more isl operations than it may."""


@contextmanager
def budget(context: isl.Context, operations: int) -> Iterator[None]:
    """Raises `OverBudget` once more than `operations` are spent inside; 0 is no limit.

    A context counts the operations of all that uses it: each analysis has one of its own, and
    no budget stands inside another.
    """
    assert not context.get_max_operations(), "a budget inside a budget"
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        yield
    except Exception:
        # Past its limit isl fails at every step, and in more ways than by isl.Error.
        if _is_spent(context):
            raise OverBudget from None
        raise
    else:
        if _is_spent(context):
            raise OverBudget
    finally:
        context.reset_operations()
        context.set_max_operations(0)


def found_in_time(
    context: isl.Context, operations: int, find: Callable[[], _Found], otherwise: _Other
) -> _Found | _Other:
    """What is found; something else where that takes more isl `operations`."""
    try:
        with budget(context, operations):
            return find()
    except OverBudget:
        return otherwise


def _is_spent(context: isl.Context) -> bool:
    """Whether the operations are used up: then isl does not even make a number."""
    try:
        isl.Val.int_from_si(context, 0)
    except isl.Error:
        return True
    return False


def approximated(
    region: isl.Set, mode: Mode, tensor: isl.BasicSet, dims: Sequence[int], sizes: int
) -> isl.Set:
    """`region`, or a set around it, inside `tensor`, that is easier to deal with.

    `dims` are the axes of the tensor, the last dimensions; `sizes` counts the leading
    dimensions that do not change while a program runs.
    """
    if mode is Mode.EXACT:
        return region.coalesce()
    hull = convex(region, tensor, dims)
    if mode is Mode.HULL:
        return hull.to_set()
    constraints = inside(map(AffineExpr.dimension, dims), box_around(hull, tensor, dims, sizes))
    return set_of(region.get_ctx(), region.dim(SET), constraints).intersect(tensor).to_set()


def approximated_by_piece(
    region: isl.Set, mode: Mode, tensor: isl.BasicSet, dims: Sequence[int], sizes: int
) -> isl.Set:
    """`approximated` on each piece of `region` that has elements.

    It gives that of all of it where there are too many pieces.
    """
    pieces = region.coalesce().get_basic_sets()
    if not 1 <= len(pieces) <= MOST_PIECES or not dims:
        return approximated(region, mode, tensor, dims, sizes)
    found = isl.Set.empty(region.get_space())
    for piece in pieces:
        places = convex(piece.to_set(), tensor, dims).project_out(SET, dims[0], len(dims))
        here = without_divisions(places, ()).add_dims(SET, len(dims)).intersect(tensor)
        found = found.union(approximated(piece.to_set(), mode, here, dims, sizes))
    return found


def convex(region: isl.Set, tensor: isl.BasicSet, dims: Sequence[int]) -> isl.BasicSet:
    """A convex set around `region`, inside `tensor`, without divisions of `dims`."""
    # Without this a column of a fused axis, known by its row, stays a remainder, and is dropped.
    region = with_known_divisions(region).detect_equalities()
    if not region.get_basic_sets():
        return isl.BasicSet.empty(region.get_space())
    return without_divisions(simple_hull(region), dims).intersect(tensor)
