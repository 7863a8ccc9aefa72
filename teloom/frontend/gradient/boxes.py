"""Reduce axes with bounds over other axes, as axes of a box and conditions."""

from __future__ import annotations

import math
from collections.abc import Callable

from teloom.errors import Error
from teloom.frontend.expr.expressions import Const, Expr, cast
from teloom.frontend.gradient.subscripts import limits
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.data_bounds import is_from_data, is_from_point, limits_of
from teloom.frontend.tensor.shape_forms import distance, greatest, least
from teloom.frontend.tensor.tensors import IterType, IterVar, Operation, Range


def boxes_of(op: Operation) -> tuple[dict[IterVar, IterVar], list[Expr]]:
    """For each such axis one that is as long as it ever is, and the conditions where these count.

    Raises `teloom.Error` for bounds between which there is no known number of positions.
    """
    boxes: dict[IterVar, IterVar] = {}
    conditions: list[Expr] = []
    for axis in filter(is_from_point, op.reduce_axis):
        assert axis.dom is not None
        over = Substitution({**boxes}, {})
        begin, end = over.of(axis.dom.min), over.of(axis.dom.end)
        box = limits_of(axis, op) if is_from_data(axis) else _box(begin, end)
        if box is None:
            raise Error(
                f"the gradient goes through {op.name!r}, whose reduce axis {axis} has bounds over "
                "other axes, between which there is no known number of positions"
            )
        boxes[axis] = found = IterVar(axis.name, box, IterType.COMM_REDUCE)
        # In 64 bits, so that loops run between the bounds, see `narrow-loops`: they are shorter.
        place, begin, end = (cast(one, "int64") for one in (found, begin, end))
        conditions += [place >= begin, place < end]
    return boxes, conditions


def _box(begin: Expr, end: Expr) -> Range | None:
    """All positions that there ever are between two bounds; None if they are not known."""
    first, last = _limit(begin, least, 0), _limit(end, greatest, 1)
    if first is None or last is None:
        return None
    extent = distance(last, first)
    if isinstance(extent, Const):
        extent = Const(max(0, int(extent.value)), extent.dtype)
    return Range(first, last - first if extent is None else extent)


def _limit(bound: Expr, of: Callable[[Expr], Expr | None], side: int) -> Expr | None:
    """The least or greatest value of a bound, over sizes; None if it is not known."""
    found = of(bound)
    if found is None and not math.isinf(number := limits(bound)[side]):
        found = Const(int(number), bound.dtype)
    return found
