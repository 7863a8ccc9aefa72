"""Derivatives of a reduction by the values that it folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Apply, Const, Expr, IfThenElse, alike, walk
from teloom.frontend.gradient.derivatives import all_of, contributions, where_all
from teloom.frontend.gradient.subscripts import points_of
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.conditions import if_then_else, select
from teloom.frontend.tensor.data_bounds import is_from_point
from teloom.frontend.tensor.reducers import sum
from teloom.frontend.tensor.reductions import CombinerArgument, Reduce, Reduction
from teloom.frontend.tensor.tensors import ComputeOp, IterType, IterVar, TensorSlice

_ORDERS = ("less", "less_equal", "greater", "greater_equal")


class Derivatives(NamedTuple):
    """The derivatives by what a reduction folds at a point, and by what it starts from.

    That by the value is over all axes of the equation, that by the start over its data axes; the
    latter is None if the start is a constant that is neutral.
    """

    by_source: Expr
    by_start: Expr | None


def by_folded(op: ComputeOp, number: int, by_result: Expr) -> Derivatives:
    """The derivatives of result `number` of the reduction of an equation.

    Raises `teloom.Error` for a reduction that is no sum and has bounds over other axes, or an
    identity that is no constant, and for one of a tuple that does not choose one of two tuples by
    a position that they hold.
    """
    top = op.body[number]
    assert isinstance(top, Reduce)
    reduction = top.reduction
    combined = reduction.combined[number]
    if _parameters(combined) <= {reduction.accumulators[number], reduction.values[number]}:
        return _by_own(op, number, reduction.with_outputs([number]), by_result)
    return Derivatives(_by_chosen(op, reduction, by_result), None)


def _parameters(combined: Expr) -> set[Expr]:
    return {one for one in walk((combined,)) if isinstance(one, CombinerArgument)}


def _by_own(op: ComputeOp, number: int, reduction: Reduction, by_result: Expr) -> Derivatives:
    """Those of a result that is folded by itself."""
    combined = reduction.combined[0]
    parameters = {*reduction.accumulators, *reduction.values}
    is_plain = isinstance(combined, Apply) and parameters == {*combined.arguments}
    if is_plain and combined.function == "add":
        return Derivatives(by_result, by_result if reduction.start else None)
    _check_bounds(op)
    if not reduction.constants:
        raise Error(
            f"the gradient of {op.name!r}, a reduction that is no sum and has a combiner over its "
            "axes or an identity that is no constant, is not known"
        )
    if is_plain and combined.function in ("maximum", "minimum"):
        return _by_extreme(op, number, reduction, by_result)
    match combined:
        case Apply("select", (Apply(order), x, y)) if order in _ORDERS and parameters == {x, y}:
            return _by_extreme(op, number, reduction, by_result)
    return _by_combined(op, reduction, by_result)


def _check_bounds(op: ComputeOp) -> None:
    if any(map(is_from_point, op.reduce_axis)):
        raise Error(
            f"the gradient of {op.name!r}, a reduction with bounds over other axes that is no sum, "
            "is not known"
        )


def _by_chosen(op: ComputeOp, reduction: Reduction, by_result: Expr) -> Expr:
    """Those of a tuple that is one of those folded: it is at the position that the result holds."""
    _check_bounds(op)
    wholes = [
        (source, op.output(number)[tuple(op.axis)])
        for number, source in enumerate(reduction.sources)
        if dtypes.of(source.dtype).kind == dtypes.INT
    ]
    places = [_where_it_counts(source) for source, _ in wholes]
    solved = points_of(places, [result for _, result in wholes], op.reduce_axis).solved
    is_chosen = _chooses(reduction) and not reduction.start
    if not is_chosen or len(solved) < len(op.reduce_axis):
        raise Error(
            f"the gradient of {op.name!r}, a reduction with several values, is not known; it is "
            "where the values are folded each by itself, or the combiner chooses one of two "
            "tuples, which hold their positions on the reduce axes, from no init"
        )
    is_found = all_of([source == result for source, result in wholes])
    return select(is_found, by_result, 0.0)


def _where_it_counts(source: Expr) -> Expr:
    return source.then_value if isinstance(source, IfThenElse) else source


def _chooses(reduction: Reduction) -> bool:
    """Whether the combiner gives one of two tuples."""
    pairs = [*zip(reduction.accumulators, reduction.values, strict=True)]
    conditions: list[Expr] = []
    sides: set[bool] = set()
    for combined, (x, y) in zip(reduction.combined, pairs, strict=True):
        match combined:
            case Apply("select", (condition, one, other)) | IfThenElse(condition, one, other):
                if {one, other} != {x, y}:
                    return False
                conditions.append(condition)
                sides.add(one is x)
            case _:
                return False
    return len(sides) == 1 and all(alike(one, conditions[0]) for one in conditions)


def _by_extreme(op: ComputeOp, number: int, reduction: Reduction, by_result: Expr) -> Derivatives:
    """Those that are the extreme value have equal parts of its derivative."""
    extreme, source, start = op.output(number), reduction.sources[0], reduction.init
    if not all(map(_is_exact, (source, *start))):
        # What is computed again may be rounded in another way, and equal to nothing.
        source = _stored(op, source, [*op.axis, *op.reduce_axis], "values")
        start = tuple(_stored(op, one, op.axis, "init") for one in start)
        folding = replace(reduction, sources=(source,), init=start)
        extreme = compute(extreme.domain, lambda *i: _folded(op, i, folding), f"{op.name}.again")

    def equal(*axes: IterVar) -> Expr:
        new, inner = _over(op, axes)
        at = extreme[tuple(axes)]
        first = tuple((new.of(one) == at).astype(extreme.dtype) for one in start)
        return sum((new.of(source) == at).astype(extreme.dtype), axis=inner, init=first or None)

    at = tuple(op.axis)
    part = by_result / compute(extreme.domain, equal, name=f"{op.name}.count")[at]
    by_source, *by_start = (select(one == extreme[at], part, 0.0) for one in (source, *start))
    return Derivatives(by_source, by_start[0] if by_start else None)


def _is_exact(source: Expr) -> bool:
    """Whether an expression is an element as it is stored, or a choice between such."""
    if isinstance(source, IfThenElse):
        return all(isinstance(one, TensorSlice | Const) for one in source.operands()[1:])
    return isinstance(source, TensorSlice)


def _stored(op: ComputeOp, value: Expr, axes: Sequence[IterVar], name: str) -> Expr:
    """An element of a tensor of the values of an expression, at all points of some axes."""

    def element(*others: IterVar) -> Expr:
        return Substitution(dict(zip(axes, others, strict=True)), {}).of(value)

    return compute([axis.dom for axis in axes], element, name=f"{op.name}.{name}")[tuple(axes)]


def _folded(op: ComputeOp, axes: Sequence[IterVar], reduction: Reduction) -> Expr:
    """A reduction in the place of that of an equation."""
    new, inner = _over(op, axes)
    return _with(reduction, new, inner, new.of(reduction.sources[0]))


def _with(reduction: Reduction, new: Substitution, inner: Sequence[IterVar], source: Expr) -> Expr:
    """The same fold of another value, over other axes."""
    init = tuple(map(new.of, reduction.init))
    return Reduce(replace(reduction, sources=(source,), axes=tuple(inner), init=init), 0)


def _by_combined(op: ComputeOp, reduction: Reduction, by_result: Expr) -> Derivatives:
    """By the combiner of one value and the fold of all others."""
    accumulator, value = reduction.accumulators[0], reduction.values[0]
    rank = len(op.axis)

    def fold(*axes: IterVar) -> Expr:
        new, inner = _over(op, axes[:rank])
        here = all_of([one == axis for one, axis in zip(inner, axes[rank:], strict=True)])
        source = if_then_else(here, reduction.identity[0], new.of(reduction.sources[0]))
        return _with(reduction, new, inner, source)

    domain = [*op.output(0).domain, *(axis.dom for axis in op.reduce_axis)]
    others = compute(domain, fold, name=f"{op.name}.others")[(*op.axis, *op.reduce_axis)]
    known = {accumulator: others, value: reduction.sources[0]}
    by_source = _of_combiner(op, reduction, by_result, value, known)
    if not reduction.init:
        return Derivatives(by_source, None)
    whole = replace(reduction, init=())
    every = compute(
        op.output(0).domain, lambda *axes: _folded(op, axes, whole), name=f"{op.name}.all"
    )
    known = {accumulator: reduction.init[0], value: every[tuple(op.axis)]}
    return Derivatives(by_source, _of_combiner(op, reduction, by_result, accumulator, known))


def _of_combiner(
    op: ComputeOp,
    reduction: Reduction,
    by_result: Expr,
    wanted: CombinerArgument,
    known: Mapping[Expr, Expr],
) -> Expr:
    """The derivative of a combiner by one of its arguments, where both are known."""
    found: Expr = Const(0.0, by_result.dtype)
    name = f"combiner of {op.name}"
    for one in contributions(reduction.combined[0], by_result, lambda leaf: leaf is wanted, name):
        found = found + where_all(one.conditions, one.value)
    new = Substitution({}, {})
    new.known |= known
    return new.of(found)


def _over(op: ComputeOp, axes: Sequence[IterVar]) -> tuple[Substitution, list[IterVar]]:
    """What puts axes and new reduce axes in the place of those of an equation."""
    inner = [IterVar(axis.name, axis.dom, IterType.COMM_REDUCE) for axis in op.reduce_axis]
    pairs = zip([*op.axis, *op.reduce_axis], [*axes, *inner], strict=True)
    return Substitution(dict(pairs), {}), inner
