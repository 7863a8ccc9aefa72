"""The operations that caches and clones create or change: they compute, copy, or read a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any, NamedTuple, TypeVar

from teloom.errors import ScheduleError
from teloom.frontend.expr.expressions import Cast, Expr, cast
from teloom.frontend.tensor.conditions import if_then_else
from teloom.frontend.tensor.reductions import Reduce, outputs_of
from teloom.frontend.tensor.tensors import (
    ComputeOp,
    ExternOp,
    IterVar,
    Operation,
    Range,
    ScanOp,
    Tensor,
    TensorSlice,
)
from teloom.frontend.tensor.updates import UpdateOp

Definition = TypeVar("Definition", bound=ComputeOp | ExternOp | UpdateOp)


def computing(op: Operation, name: str) -> ComputeOp | ExternOp:
    """An operation with the equation or code of `op`, over new data axes and old reduce axes."""
    if isinstance(op, ExternOp) or not op.runs_over_elements:
        made = cloned(op, name)
        made.reduce_axis = op.reduce_axis
        return made
    axes = {axis: IterVar(f"{axis.name}.c", axis.dom) for axis in op.axis}
    new = Substitution(axes, {})
    body, domain = new.of_body(op.body), [new.of(condition) for condition in op.domain]
    return ComputeOp(name, list(axes.values()), body, op.reduce_axis, op.tag, op.attrs, domain)


def copying(op: Operation, source: Operation) -> ComputeOp:
    """An operation with the data axes of `op`, and more if these are not all of its tensors'.

    It copies the tensors of `source`. If these have fewer axes than `op`, `apply-schedule` refuses
    the command.
    """
    left = op.output(0).domain[len(op.axis) :]
    more = [IterVar(f"ax{number}", one) for number, one in enumerate(left, len(op.axis))]
    axes = [*op.axis, *more]
    body = [TensorSlice(tensor, tuple(axes)) for tensor in source.outputs]
    return ComputeOp(op.name, axes, body, domain=op.domain)


def from_both_sides(op: ComputeOp, triangle: Operation, row: IterVar, column: IterVar) -> ComputeOp:
    """An operation with the data axes of `op`: its elements above the diagonal are those below."""
    opposite = {row: column, column: row}
    points = tuple(op.axis), tuple(opposite.get(axis, axis) for axis in op.axis)
    body = [
        if_then_else(column <= row, *(TensorSlice(tensor, point) for point in points))
        for tensor in triangle.outputs
    ]
    return ComputeOp(op.name, op.axis, body)


def cloned(op: Definition, name: str) -> Definition:
    """An operation that does the same over axes of its own, for tensors of its own."""
    axes = Substitution({}, {})
    for axis in (*op.axis, *op.reduce_axis):
        dom = axis.dom and Range(axes.of(axis.dom.min), axes.of(axis.dom.extent))
        axes.known[axis] = IterVar(axis.name, dom, axis.iter_type)
    made = copy(op)
    made.name = name
    made.axis, made.reduce_axis = (
        [axes.axis(one) for one in of] for of in (op.axis, op.reduce_axis)
    )
    if isinstance(made, UpdateOp):
        made.definition = made.definition.with_exprs(axes.of)
        made.body = made.definition.exprs()
    elif op.body:
        made.body = axes.of_body(op.body)
    made.domain = [axes.of(condition) for condition in op.domain]
    made.own_outputs()
    return made


class Parted(NamedTuple):
    """The operations that an operation with several outputs is divided into."""

    parts: list[ComputeOp | UpdateOp]
    """Operations with one output each, over axes of their own."""
    rest: ComputeOp | UpdateOp
    """The operation with the other outputs."""
    outputs: list[Tensor]
    """The outputs of all of these, in the order of those of the operation."""


def parted(op: Operation, names: Mapping[int, str]) -> Parted:
    """Parts an operation: output k goes to an operation of the name `names[k]`.

    Raises `teloom.ScheduleError` for an extern and a scan, and where no output is left.
    """
    kept = [number for number in range(op.num_outputs) if number not in names]
    reason = "" if kept else "one of them stays in it; name the others"
    if isinstance(op, ScanOp):
        reason = "it is a scan, whose steps read it; part those of a step"
    if isinstance(op, ExternOp):
        reason = "it is an extern, whose body fills them all"
    if reason or not isinstance(op, ComputeOp | UpdateOp):
        raise ScheduleError(f"cannot part the results of {op.name}: {reason}")
    parts = [cloned(with_outputs(op, [number]), name) for number, name in names.items()]
    rest = with_outputs(op, kept)
    found = dict(zip(kept, rest.outputs, strict=True))
    found |= {number: part.output(0) for number, part in zip(names, parts, strict=True)}
    return Parted(parts, rest, [found[number] for number in range(op.num_outputs)])


def with_outputs(op: ComputeOp | UpdateOp, numbers: Sequence[int]) -> ComputeOp | UpdateOp:
    """An operation over the same axes that has some of the outputs of `op` alone."""
    if isinstance(op, UpdateOp):
        return op.with_outputs(numbers)
    body = [op.body[number] for number in numbers]
    if isinstance(top := op.body[0], Reduce):
        body = outputs_of(top.reduction.with_outputs(numbers))
    return ComputeOp(op.name, op.axis, body, op.reduce_axis, op.tag, op.attrs, op.domain)


def copy_of(tensor: Tensor, name: str, dtype: str) -> ComputeOp:
    """An operation that copies one tensor, each element as `dtype`."""
    axes = axes_of(tensor)
    new = Substitution(dict(zip(tensor.op.axis, axes, strict=False)), {})
    domain = [new.of(condition) for condition in tensor.op.domain]
    return ComputeOp(name, axes, [cast(tensor[tuple(axes)], dtype)], domain=domain)


def axes_of(tensor: Tensor) -> list[IterVar]:
    """New axes that run over the elements of a tensor."""
    return [IterVar(f"ax{number}", dom) for number, dom in enumerate(tensor.domain)]


def reading(
    op: Operation, tensor: Tensor, cache: Tensor
) -> ComputeOp | ExternOp | ScanOp | UpdateOp:
    """`op` with the same axes, but reading `cache` in place of `tensor`."""
    if isinstance(op, ScanOp):
        return op.reading(tensor, cache)
    if isinstance(op, ExternOp):
        return op.with_inputs(
            [
                replace(region, tensor=cache) if region.tensor is tensor else region
                for region in op.inputs
            ]
        )
    substitution = Substitution({}, {tensor: cache})
    if isinstance(op, UpdateOp):
        return op.reading(tensor, cache, substitution.of)
    assert isinstance(op, ComputeOp)
    made = copy(op)  # commands may have changed its axes, from which no shape follows then
    made.body = substitution.of_body(op.body)
    made.own_outputs()
    return made


def check_all_of_one(tensors: Sequence[Tensor]) -> None:
    """Raises `teloom.ScheduleError` unless these are all tensors of one operation."""
    outputs = tensors[0].op.outputs if tensors else ()
    if not tensors or len(tensors) != len(outputs) or set(tensors) != set(outputs):
        found = ", ".join(tensor.name for tensor in tensors) or "none"
        every = ", ".join(tensor.name for tensor in outputs) or "T.v0, T.v1"
        raise ScheduleError(
            f"cache_write wants all tensors of one operation, as in [{every}], got {found}"
        )


class Substitution:
    """Substitutes parts and tensors in expressions; one without any is kept, not copied."""

    def __init__(self, parts: Mapping[Any, Expr], tensors: Mapping[Tensor, Tensor]):
        self.tensors = tensors
        self.known: dict[Expr, Expr] = {**parts}

    def of_body(self, body: Sequence[Expr]) -> list[Expr]:
        """The substituted body of an equation; all outputs of a reduction share it."""
        if not isinstance(body[0], Reduce):
            return [self.of(expr) for expr in body]
        reduction = body[0].reduction
        sources = tuple(self.of(source) for source in reduction.sources)
        init = tuple(self.of(start) for start in reduction.init)
        neutral = tuple(self.of(one) for one in reduction.identity)
        axes = tuple(map(self.axis, reduction.axes))
        combined = tuple(self.of(one) for one in reduction.combined)
        made = replace(
            reduction,
            sources=sources,
            axes=axes,
            combined=combined,
            identity=neutral,
            init=init,
        )
        return [*outputs_of(made)]

    def axis(self, axis: IterVar) -> IterVar:
        """The axis in the place of another one; itself if that is an expression, or nothing."""
        found = self.known.get(axis)
        return found if isinstance(found, IterVar) else axis

    def of(self, expr: Expr) -> Expr:
        # A post-order walk with an explicit stack: long sums nest deeper than Python can recurse.
        pending = [expr]
        while pending:
            top = pending[-1]
            waiting = [one for one in top.operands() if one not in self.known]
            if waiting:
                pending.extend(waiting)
                continue
            pending.pop()
            if top not in self.known:
                self.known[top] = self._with_new_operands(top)
        return self.known[expr]

    def _with_new_operands(self, expr: Any) -> Expr:
        if isinstance(expr, IterVar):
            return expr
        if isinstance(expr, Cast):
            return cast(self.known[expr.value], expr.dtype)
        old = {field.name: getattr(expr, field.name) for field in fields(expr)}
        new = {name: self._operand(value) for name, value in old.items()}
        return expr if all(new[name] is old[name] for name in old) else replace(expr, **new)

    def _operand(self, value: object) -> object:
        if isinstance(value, Expr):
            return self.known[value]
        if isinstance(value, Tensor):
            return self.tensors.get(value, value)
        if isinstance(value, tuple) and any(self.known[one] is not one for one in value):
            return tuple(self.known[one] for one in value)
        return value
