"""Derivatives of a reduction by the values that it folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.expr.expressions import Apply, Const, Expr, IfThenElse
from teloom.frontend.gradient.derivatives import all_of, contributions
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.conditions import if_then_else, select
from teloom.frontend.tensor.data_bounds import is_from_point
from teloom.frontend.tensor.reducers import sum
from teloom.frontend.tensor.reductions import Reduce, Reduction
from teloom.frontend.tensor.tensors import ComputeOp, IterType, IterVar, TensorSlice

_ORDERS = ("less", "less_equal", "greater", "greater_equal")


def by_source(op: ComputeOp, by_result: Expr) -> Expr:
    """The derivative by the value that a reduction folds at a point, over all axes of `op`.

    Raises `teloom.Error` for a reduction of several values, and for one that is no sum and starts
    from an `init`, or from an identity that is no constant.
    """
    top = op.body[0]
    assert isinstance(top, Reduce)
    reduction = top.reduction
    if len(reduction.sources) > 1:
        raise Error(f"the gradient of {op.name!r}, a reduction with several values, is not known")
    combined = reduction.combined[0]
    parameters = {*reduction.accumulators, *reduction.values}
    is_plain = isinstance(combined, Apply) and parameters == {*combined.arguments}
    if is_plain and combined.function == "add":
        return by_result
    if any(map(is_from_point, op.reduce_axis)):
        raise Error(
            f"the gradient of {op.name!r}, a reduction with bounds over other axes that is no sum, "
            "is not known"
        )
    if reduction.start:
        raise Error(
            f"the gradient of {op.name!r}, a reduction with an init, or a combiner over its axes, "
            "that is no sum, is not known"
        )
    if is_plain:
        if combined.function in ("maximum", "minimum"):
            return _by_extreme(op, reduction, by_result)
    match combined:
        case Apply("select", (Apply(order), x, y)) if order in _ORDERS and parameters == {x, y}:
            return _by_extreme(op, reduction, by_result)
    return _by_combined(op, reduction, by_result)


def _by_extreme(op: ComputeOp, reduction: Reduction, by_result: Expr) -> Expr:
    """Those that are the extreme value have equal parts of its derivative."""
    extreme, source = op.output(0), reduction.sources[0]
    if not _is_exact(source):
        # What is computed again may be rounded in another way, and equal to nothing.
        source = _stored(op, source)
        folding = replace(reduction, sources=(source,))
        extreme = compute(extreme.domain, lambda *i: _folded(op, i, folding), f"{op.name}.again")

    def equal(*axes: IterVar) -> Expr:
        new, inner = _over(op, axes)
        is_extreme = new.of(source) == extreme[tuple(axes)]
        return sum(is_extreme.astype(extreme.dtype), axis=inner)

    count = compute(extreme.domain, equal, name=f"{op.name}.count")
    at = tuple(op.axis)
    return select(source == extreme[at], by_result / count[at], 0.0)


def _is_exact(source: Expr) -> bool:
    """Whether an expression is an element as it is stored, or a choice between such."""
    if isinstance(source, IfThenElse):
        return all(isinstance(one, TensorSlice | Const) for one in source.operands()[1:])
    return isinstance(source, TensorSlice)


def _stored(op: ComputeOp, source: Expr) -> Expr:
    """An element of a tensor of the values of an expression, at all points of an equation."""
    every = [*op.axis, *op.reduce_axis]
    domain = [axis.dom for axis in every]

    def value(*axes: IterVar) -> Expr:
        return Substitution(dict(zip(every, axes, strict=True)), {}).of(source)

    return compute(domain, value, name=f"{op.name}.values")[tuple(every)]


def _folded(op: ComputeOp, axes: Sequence[IterVar], reduction: Reduction) -> Expr:
    """A reduction in the place of that of an equation."""
    new, inner = _over(op, axes)
    sources = tuple(map(new.of, reduction.sources))
    return Reduce(replace(reduction, sources=sources, axes=tuple(inner)), 0)


def _by_combined(op: ComputeOp, reduction: Reduction, by_result: Expr) -> Expr:
    """By the combiner of one value and the fold of all others."""
    accumulator, value = reduction.accumulators[0], reduction.values[0]
    rank = len(op.axis)

    def fold(*axes: IterVar) -> Expr:
        new, inner = _over(op, axes[:rank])
        here = all_of([one == axis for one, axis in zip(inner, axes[rank:], strict=True)])
        source = if_then_else(here, reduction.identity[0], new.of(reduction.sources[0]))
        return Reduce(replace(reduction, sources=(source,), axes=tuple(inner)), 0)

    domain = [*op.output(0).domain, *(axis.dom for axis in op.reduce_axis)]
    others = compute(domain, fold, name=f"{op.name}.others")
    found: Expr = Const(0.0, by_result.dtype)
    combined, name = reduction.combined[0], f"combiner of {op.name}"
    for one in contributions(combined, by_result, lambda leaf: leaf is value, name):
        holds = all_of(one.conditions)
        found = found + (one.value if holds is None else if_then_else(holds, one.value, 0.0))
    at = others[(*op.axis, *op.reduce_axis)]
    known = Substitution({}, {})
    known.known |= {accumulator: at, value: reduction.sources[0]}
    return known.of(found)


def _over(op: ComputeOp, axes: Sequence[IterVar]) -> tuple[Substitution, list[IterVar]]:
    """What puts axes and new reduce axes in the place of those of an equation."""
    inner = [IterVar(axis.name, axis.dom, IterType.COMM_REDUCE) for axis in op.reduce_axis]
    pairs = zip([*op.axis, *op.reduce_axis], [*axes, *inner], strict=True)
    return Substitution(dict(pairs), {}), inner
