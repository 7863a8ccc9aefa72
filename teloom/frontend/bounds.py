"""`infer_bounds`: where every axis of a schedule runs, as a box."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.analysis.regions import infer_regions
from teloom.errors import Error
from teloom.frontend.applied import applied
from teloom.frontend.expressions import Expr
from teloom.frontend.pass_failures import reporting
from teloom.frontend.schedules import Schedule
from teloom.frontend.tensors import IterVar, Range
from teloom.passes.infer_bounds import InferBoundsPass, product_of


def infer_bounds(s: Schedule) -> dict[IterVar, Range]:
    """Where every axis runs: root axes, axes made by a schedule, and leaves.

    A root axis of a stage that is computed in a loop of another starts where that
    loop's region does; an axis that split or fuse made starts at 0. The box is what is
    stored; `teloom.lower(s, args, level="schedule")` shows the exact ranges. Axes of
    inlined stages have none. Raises what `teloom.lower` raises. Source: TVM's InferBound.

    >>> from teloom import te
    >>> A = te.placeholder((34,), name="A")
    >>> B = te.compute((34,), lambda i: A[i] + 1, name="B")
    >>> C = te.compute((32,), lambda i: B[i] + B[i + 2], name="C")
    >>> s = te.create_schedule(C)
    >>> outer, inner = s[C].split(C.op.axis[0], factor=8)
    >>> s[B].compute_at(s[C], outer)
    >>> bounds = te.infer_bounds(s)
    >>> bounds[outer], bounds[inner]
    (Range(min=0, extent=4), Range(min=0, extent=8))
    >>> bounds[B.op.axis[0]].extent
    10
    >>> print(bounds[B.op.axis[0]].min)
    (i.outer * 8)
    """
    if not isinstance(s, Schedule):
        raise Error(f"{s!r} is not a schedule; make one with te.create_schedule")
    func, _, axes, named_sizes = applied(s)
    exprs: dict[SSAValue, int | Expr] = {**named_sizes, **axes}
    multiplied = _OPERATORS[AffineBinaryOpKind.Mul]

    def multiply(factors: Sequence[AffineExpr], sizes: Sequence[SSAValue]) -> SSAValue:
        size = product_of(func, factors, sizes)
        exprs[size] = reduce(multiplied, (_expr(f, sizes, exprs) for f in factors))
        return size

    bounds: dict[IterVar, Range] = {}
    with reporting(s.module.clone)(InferBoundsPass.name):
        regions = infer_regions(func, multiply)
    for region in regions.values():
        for axis, extent in region.extents.items():
            start = region.starts.get(axis, AffineExpr.constant(0))
            bounds[axes[axis]] = Range(
                _expr(start, region.values, exprs), _expr(extent, region.values, exprs)
            )
    return bounds


def _expr(
    expr: AffineExpr, values: Sequence[SSAValue], exprs: Mapping[SSAValue, int | Expr]
) -> int | Expr:
    """An affine expression of `values` as one of te; an int where it is constant."""
    match expr:
        case AffineConstantExpr():
            return expr.value
        case AffineDimExpr():
            return exprs[values[expr.position]]
        case AffineBinaryOpExpr():
            lhs, rhs = _expr(expr.lhs, values, exprs), _expr(expr.rhs, values, exprs)
            return _OPERATORS[expr.kind](lhs, rhs)
    raise AssertionError(f"{expr} is over sizes and axes only")


_OPERATORS: dict[AffineBinaryOpKind, Callable[[Any, Any], Any]] = {
    AffineBinaryOpKind.Add: lambda a, b: a - -b if isinstance(b, int) and b < 0 else a + b,
    AffineBinaryOpKind.Mul: operator.mul,
    AffineBinaryOpKind.FloorDiv: operator.floordiv,
    AffineBinaryOpKind.Mod: operator.mod,
    AffineBinaryOpKind.CeilDiv: lambda a, b: (a + (b - 1)) // b,
}
