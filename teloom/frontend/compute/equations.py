"""`te.compute`: a tensor by an equation over its axes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple, overload

from xdsl.ir.affine import AffineExpr

from teloom.errors import Error
from teloom.frontend.expr.affine_forms import AffineForms, parts_of_value
from teloom.frontend.expr.comparisons import conjunction_of
from teloom.frontend.expr.expressions import Expr, Var, as_expr, walk
from teloom.frontend.expr.names import checked_text
from teloom.frontend.tensor.reductions import Reduce, as_condition
from teloom.frontend.tensor.tags import tag_of
from teloom.frontend.tensor.tensors import (
    INFERRED,
    ComputeOp,
    IterVar,
    SliceCode,
    Tensor,
    check_leaves,
    checked_domain,
    checked_shape,
)


@overload
def compute(
    shape: object,
    fcompute: Callable[..., Expr],  # one that is not known to be a tuple is none
    name: str = "compute",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
    domain: Callable[..., object] | None = None,
) -> Tensor: ...


@overload
def compute(  # pyright: ignore[reportOverlappingOverload]
    shape: object,
    fcompute: Callable[..., tuple[Any, ...] | list[Any]],
    name: str = "compute",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
    domain: Callable[..., object] | None = None,
) -> tuple[Tensor, ...]: ...


@overload
def compute(
    shape: object,
    fcompute: Callable[..., object],
    name: str = "compute",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
    domain: Callable[..., object] | None = None,
) -> Tensor: ...


def compute(
    shape: object,
    fcompute: Callable[..., object],
    name: str = "compute",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
    domain: Callable[..., object] | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """A tensor of `shape` whose element at (i, j, ...) is `fcompute(i, j, ...)`.

    An extent may also be a pair (begin, end): positions on that axis then run from begin, which
    may be negative, up to, not including, end. The array of an output begins at the first of them.
    With None as shape, they are those that readers read, in a box around all; an output has none.
    `fcompute` has one parameter per axis, or `*args`; the parameters name the axes, or
    `varargs_names` does. It returns one expression, or a tuple or list of several; then the
    result is a tuple of tensors. A reduction stands at the top of the expression. It may also
    return a call of a `te.decl_tensor_intrin` with slices: that fills the last axes of the shape,
    for which `fcompute` has no parameters.
    `domain` is a function of the same axes. It returns a condition, or several in a list, each an
    affine comparison or a `te.all` of these. Only the elements at whose positions all hold are
    there: no others are computed, a read of another one is refused, and what the array of an output
    has in the place of others stays.
    Raises `teloom.Error` where these rules are broken. Source: TVM's te.compute.

    >>> from teloom import te
    >>> A = te.placeholder((4, 8), name="A")
    >>> te.compute((8, 4), lambda i, j: A[j, i], name="T")
    Tensor(shape=[8, 4], dtype=float32, name=T)
    >>> te.compute(((-1, 5), 8), lambda i, j: te.if_then_else(i < 0, 0.0, 1.0), name="P").shape
    (6, 8)
    >>> te.compute((8, 8), lambda i, j: A[i % 4, j], name="L", domain=lambda i, j: j <= i).op.domain
    [(j <= i)]
    """
    checked_text(name, "name of compute")
    tag = tag_of(tag, name)
    if shape is None:
        ranges = [INFERRED] * _count_axes(fcompute, name, varargs_names)
    else:
        ranges = checked_domain(shape, name)
    extents = tuple(side.extent for side in ranges)
    names = _axis_names(fcompute, len(ranges), name, varargs_names)
    axes = [IterVar(axis, side) for axis, side in zip(names, ranges, strict=False)]
    values = _applied(fcompute, axes, name)
    conditions = [] if domain is None else domain_of(domain, axes, name)
    if conditions and (shape is None or isinstance(values, SliceCode)):
        what = "a call of an intrinsic" if shape is not None else "an equation without a shape"
        raise Error(f"{name!r} is {what}, which has no domain")
    if isinstance(values, SliceCode):
        checked_shape(shape, name)  # its axes start at 0
        check_leaves([*values.regions, *values.scalar_inputs], [*axes, *values.reduce_axis], name)
        op = values.operation(name, axes, extents, tag, attrs)
        return op.output(0) if op.num_outputs == 1 else op.outputs
    if len(axes) < len(extents):
        raise Error(
            f"the function of {name!r} has {len(axes)} parameters ({', '.join(names)}) "
            f"for {len(extents)} axes"
        )
    body = [as_expr(one) for one in (values if isinstance(values, tuple | list) else [values])]
    if not body:
        raise Error(f"the equation of {name!r} gives no value")
    reduce_axes = _reduce_axes(body, name)
    check_leaves(body, [*axes, *reduce_axes], name)
    for number, axis in enumerate(reduce_axes):
        check_leaves(axis.dom or (), [*axes, *reduce_axes[:number]], name)
    if isinstance(body[0], Reduce):
        check_leaves((*body[0].reduction.start, *body[0].reduction.outside), axes, name)
    op = ComputeOp(name, axes, body, reduce_axes, tag, attrs, conditions)
    return op.outputs if op.num_outputs > 1 else op.output(0)


def _applied(fcompute: Callable[..., object], axes: Sequence[IterVar], name: str) -> object:
    """The values that the function of an equation returns."""
    try:
        values = fcompute(*axes)
    except IndexError as error:  # NumPy's, of an axis as a subscript
        raise Error(
            f"the function of {name!r} raises IndexError: {error}; a list or an array that is "
            "subscripted by an axis must be a te.placeholder, whose array is an argument of the "
            "function"
        ) from error
    if values is None:
        raise Error(f"the function of {name!r} returns nothing; it must return an expression")
    return values


def domain_of(domain: Callable[..., object], axes: Sequence[IterVar], name: str) -> list[Expr]:
    """The conditions that hold at the elements of an operation, from a function of its axes."""
    count = len(_axis_names(domain, len(axes), f"domain of {name}", None))
    if count < len(axes):
        raise Error(f"the domain of {name!r} has {count} parameters for {len(axes)} axes")
    said = domain(*axes)
    conditions = [as_condition(one) for one in (said if isinstance(said, list | tuple) else [said])]
    check_leaves(conditions, axes, name)
    forms = AffineForms[AffineExpr | None](_dimension, parts=parts_of_value)
    conjunction_of(conditions, forms, f"the axes of {name!r} and sizes")
    return conditions


def _dimension(leaf: Expr) -> AffineExpr | None:
    """Stands for an axis or a size, where only counts which expressions are affine in these."""
    return AffineExpr.dimension(0) if isinstance(leaf, IterVar | Var) else None


class _Parameters(NamedTuple):
    """The parameters of a function that a caller gives by position."""

    names: list[str]
    defaults: int
    """How many of these, the last ones, have a default."""
    varargs: str | None
    """The one that takes all that follow."""


def _parameters_of(fcompute: Callable[..., object], name: str) -> _Parameters:
    if not callable(fcompute):
        raise Error(
            f"{name!r} wants a function of its axes, as in te.compute(shape, lambda i: ...), "
            f"got {fcompute!r}"
        )
    # Of an object, its method is asked: Python 3.11 miscounts a static one.
    method = fcompute.__call__
    called = method if isinstance(method, FunctionType | MethodType) else fcompute
    try:
        signature = inspect.signature(called, follow_wrapped=False)
    except ValueError:
        raise Error(
            f"the parameters of {fcompute!r}, the function of {name!r}, are not known; "
            "write lambda i: ..."
        ) from None
    known = signature.parameters.values()
    if given := [o.name for o in known if o.kind is o.KEYWORD_ONLY and o.default is o.empty]:
        raise Error(
            f"the function of {name!r} has parameters by name only, {', '.join(given)}, which are "
            "no axes; give them defaults, or write them before the *"
        )
    placed = [o for o in known if o.kind in (o.POSITIONAL_ONLY, o.POSITIONAL_OR_KEYWORD)]
    defaults = sum(o.default is not o.empty for o in placed)
    varargs = next((o.name for o in known if o.kind is o.VAR_POSITIONAL), None)
    return _Parameters([o.name for o in placed], defaults, varargs)


def _count_axes(
    fcompute: Callable[..., object], name: str, varargs_names: Sequence[str] | None
) -> int:
    """The number of axes of an equation, by the parameters of its function."""
    names, defaults, varargs = _parameters_of(fcompute, name)
    if varargs is not None and varargs_names is None:
        raise Error(
            f"{name!r} has no shape, and *{varargs} says no number of axes; give varargs_names"
        )
    return len(names) - defaults + len(varargs_names or ())


def _axis_names(
    fcompute: Callable[..., object], ndim: int, name: str, varargs_names: Sequence[str] | None
) -> list[str]:
    fixed, defaults, varargs = _parameters_of(fcompute, name)
    if defaults and len(fixed) > ndim:
        fixed = fixed[:-defaults]  # as in `lambda i, A=A: A[i]`
    if varargs is None and (fixed or ndim == 0):
        if len(fixed) > ndim:
            raise Error(
                f"the function of {name!r} has {len(fixed)} parameters ({', '.join(fixed)}) "
                f"for {ndim} axes"
            )
        return fixed
    rest = ndim - len(fixed)
    if rest < 0:
        raise Error(f"the function of {name!r} has {len(fixed)} parameters for {ndim} axes")
    if varargs is None:
        raise Error(f"the function of {name!r} has no parameters for {ndim} axes")
    if varargs_names is None:
        varargs_names = [f"i{position}" for position in range(len(fixed), ndim)]
    if len(varargs_names) != rest:
        raise Error(f"{len(varargs_names)} varargs_names for the {rest} axes of *{varargs}")
    return [
        *fixed,
        *(checked_text(one, f"each of varargs_names of {name!r}") for one in varargs_names),
    ]


def check_no_reduction(exprs: Sequence[Expr], name: str, place: str, whole: str) -> None:
    """Raises `teloom.Error` if a reduction is in expressions, `place` in an operation.

    `whole` is what it may be the whole of.
    """
    nested = next((expr for expr in walk(tuple(exprs)) if isinstance(expr, Reduce)), None)
    if nested is not None:
        raise Error(
            f"{nested} stands inside {place} of {name!r}; a reduction must be the "
            f"whole of {whole}: give it its own te.compute and read that"
        )


def _reduce_axes(body: Sequence[Expr], name: str) -> list[IterVar]:
    """The axes that the equation reduces over; checks where reductions stand."""
    tops = [expr for expr in body if isinstance(expr, Reduce)]
    inner = [operand for expr in body for operand in expr.operands()]
    check_no_reduction(inner, name, "the expression", "it")
    if not tops:
        return []
    if len(tops) != len(body):
        raise Error(f"{name!r} mixes reductions with plain expressions; compute them apart")
    first = tops[0].reduction
    if any(top.reduction is not first for top in tops):
        raise Error(
            f"the outputs of {name!r} come from different reductions; use one comm_reducer "
            "over a tuple, or one te.compute for each"
        )
    if [top.value_index for top in tops] != list(range(len(first.sources))):
        raise Error(
            f"{name!r} gives {len(tops)} of the {len(first.sources)} values of its reduction "
            "or gives them in another order; give all, in order"
        )
    return list(first.axes)
