"""Reduce axes whose bounds are read from tensors, as those of the rows of a sparse matrix."""

from __future__ import annotations

from teloom.errors import Error
from teloom.frontend.expr.expressions import Bounded, Const, Expr, walk
from teloom.frontend.tensor.tensors import IterVar, Operation, Range, TensorSlice

ZERO = Const(0, "int32")


def is_from_data(axis: IterVar) -> bool:
    """Whether a bound of an axis is read from a tensor."""
    return axis.dom is not None and any(map(_is_read, axis.dom))


def _is_read(expr: Expr) -> bool:
    return any(isinstance(one, TensorSlice) for one in walk((expr,)))


def limits_of(axis: IterVar, op: Operation) -> Range:
    """Where an axis with bounds from data can be, by promises, or by what the axis subscripts.

    Raises `teloom.Error` if neither says it, and for bounds over another reduce axis.
    """
    assert axis.dom is not None
    for one in walk((*axis.dom,)):
        if isinstance(one, IterVar) and one.reduces:
            raise Error(
                f"the bounds of axis {axis} of {op.name!r} are read from data at the reduce axis "
                f"{one}; they can be over data axes only"
            )
    begin, end = _lower(axis.dom.min), _upper(axis.dom.end)
    if end is None:
        end = _extent_along(axis, op)
    if end is None:
        raise Error(
            f"the bounds of axis {axis} of {op.name!r} are read from data, and nothing is read at "
            f"{axis} itself: say where they lie, as in te.bounded({axis.dom.end}, 0, n + 1)"
        )
    return Range(begin, end if isinstance(begin, Const) and begin.value == 0 else end - begin)


def _lower(bound: Expr) -> Expr:
    """Where a lower bound is at least."""
    if isinstance(bound, Bounded):
        return bound.lower
    return ZERO if _is_read(bound) else bound


def _upper(bound: Expr) -> Expr | None:
    """Where an upper bound is at most; None if that is not said."""
    if isinstance(bound, Bounded):
        return bound.upper - 1
    return None if _is_read(bound) else bound


def _extent_along(axis: IterVar, op: Operation) -> Expr | None:
    """The extent of an axis of a tensor that is read at just this reduce axis."""
    for expr in walk((*op.body,)):
        if isinstance(expr, TensorSlice):
            for subscript, extent in zip(expr.indices, expr.tensor.extents, strict=True):
                if subscript is axis:
                    return extent
    return None
