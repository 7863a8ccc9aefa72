"""Reductions: folds of expressions over reduce axes, by any commutative combiner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple, Protocol, overload

from teloom.dialects.bodies.postorder import postorder
from teloom.errors import Error
from teloom.frontend.expr.expressions import (
    Apply,
    Cast,
    Const,
    Expr,
    IfThenElse,
    as_expr,
    cast,
    const,
    matched,
    texts,
)
from teloom.frontend.expr.names import checked_text
from teloom.frontend.kinds import checked_kind
from teloom.frontend.tensor.tensors import IterVar


@dataclass(frozen=True, eq=False, repr=False)
class CombinerArgument(Expr):
    """An argument of a combiner: the accumulator or the new value, of one output."""

    name: str
    dtype: str

    def text(self, depth: int) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Reduction:
    """A fold of `sources` over `axes`.

    `combined` are the new accumulators, as expressions of `accumulators` and `values`, and of
    data axes. The fold starts from `init`, or from the neutral `identity`: constants, or
    expressions over data axes.
    """

    name: str
    sources: tuple[Expr, ...]
    axes: tuple[IterVar, ...]
    accumulators: tuple[CombinerArgument, ...]
    values: tuple[CombinerArgument, ...]
    combined: tuple[Expr, ...]
    identity: tuple[Expr, ...]
    init: tuple[Expr, ...]

    @property
    def constants(self) -> tuple[Const, ...]:
        """The identity, if it is constants, and one combiner folds all elements; else nothing."""
        found = tuple(one for one in self.identity if isinstance(one, Const))
        return found if len(found) == len(self.identity) and not self.outside else ()

    @cached_property
    def outside(self) -> tuple[Expr, ...]:
        """The largest parts of the combiner that are over data axes alone, and no constants."""
        inside = _computed_from(self.combined, {*self.accumulators, *self.values})

        def within(expr: Expr) -> Sequence[Expr]:
            return expr.operands() if expr in inside else ()

        parts = postorder(self.combined, within)
        return tuple(one for one in parts if not (one in inside or isinstance(one, Const)))

    @property
    def start(self) -> tuple[Expr, ...]:
        """The start of the fold; nothing if that is the identity, as constants."""
        return self.init or (() if self.constants else self.identity)

    def with_outputs(self, numbers: Sequence[int]) -> Reduction:
        """The fold of some of its sources, which it combines without the others."""

        def some(given: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(given[number] for number in numbers)

        return replace(
            self,
            sources=some(self.sources),
            accumulators=some(self.accumulators),
            values=some(self.values),
            combined=some(self.combined),
            identity=some(self.identity),
            init=some(self.init) if self.init else (),
        )


class CommReducer(NamedTuple):
    """A combiner: how two values `lhs` and `rhs` of each result become `result`, and the identity.

    Source: TVM's tir.CommReducer.
    """

    lhs: list[CombinerArgument]
    rhs: list[CombinerArgument]
    result: list[Expr]
    identity_element: list[Expr]


@dataclass(frozen=True, eq=False, repr=False)
class Reduce(Expr):
    """Output `value_index` of a reduction; legal only at the top of an equation."""

    reduction: Reduction
    value_index: int

    @property
    def axis(self) -> list[IterVar]:
        """The reduce axes."""
        return list(self.reduction.axes)

    @property
    def source(self) -> tuple[Expr, ...]:
        """The values that are folded, one for each result."""
        return self.reduction.sources

    @property
    def combiner(self) -> CommReducer:
        """How two values become one.

        >>> from teloom import te
        >>> A, k = te.placeholder((4,), name="A"), te.reduce_axis((0, 4), "k")
        >>> te.sum(A[k], axis=k).combiner.result
        [(x + y)]
        """
        fold = self.reduction
        return CommReducer(
            list(fold.accumulators), list(fold.values), list(fold.combined), list(fold.identity)
        )

    @property
    def init(self) -> list[Expr]:
        """The start of the fold, if that is not the identity."""
        return list(self.reduction.init)

    @property
    def dtype(self) -> str:  # type: ignore[override]
        return self.reduction.sources[self.value_index].dtype

    def operands(self) -> tuple[Expr, ...]:
        return (*self.reduction.sources, *self.reduction.start, *self.reduction.outside)

    def text(self, depth: int) -> str:
        sources = ", ".join(texts(self.reduction.sources, depth))
        axes = ", ".join(axis.name for axis in self.reduction.axes)
        return f"{self.reduction.name}({sources}, axis=[{axes}])"


def _computed_from(roots: Sequence[Expr], leaves: set[Expr]) -> set[Expr]:
    """The parts of expressions that are computed from some of these leaves, and the leaves."""
    found = {*leaves}
    for expr in postorder(roots, lambda one: one.operands()):
        if not found.isdisjoint(expr.operands()):
            found.add(expr)
    return found


def outputs_of(reduction: Reduction) -> tuple[Reduce, ...]:
    """All outputs of a reduction."""
    return tuple(Reduce(reduction, index) for index in range(len(reduction.sources)))


Combine = Callable[..., object]


class Reducer(Protocol):
    """The result of `comm_reducer`: reduces over axes, or combines values."""

    __name__: str

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]
        self,
        expr: tuple[Any, ...] | list[Any],
        *values: Any,
        axis: Any = None,
        where: Any = None,
        init: Any = None,
    ) -> tuple[Expr, ...]: ...

    @overload
    def __call__(
        self, expr: object, *values: Any, axis: Any = None, where: Any = None, init: Any = None
    ) -> Expr: ...


def comm_reducer(fcombine: Combine, fidentity: Combine, name: str = "reduce") -> Reducer:
    """A reduction by `fcombine`, which must be associative and commutative.

    `fcombine(x, y)` combines two values; `fidentity(dtype)` is what is neutral for it. To reduce
    tuples of n values, x and y are tuples, `fidentity` gets n dtypes, and both return n values.
    An identity that is no constant, such as a size or an element, is what the fold starts from;
    partial results, as of `rfactor`, have none. Nor have those of an `fcombine` that uses data
    axes, or elements at them.

    The result is called as `reducer(expr, axis, where=None, init=None)`. It folds `expr` over
    `axis` (a reduce axis or a list of them), from `init` or the identity, and skips points where
    `where` is false. With expressions in place of `axis` it combines the values themselves.
    Raises `teloom.Error` for other axes. Source: TVM's te.comm_reducer.

    >>> from teloom import te
    >>> k = te.reduce_axis((0, 9), "k")
    >>> A = te.placeholder((9,), name="A")
    >>> product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")
    >>> product(A[k], axis=k)
    product(A[k], axis=[k])
    """

    checked_text(name, "name of comm_reducer")
    checked_kind(fcombine, Callable, f"fcombine of {name}", "a function, as lambda x, y: x * y")
    checked_kind(fidentity, Callable, f"fidentity of {name}", "a function of a dtype")

    def reducer(expr: object, *values: object, axis=None, where=None, init=None) -> Any:
        if axis is None and values and _are_axes(values[0]):
            axis, values = values[0], values[1:]
            where, init = (*values[:2], *(where, init)[len(values) :])
            values = values[2:]
        if axis is not None:
            if values:
                raise Error(f"{name} over axes takes expr, axis, where and init, not more")
            return _reduce(name, fcombine, fidentity, expr, axis, where, init)
        if where is not None or init is not None:
            raise Error(f"{name} of single values takes no where= or init=")
        return reduce(fcombine, matched((expr, *values)))

    reducer.__name__ = reducer.__qualname__ = name
    reducer.__doc__ = (
        f"`{name}(expr, axis, where=None, init=None)` folds `expr` over reduce axes, skipping\n"
        f"points where `where` is false, from `init` or the identity; `{name}(a, b, ...)`\n"
        "combines values."
    )
    return reducer


def _are_axes(value: object) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(isinstance(axis, IterVar) for axis in value)
    return isinstance(value, IterVar) and value.reduces


def _reduce(
    name: str,
    fcombine: Combine,
    fidentity: Combine,
    expr: object,
    axis: object,
    where: object,
    init: object,
) -> Reduce | tuple[Reduce, ...]:
    axes = _checked_axes(name, axis)
    several = isinstance(expr, tuple | list)
    sources = tuple(as_expr(source) for source in (expr if several else [expr]))
    kinds = [source.dtype for source in sources]
    accumulators = tuple(CombinerArgument("x", dtype) for dtype in kinds)
    values = tuple(CombinerArgument("y", dtype) for dtype in kinds)
    neutral = fidentity(*kinds)
    identity = tuple(
        _of_dtype(name, "identity", value, dtype) for value, dtype in _paired(name, neutral, kinds)
    )
    if several:
        combined = fcombine(accumulators, values)
    else:
        combined = fcombine(accumulators[0], values[0])
    combined = tuple(
        _of_dtype(name, "combiner", value, dtype) for value, dtype in _paired(name, combined, kinds)
    )
    _check_combiner(name, combined, {*accumulators, *values})
    if where is not None:
        condition = as_condition(where)
        sources = tuple(
            IfThenElse(condition, source, neutral, source.dtype)
            for source, neutral in zip(sources, identity, strict=True)
        )
    starts: Sequence[object] = ()
    if init is not None:
        starts = init if isinstance(init, tuple | list) else [init]
        starts = [
            _of_dtype(name, "init", value, dtype) for value, dtype in _paired(name, starts, kinds)
        ]
    reduction = Reduction(
        name, sources, axes, accumulators, values, combined, identity, tuple(starts)
    )
    outputs = outputs_of(reduction)
    return outputs if several else outputs[0]


def _check_combiner(name: str, combined: tuple[Expr, ...], parameters: set[Expr]) -> None:
    for expr in _computed_from(combined, parameters):
        if not isinstance(expr, CombinerArgument | Apply | Cast | IfThenElse):
            raise Error(
                f"the combiner of {name} uses {expr}; it may compute with its two arguments, with "
                "data axes and with elements at these"
            )


def as_condition(value: object) -> Expr:
    """`value` as a bool expression; raises `teloom.Error` for another dtype."""
    expr = as_expr(value)
    if expr.dtype != "bool":
        raise Error(f"the condition {expr} is {expr.dtype}, not bool; compare it, as in x != 0")
    return expr


def _checked_axes(name: str, axis: object) -> tuple[IterVar, ...]:
    axes: list[IterVar] = []
    for one in axis if isinstance(axis, tuple | list) else [axis]:
        if not isinstance(one, IterVar):
            raise Error(
                f"{name} wants reduce axes for axis=, got {one!r}; as in "
                f"r = te.reduce_axis((0, n)), te.{name}(A[i, r], axis=r)"
            )
        if not one.reduces:
            raise Error(f"{name} cannot reduce over the data axis {one}; make a te.reduce_axis")
        if one.dom is None:
            raise Error(f"{name} cannot reduce over {one}, an axis of a schedule; make another one")
        axes.append(one)
    if not axes:
        raise Error(f"{name} over no axis")
    if len(set(map(id, axes))) != len(axes):
        raise Error(f"{name} has an axis twice in axis=[{', '.join(map(str, axes))}]")
    return tuple(axes)


def _paired(name: str, values: object, kinds: Sequence[str]) -> list[tuple[object, str]]:
    listed = list(values) if isinstance(values, tuple | list) else [values]
    if len(listed) != len(kinds):
        raise Error(f"{name} reduces {len(kinds)} values, but was given {len(listed)}: {listed}")
    return list(zip(listed, kinds, strict=True))


def _of_dtype(name: str, part: str, value: object, dtype: str) -> Expr:
    expr = as_expr(value, dtype)
    if isinstance(expr, Const):
        number = cast(const(expr.value, expr.dtype), dtype)
        if not isinstance(number, Const):
            raise Error(f"the {part} of {name} is {expr}, which is no {dtype}")
        return number
    if expr.dtype != dtype:
        raise Error(f"the {part} of {name} gives {expr.dtype} for a value of {dtype}; cast it")
    return expr
