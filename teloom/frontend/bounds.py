"""`infer_bounds`: where every axis of a schedule runs, as a box."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from xdsl.context import Context
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.analysis.regions import infer_regions
from teloom.analysis.stages import all_stages, name_of
from teloom.dialects import schedule as dialect
from teloom.dialects import te
from teloom.errors import Error
from teloom.frontend.expressions import Expr
from teloom.frontend.schedules import Schedule
from teloom.frontend.tensors import ComputeOp, IterVar, Range
from teloom.passes.apply_schedule import ApplySchedulePass
from teloom.passes.infer_bounds import product_of


def infer_bounds(s: Schedule) -> dict[IterVar, Range]:
    """Where every axis runs: root axes, axes made by a schedule, and leaves.

    A root axis of a stage that is computed in a loop of another starts where that
    loop's region does. Other axes count from where that axis starts, and start at 0
    unless a shift or a skew moved them. The box is what is stored;
    `teloom.lower(s, args, level="schedule")` shows the exact ranges. Axes of inlined
    stages have none. Raises what `teloom.lower` raises. Source: TVM's InferBound.

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
    copies: dict[SSAValue, SSAValue] = {}
    module = s.module.clone(copies)
    ApplySchedulePass().apply(Context(), module)
    (func,) = (op for op in module.ops if isinstance(op, te.FuncOp))
    axes = _axes(s, func, copies)
    exprs: dict[SSAValue, int | Expr] = {
        copies[value]: size for size, value in s.program.sizes.items()
    }
    exprs |= axes
    multiplied = _OPERATORS[AffineBinaryOpKind.Mul]

    def multiply(factors: Sequence[AffineExpr], sizes: Sequence[SSAValue]) -> SSAValue:
        size = product_of(func, factors, sizes)
        exprs[size] = reduce(multiplied, (_expr(f, sizes, exprs) for f in factors))
        return size

    bounds: dict[IterVar, Range] = {}
    for region in infer_regions(func, multiply).values():
        for axis, extent in region.extents.items():
            bounds[axes[axis]] = Range(
                _expr(region.starts[axis], region.values, exprs),
                _expr(extent, region.values, exprs),
            )
    return bounds


def _axes(
    s: Schedule, func: te.FuncOp, copies: Mapping[SSAValue, SSAValue]
) -> dict[SSAValue, IterVar]:
    """The user's axes by those of the applied schedule."""
    stages = {name_of(stage): stage for stage in all_stages(func)}
    found: dict[SSAValue, IterVar] = {}
    for stage in s.stages:
        applied = stages.get(stage.name)
        if applied is None or not isinstance(stage.op, ComputeOp):
            continue
        roots = [*stage.op.axis, *stage.op.reduce_axis]
        found |= zip(applied.root_axes, roots, strict=True)
        for axis, handle in stage.axis_handles():
            found[_applied(handle, applied, copies)] = axis
    return found


def _applied(
    handle: SSAValue, stage: dialect.StageOp, copies: Mapping[SSAValue, SSAValue]
) -> SSAValue:
    """What a handle of the schedule is in the stage, once the commands are applied."""
    command = handle.owner
    if isinstance(command, dialect.AxesOp):
        (root,) = (r for h, r in zip(command.axes, stage.root_axes, strict=True) if h is handle)
        return root
    if not isinstance(command, dialect.TileOp):
        return copies[handle]
    # A tile was carried out as two splits, which are found by the axes that they consume.
    of_x = handle in (command.x_outer, command.x_inner)
    parent = _applied(command.x_parent if of_x else command.y_parent, stage, copies)
    (split,) = dialect.consumers_of(parent)
    assert isinstance(split, dialect.SplitOp)
    return split.outer if handle in (command.x_outer, command.y_outer) else split.inner


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
