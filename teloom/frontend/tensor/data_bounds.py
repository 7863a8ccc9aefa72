"""Reduce axes whose bounds are read from tensors, as those of the rows of a sparse matrix."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.linear_forms import linear_terms
from teloom.errors import Error
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Bounded, Const, Expr, walk
from teloom.frontend.tensor.tensors import IterVar, Operation, Range, TensorSlice

_AXIS = AffineExpr.dimension(0)


def is_from_data(axis: IterVar) -> bool:
    """Whether a bound of an axis is read from a tensor."""
    return axis.dom is not None and any(map(reads_data, axis.dom))


def is_from_point(axis: IterVar) -> bool:
    """Whether a bound of an axis depends on data, or on where other axes are."""
    bounds = tuple(axis.dom or ())
    return any(isinstance(one, IterVar | TensorSlice) for one in walk(bounds))


def reads_data(expr: Expr) -> bool:
    """Whether an expression reads a tensor."""
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
    begin, end = _promised(axis.dom.min, 0), _promised(axis.dom.end, -1)
    if begin is None or end is None:
        begin, end = _read_along(axis, op, begin, end)
    return Range(begin, end if isinstance(begin, Const) and begin.value == 0 else end - begin)


def _promised(bound: Expr, last: int) -> Expr | None:
    """The least or, if `last` is -1, the greatest that a bound can be; None if that is not said."""
    if isinstance(bound, Bounded):
        return bound.upper - 1 if last else bound.lower
    return None if reads_data(bound) else bound


def _read_along(
    axis: IterVar, op: Operation, begin: Expr | None, end: Expr | None
) -> tuple[Expr, Expr]:
    """The limits that are known, and others by an axis of a tensor that is read at this one."""
    forms = AffineForms[AffineExpr | None](lambda one: _AXIS if one is axis else None)
    for expr in walk((*op.body,)):
        for subscript, side in zip(*_subscripts(expr), strict=True):
            form = forms.of(subscript)
            if form is not None and form.used_dims():
                linear, distance, divisions = linear_terms((form, 1))
                if linear[0] == 1 and not divisions:
                    first, last = side.min - distance, side.end - distance
                    return (first if begin is None else begin), (last if end is None else end)
    assert axis.dom is not None
    raise Error(
        f"the bounds of axis {axis} of {op.name!r} are read from data, and nothing is read at "
        f"{axis} itself: say where they lie, as in te.bounded({axis.dom.end}, 0, n + 1)"
    )


def _subscripts(expr: Expr) -> tuple[Sequence[Expr], Sequence[Range]]:
    """The subscripts of a read, and the positions of the axes that they are on."""
    return (expr.indices, expr.tensor.domain) if isinstance(expr, TensorSlice) else ((), ())
