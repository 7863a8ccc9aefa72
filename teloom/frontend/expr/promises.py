"""Promises of a program about values that depend on its data."""

from __future__ import annotations

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import WIDE
from teloom.frontend.expr.expressions import Bounded, Expr, as_expr, cast


def bounded(value: object, lower: object, upper: object) -> Expr:
    """`value`, an integer that lies from `lower` up to, not including, `upper`.

    The program promises that; compiled code does not check it. A subscript that is computed from
    data then needs this part of an axis only; without the promise it needs the whole axis. The
    bounds are affine in axes and sizes. Raises `teloom.Error` for values that are no integers, and
    for other bounds when the program is built. Source: Halide's promise_clamped.

    >>> from teloom import te
    >>> A, I = te.placeholder((8, 99), name="A"), te.placeholder((8,), "int32", name="I")
    >>> B = te.compute((8, 99), lambda i, j: A[i, j] + 1, name="B")
    >>> C = te.compute((8,), lambda i: B[i, te.bounded(I[i], 0, 16)], name="C")
    >>> s = te.create_schedule(C)
    >>> te.infer_bounds(s)[B.op.axis[1]]
    Range(min=0, extent=16)
    """
    exprs = [as_expr(one) for one in (value, lower, upper)]
    for expr in exprs:
        if dtypes.of(expr.dtype).kind not in (dtypes.INT, dtypes.UINT):
            raise Error(f"bounded wants integers, {expr} is {expr.dtype}")
    wide = [expr if expr.dtype in WIDE else cast(expr, "int64") for expr in exprs]
    return Bounded(*wide, dtype=wide[0].dtype)
