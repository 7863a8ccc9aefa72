"""The operations that a factored reduction becomes: partial results, and their fold."""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.stages.queries import is_reduce, leaves_of
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import schedule as dialect
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import ScheduleError
from teloom.frontend.expr.expressions import Expr, IfThenElse, apply, as_expr
from teloom.frontend.expr.of_affine import expr_of
from teloom.frontend.schedule.applied import Applied, applied
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.reductions import Reduce, outputs_of
from teloom.frontend.tensor.tensors import ComputeOp, IterType, IterVar, Operation, Range
from teloom.passes.schedule.factors import Factoring

if TYPE_CHECKING:
    from teloom.frontend.schedule.stages import Stage


class Factored(NamedTuple):
    """The operations that `rfactor` makes of an operation."""

    partial: ComputeOp
    """The partial results, whose reduce axes are those of the operation that are left."""
    fold: ComputeOp
    """Their fold, with the old data axes."""
    moved: list[IterVar]
    """Axes of the stage that are axes of the partial results from then on."""
    gone: list[IterVar]
    """Axes of the stage that are no axes of a stage any more."""


def factored(stage: Stage, name: str, axis: IterVar, command: dialect.RfactorOp) -> Factored:
    """The operations of the command on an axis of a stage; `name` names the partial results.

    Raises `teloom.ScheduleError` where the axis cannot be factored.
    """
    found = applied(stage.schedule, unfinished=True)
    folded, position = found.behind[stage.axis_handle(axis)], command.factor_axis.value.data
    factoring = Factoring.of(found.stages[stage.name], folded, position, command)
    points = _LeafExprs(factoring, found)
    if not isinstance(stage.op, ComputeOp):
        raise ScheduleError(
            f"cannot factor {stage.name}: it is a stage of a te.func, with no equation in te; do "
            "so by a command in a schedule.sequence"
        )
    partial = _partial(stage.op, name, points)
    v = IterVar(f"{axis.name}.v", points.axes[position].dom, IterType.COMM_REDUCE)
    made = [(one, found.behind[handle]) for one, handle in stage.axis_handles()]
    reducing = [(one, value) for one, value in made if is_reduce(value)]
    return Factored(
        partial,
        _fold(stage.op, partial, v, position),
        [one for one, value in reducing if value not in factoring.domain.exprs],
        [one for one, value in reducing if value in factoring.domain.exprs],
    )


def around(stage: Stage, v: IterVar) -> tuple[IterVar | None, list[int]]:
    """The innermost loop of a stage around the loop of an axis, and the data axes that run inside.

    None if there is no loop around.
    """
    handle, found = stage.axis_handle(v), applied(stage.schedule, unfinished=True)
    of_ir = found.stages[stage.name]
    leaves = [*of_ir.order.axes]
    position = leaves.index(found.behind[handle])
    inside = [
        number
        for number, root in enumerate(of_ir.root_axes[: of_ir.data_axis_count])
        if any(leaf in leaves[position:] for leaf in leaves_of(root))
    ]
    return (found.axes[leaves[position - 1]] if position else None), inside


def _partial(op: Operation, name: str, points: _LeafExprs) -> ComputeOp:
    """The operation that computes partial results."""
    count = len(op.axis) + 1
    data, reduce_axes = points.axes[:count], points.axes[count:]
    new = Substitution(points.roots(), {})
    substituted, domain = new.of_body(op.body), [new.of(condition) for condition in op.domain]
    top = substituted[0]
    assert isinstance(top, Reduce)
    condition, reduction = points.condition(), top.reduction
    sources = reduction.sources
    if condition is not None:
        sources = tuple(
            IfThenElse(condition, source, neutral, source.dtype)
            for source, neutral in zip(sources, reduction.identity, strict=True)
        )
    made = replace(reduction, sources=sources, axes=tuple(reduce_axes), init=())
    body = outputs_of(made) if reduce_axes else sources
    return ComputeOp(name, data, body, reduce_axes, op.tag, op.attrs, domain)


def _fold(op: Operation, partial: ComputeOp, v: IterVar, position: int) -> ComputeOp:
    """The operation that folds partial results, and starts where `op` starts."""
    subscripts = [*op.axis]
    subscripts.insert(position, v)
    sources = tuple(tensor[tuple(subscripts)] for tensor in partial.outputs)
    top = op.body[0]
    assert isinstance(top, Reduce)
    made = replace(top.reduction, sources=sources, axes=(v,))
    return ComputeOp(op.name, op.axis, outputs_of(made), [v], op.tag, op.attrs, op.domain)


class _LeafExprs:
    """The axes of partial results, and the old axes as expressions of them.

    It is the arithmetic of relations, for axes that no affine expression gives.
    """

    def __init__(self, found: Factoring, applied: Applied):
        self.found, self.domain = found, found.domain
        self.exprs: dict[SSAValue, int | Expr] = {**applied.sizes}
        self.axes = [
            self._axis(axis, applied.axes[axis], *bounds)
            for axis, bounds in zip(found.axes, found.bounds, strict=True)
        ]
        self.old = applied.axes
        for axis, new in zip(found.axes, self.axes, strict=True):
            self.exprs[axis] = (
                self._from(new, self.domain.starts[axis]) if axis is found.axis else new
            )
        for axis, relation in self.domain.opaque:
            index = meaning_of(relation).position(relation, axis, self)
            assert index is not None
            self.exprs[axis] = self._from(index, self.domain.starts[axis])

    def _axis(self, axis: SSAValue, old: IterVar, lower: AffineExpr, upper: AffineExpr) -> IterVar:
        """The axis of the partial results that stands for `axis`."""
        if is_reduce(axis) and axis not in self.domain.exprs:
            return old
        name = old.name if is_reduce(axis) else f"{old.name}.rf"
        start, extent = (as_expr(self._expr(one)) for one in (lower, difference(upper, lower)))
        folds = axis is not self.found.axis and is_reduce(axis)
        return IterVar(name, Range(start, extent), IterType.of(folds))

    def roots(self) -> dict[IterVar, Expr]:
        """The old axes of the operation, each with what replaces it."""
        replaced = {axis: self._expr(expr) for axis, expr in self.domain.exprs.items()}
        replaced = {axis: self.exprs[axis] for axis in self.found.axes} | replaced
        return {self.old[axis]: as_expr(expr) for axis, expr in replaced.items()}

    def condition(self) -> Expr | None:
        """Whether a point is one of the old reduce axes; None if every point is."""
        parts = [
            reduce(operator.or_, map(self._conjunction, alternatives))
            for alternatives in self.domain.conditions
        ]
        return reduce(operator.and_, parts) if parts else None

    def _conjunction(self, conjunction: Conjunction) -> Expr:
        tests = [apply("equal", self._expr(expr), 0) for expr in conjunction.equalities]
        tests += [apply("greater_equal", self._expr(expr), 0) for expr in conjunction.inequalities]
        return reduce(operator.and_, tests)

    def _from(self, position: Any, start: AffineExpr) -> Any:
        """The coordinate at a distance from a start."""
        return position if start == ZERO else position + self._expr(start)

    def _expr(self, expr: AffineExpr) -> Any:
        return expr_of(expr, self.domain.values, self.exprs)

    # Arithmetic on the values that a relation joins

    def of_axis(self, axis: SSAValue) -> Any:
        return self._expr(self.domain.exprs[axis])

    def extent(self, axis: SSAValue, parts: int = 1) -> Any:
        return self._expr(self.domain.extents[axis].ceil_div(parts))

    def divisor(self, axis: SSAValue, made: SSAValue) -> Any:
        return self.extent(axis)

    def add(self, lhs: Any, rhs: Any) -> Any:
        return lhs + rhs

    def multiply(self, lhs: Any, rhs: Any) -> Any:
        return lhs * rhs

    def divide(self, lhs: Any, rhs: Any) -> Any:
        return lhs // rhs

    def remainder(self, lhs: Any, rhs: Any) -> Any:
        return lhs % rhs
