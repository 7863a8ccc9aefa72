"""Reduce axes with bounds over other axes, as axes of a box and conditions."""

from __future__ import annotations

import math

from teloom.errors import Error
from teloom.frontend.expr.expressions import Const, Expr
from teloom.frontend.gradient.subscripts import limits
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.data_bounds import is_from_point
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
        least, greatest = limits(begin)[0], limits(end)[1]
        if math.isinf(greatest - least):
            raise Error(
                f"the gradient goes through {op.name!r}, whose reduce axis {axis} has bounds over "
                "other axes or data, between which there is no known number of positions"
            )
        ends = int(least), max(0, int(greatest - least))
        box = Range(*(Const(one, begin.dtype) for one in ends))
        boxes[axis] = found = IterVar(axis.name, box, IterType.COMM_REDUCE)
        conditions += [found >= begin, found < end]
    return boxes, conditions
