"""The parts that a derivative is the sum of, each by what one operation reads at one place."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.compute.updates import update
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr, alike
from teloom.frontend.gradient.boxes import boxes_of
from teloom.frontend.gradient.derivatives import all_of, contributions, where_all
from teloom.frontend.gradient.reductions import by_folded
from teloom.frontend.gradient.subscripts import points_of
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.data_bounds import is_from_data, reads_data
from teloom.frontend.tensor.reducers import sum
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import (
    INFERRED,
    ComputeOp,
    IterType,
    IterVar,
    Operation,
    Range,
    Tensor,
    TensorSlice,
)

Wants = Callable[[Expr], bool]
"""Whether a derivative goes on in what is read."""


def reads(tensors: Container[Tensor]) -> Wants:
    """Tells whether an expression is a read of one of these tensors."""
    return lambda expr: isinstance(expr, TensorSlice) and expr.tensor in tensors


class Term(NamedTuple):
    """A part of the derivative by the tensor of `read`: `value`, over `axes`, at each point.

    It counts where the conditions hold. The axes of the head are `prefix`. With `from_data`, data
    says between which bounds an axis is.
    """

    read: TensorSlice
    axes: Sequence[IterVar]
    prefix: Sequence[IterVar]
    conditions: tuple[Expr, ...]
    value: Expr
    name: str
    from_data: bool = False

    @property
    def target(self) -> Tensor:
        """The tensor by which it is a derivative."""
        return self.read.tensor

    def at(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> tuple[Expr, Any]:
        """Its value for one element, and the axes to sum over."""
        points = points_of(self.read.indices, positions, self.axes)
        left = [axis for axis in self.axes if axis not in points.solved]
        inner = _as_reduce_axes(left)
        known = dict(zip([*self.prefix, *left], [*prefix, *inner], strict=True))
        new = Substitution(points.solved_with(known), {})
        value = new.of(self.value)
        conditions = [new.of(one) for one in (*points.conditions, *self.conditions)]
        return where_all(conditions, value), inner

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr:
        """Its value for one element, as an equation."""
        value, inner = self.at(prefix, positions)
        return sum(value, axis=inner) if inner else value

    @property
    def has_sum(self) -> bool:
        """Whether points other than that of the element count."""
        positions = [IterVar("", one) for one in self.target.domain]
        return len(points_of(self.read.indices, positions, self.axes).solved) < len(self.axes)

    @property
    def searches(self) -> bool:
        """Whether data tells which points count."""
        return self.has_sum and (self.from_data or any(map(reads_data, self.read.indices)))

    def scattered(self, domain: Sequence[Range]) -> Tensor:
        """The sums for all elements of `domain`, to which each point adds what it has."""
        zero = Const(0.0, self.value.dtype)
        start = compute(domain, lambda *_: zero, name=f"{self.target.name}.zero")
        points = [*self.prefix, *self.axes]
        axes = _as_reduce_axes(points)
        new = Substitution(dict(zip(points, axes, strict=True)), {})
        at = (*axes[: len(self.prefix)], *map(new.of, self.read.indices))
        holds = [new.of(one) for one in self.conditions]
        value = new.of(self.value)

        def added(total: Tensor, *_: IterVar) -> Any:
            return (at, total[at] + value, *([] if not holds else [all_of(holds)]))

        name = f"{self.target.name}.{self.name}"
        return update(start, axes, added, name=name, reorderable=True)

    def reading(self, tensors: Mapping[Tensor, Tensor]) -> Term:
        """The same part, made of other tensors."""
        new = Substitution({}, tensors)
        conditions = tuple(map(new.of, self.conditions))
        return self._replace(value=new.of(self.value), conditions=conditions)


def _as_reduce_axes(axes: Sequence[IterVar]) -> list[IterVar]:
    return [IterVar(axis.name, axis.dom, IterType.COMM_REDUCE) for axis in axes]


class StagePart(NamedTuple):
    """A part of the derivative by `target` that is a stage: `tensor`, at the same positions."""

    target: Tensor
    tensor: Tensor

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr:
        """An element of the stage."""
        return self.tensor[(*prefix, *positions)]


Part = Term | StagePart


def add(parts: list[Any], part: Any) -> None:
    """Adds a part to others by one tensor, to another one of the same element if there is one."""
    if isinstance(part, Term) and not part.conditions:
        for number, other in enumerate(parts):
            if not isinstance(other, Term) or other.axes is not part.axes or other.conditions:
                continue
            pairs = zip(other.read.indices, part.read.indices, strict=True)
            if all(alike(one, two) for one, two in pairs):
                parts[number] = other._replace(value=other.value + part.value)
                return
    parts.append(part)


def total(
    parts: Sequence[Any], prefix: Sequence[IterVar], at: Sequence[IterVar], dtype: str
) -> Expr:
    """An element of a derivative: the sum of its parts."""
    found = [part.element(prefix, at) for part in parts]
    value = found[0] if found else Const(0.0, dtype)
    for more in found[1:]:
        value = value + more
    return value


def through(
    op: ComputeOp, seeds: Mapping[Tensor, Expr], prefix: Sequence[IterVar], wants: Wants
) -> Iterator[Term]:
    """The parts of the derivatives by what an equation reads.

    `seeds` are the derivatives by its tensors, at its axes.
    """
    for tensor, body in zip(op.outputs, op.body, strict=True):
        if tensor not in seeds:
            continue
        for part, seed, axes, inside in _parts(op, body, seeds[tensor]):
            for leaf, conditions, value in contributions(part, seed, wants, op.name):
                assert isinstance(leaf, TensorSlice)
                holds = *inside, *conditions
                from_data = any(map(is_from_data, op.reduce_axis))
                yield Term(leaf, axes, prefix, holds, value, f"by.{op.name}", from_data)


def is_float(tensor: Tensor) -> bool:
    """Whether there are derivatives by the elements of a tensor."""
    return dtypes.of(tensor.dtype).kind == dtypes.FLOAT


def an_equation(op: Operation) -> ComputeOp:
    """The operation; raises `teloom.Error` for one through which there is no derivative."""
    if not isinstance(op, ComputeOp):
        raise Error(f"the gradient goes through {op!r}, which is no equation")
    if op.domain or any(axis.dom is INFERRED for axis in op.axis):
        what = "a domain" if op.domain else "no shape"
        raise Error(f"the gradient goes through {op.name!r}, which has {what}")
    return op


_Part = tuple[Expr, Expr, Sequence[IterVar], Sequence[Expr]]
"""An expression, the derivative by it, the axes of both, and the conditions where it counts."""


def _parts(op: ComputeOp, body: Expr, seed: Expr) -> list[_Part]:
    if not isinstance(body, Reduce):
        return [(body, seed, [*op.axis], [])]
    reduction, number = body.reduction, body.value_index
    boxes, inside = boxes_of(op)
    axes = [*op.axis, *(boxes.get(axis, axis) for axis in op.reduce_axis)]
    source = Substitution({**boxes}, {}).of(reduction.sources[number])
    by_source, by_start = by_folded(op, number, seed)
    parts: list[_Part] = [(source, by_source, axes, inside)]
    if by_start is not None:
        parts.append((reduction.start[number], by_start, [*op.axis], []))
    return parts
