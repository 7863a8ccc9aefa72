"""`te.gradient`: reverse mode, from an output through all equations to its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr, alike
from teloom.frontend.gradient.boxes import boxes_of
from teloom.frontend.gradient.derivatives import all_of, contributions
from teloom.frontend.gradient.reductions import by_source
from teloom.frontend.gradient.subscripts import points_of
from teloom.frontend.schedule.caches import Substitution
from teloom.frontend.tensor.conditions import if_then_else, select
from teloom.frontend.tensor.read_graph import post_dfs_order, read_graph
from teloom.frontend.tensor.reducers import sum
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.shape_forms import same_extents, shown_extents
from teloom.frontend.tensor.tensors import (
    INFERRED,
    ComputeOp,
    IterType,
    IterVar,
    Operation,
    Tensor,
    TensorSlice,
)


def gradient(output: Tensor, inputs: Tensor | Sequence[Tensor], head: Tensor | None = None) -> Any:
    """The derivatives of `output` by each of `inputs`, as a list of tensors.

    `head` is the derivative of something else by `output`: its last axes are those of `output`. The
    results have its other axes, if there are any, and then those of an input; without it they have
    all axes of `output` in front. They are equations like others, which schedules place. Where
    several elements are the extreme one of a maximum or minimum over an axis, they share its
    derivative equally; functions that round have the derivative 0.
    Raises `teloom.Error` for tensors that are no floats, and where an extern, a scan, an update, an
    equation with a domain or a function without a rule is between them, a reduction of several
    values, or one that is no sum and has an `init` or bounds over other axes.
    Source: TVM's te.gradient.

    >>> from teloom import te
    >>> A, k = te.placeholder((8, 4), name="A"), te.reduce_axis((0, 4), "k")
    >>> B = te.compute((8,), lambda i: te.sum(A[i, k] * A[i, k], axis=k), name="B")
    >>> H = te.placeholder((8,), name="H")
    >>> (dA,) = te.gradient(B, [A], head=H)
    >>> dA.op.body
    [((H[i0] * A[i0, i1]) + (H[i0] * A[i0, i1]))]
    """
    wanted: list[Any] = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    for tensor in (output, *wanted, *([] if head is None else [head])):
        if not isinstance(tensor, Tensor):
            raise Error(f"gradient wants tensors, got {tensor!r}")
        if dtypes.of(tensor.dtype).kind != dtypes.FLOAT:
            raise Error(f"gradient wants floats, {tensor.name} is {tensor.dtype}")
    if head is None:
        head = _identity(output)
    _check_head(head, output)
    return _Gradients(output, wanted, head).found()


def _identity(output: Tensor) -> Tensor:
    def same(*axes: IterVar) -> Expr:
        both = zip(axes[: output.ndim], axes[output.ndim :], strict=True)
        equal = all_of([one == other for one, other in both])
        one = Const(1.0, output.dtype)
        return one if equal is None else select(equal, one, 0.0)

    return compute([*output.domain, *output.domain], same, name=f"{output.name}.identity")


def _check_head(head: Tensor, output: Tensor) -> None:
    last = head.extents[head.ndim - output.ndim :]
    if head.ndim < output.ndim or not same_extents(last, output.extents):
        raise Error(
            f"the last extents of the head {head.name}, [{shown_extents(head.extents)}], are not "
            f"those of {output.name}, [{shown_extents(output.extents)}]"
        )
    if head.dtype != output.dtype:
        raise Error(f"the head {head.name} is {head.dtype}, {output.name} is {output.dtype}")


class _Term(NamedTuple):
    """A part of the derivative by the tensor of `read`: `value`, over `axes`, at each point.

    It counts where the conditions hold. The axes of the head are `prefix`.
    """

    read: TensorSlice
    axes: Sequence[IterVar]
    prefix: Sequence[IterVar]
    conditions: tuple[Expr, ...]
    value: Expr
    name: str

    def at(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> tuple[Expr, Any]:
        """Its value for one element, and the axes to sum over."""
        points = points_of(self.read.indices, positions, self.axes)
        left = [axis for axis in self.axes if axis not in points.solved]
        inner = [IterVar(axis.name, axis.dom, IterType.COMM_REDUCE) for axis in left]
        known: dict[IterVar, Expr] = dict(
            zip([*self.prefix, *left], [*prefix, *inner], strict=True)
        )
        for axis, value in reversed(points.solved.items()):
            known[axis] = Substitution(known, {}).of(value)
        new = Substitution(known, {})
        value = new.of(self.value)
        holds = all_of([new.of(one) for one in (*points.conditions, *self.conditions)])
        return (value if holds is None else if_then_else(holds, value, 0.0)), inner

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr:
        """Its value for one element, as an equation."""
        value, inner = self.at(prefix, positions)
        return sum(value, axis=inner) if inner else value

    @property
    def has_sum(self) -> bool:
        """Whether points other than that of the element count."""
        positions = [IterVar("", one) for one in self.read.tensor.domain]
        return len(points_of(self.read.indices, positions, self.axes).solved) < len(self.axes)


_Part = tuple[Expr, Expr, list[IterVar], list[Expr]]
"""An expression, the derivative by it, the axes of both, and the conditions where it counts."""


class _Gradients:
    def __init__(self, output: Tensor, inputs: Sequence[Tensor], head: Tensor):
        self.inputs = inputs
        self.prefix = head.domain[: head.ndim - output.ndim]
        self.operations = post_dfs_order([output.op], read_graph([output.op]))
        self.by: dict[Tensor, Tensor] = {output: head}
        self.terms: dict[Tensor, list[_Term]] = {}
        self.active = {*inputs}
        for op in self.operations:
            if self.active.intersection(op.input_tensors):
                self.active.update(op.outputs)

    def found(self) -> list[Tensor]:
        for op in reversed(self.operations):
            for tensor in op.outputs:
                self._close(tensor)
            if self.active.intersection(op.input_tensors) and any(
                tensor in self.by for tensor in op.outputs
            ):
                self._through(op)
        return [self.by[one] if one in self.by else self._stage(one, []) for one in self.inputs]

    def _close(self, tensor: Tensor) -> None:
        """Makes the derivative by a tensor, all of whose readers were seen."""
        terms = self.terms.get(tensor)
        if not terms:
            return
        if len(terms) > 1:
            terms = [self._apart(term) if term.has_sum else term for term in terms]
        self.by[tensor] = self._stage(tensor, terms)

    def _stage(self, tensor: Tensor, terms: Sequence[Any], name: str = "") -> Tensor:
        count = len(self.prefix)

        def total(*axes: IterVar) -> Expr:
            found = [term.element(axes[:count], axes[count:]) for term in terms]
            value = found[0] if found else Const(0.0, tensor.dtype)
            for more in found[1:]:
                value = value + more
            return value

        return compute([*self.prefix, *tensor.domain], total, name=name or f"{tensor.name}.grad")

    def _apart(self, term: _Term) -> Any:
        """A term that sums, as a stage of its own."""
        return _Read(self._stage(term.read.tensor, [term], f"{term.read.tensor.name}.{term.name}"))

    def _through(self, op: Operation) -> None:
        """Adds the parts of the derivatives by the tensors that an operation reads."""
        _check(op)
        prefix = [IterVar(f"p{number}", one) for number, one in enumerate(self.prefix)]
        for tensor, body in zip(op.outputs, op.body, strict=True):
            if tensor not in self.by:
                continue
            seed: Expr = self.by[tensor][(*prefix, *op.axis)]
            parts: list[_Part] = [(body, seed, [*op.axis], [])]
            if isinstance(body, Reduce):
                assert isinstance(op, ComputeOp)
                reduction = body.reduction
                boxes, inside = boxes_of(op)
                axes = [*op.axis, *(boxes.get(axis, axis) for axis in op.reduce_axis)]
                source = Substitution({**boxes}, {}).of(reduction.sources[0])
                parts = [(source, by_source(op, seed), axes, inside)]
                parts += [(one, seed, [*op.axis], []) for one in reduction.start]
            for part, by_part, axes, inside in parts:
                for leaf, conditions, value in contributions(part, by_part, self._wants, op.name):
                    assert isinstance(leaf, TensorSlice)
                    holds = *inside, *conditions
                    self._add(_Term(leaf, axes, prefix, holds, value, f"by.{op.name}"))

    def _wants(self, expr: Expr) -> bool:
        return isinstance(expr, TensorSlice) and expr.tensor in self.active

    def _add(self, term: _Term) -> None:
        """Adds a term, to another one of the same element if there is one."""
        terms = self.terms.setdefault(term.read.tensor, [])
        for number, other in enumerate(terms):
            if other.axes is term.axes and not (other.conditions or term.conditions):
                pairs = zip(other.read.indices, term.read.indices, strict=True)
                if all(alike(one, two) for one, two in pairs):
                    terms[number] = other._replace(value=other.value + term.value)
                    return
        terms.append(term)


class _Read(NamedTuple):
    """A term that is a stage."""

    tensor: Tensor

    def element(self, prefix: Sequence[IterVar], positions: Sequence[IterVar]) -> Expr:
        """An element of the stage."""
        return self.tensor[(*prefix, *positions)]


def _check(op: Operation) -> None:
    """Raises `teloom.Error` for an operation through which there is no derivative."""
    if not isinstance(op, ComputeOp):
        raise Error(f"the gradient goes through {op!r}, which is no equation")
    if op.domain or any(axis.dom is INFERRED for axis in op.axis):
        what = "a domain" if op.domain else "no shape"
        raise Error(f"the gradient goes through {op.name!r}, which has {what}")
