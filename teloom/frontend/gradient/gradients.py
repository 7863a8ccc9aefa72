"""`te.gradient`: reverse mode, from an output through all equations to its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from teloom.errors import Error
from teloom.frontend.compute.equations import compute
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr
from teloom.frontend.gradient.derivatives import all_of
from teloom.frontend.gradient.scans import through_scan
from teloom.frontend.gradient.terms import (
    Part,
    StagePart,
    Term,
    add,
    an_equation,
    reads,
    through,
    total,
)
from teloom.frontend.gradient.updates import through_update
from teloom.frontend.tensor.conditions import select
from teloom.frontend.tensor.read_graph import post_dfs_order, read_graph
from teloom.frontend.tensor.scan_steps import scan_body
from teloom.frontend.tensor.shape_forms import same_extents, shown_extents
from teloom.frontend.tensor.tensors import (
    IterVar,
    Operation,
    ScanOp,
    Tensor,
)
from teloom.frontend.tensor.updates import UpdateOp


def gradient(output: Tensor, inputs: Tensor | Sequence[Tensor], head: Tensor | None = None) -> Any:
    """The derivatives of `output` by each of `inputs`, as a list of tensors.

    `head` is the derivative of something else by `output`: its last axes are those of `output`. The
    results have its other axes, if there are any, and then those of an input; without it they have
    all axes of `output` in front. They are equations, scans and updates like others, which
    schedules place, and code for updates that write elements several times. Where several elements
    are the extreme one of a maximum or minimum over an axis, they share its derivative equally;
    functions that round have the derivative 0.
    Raises `teloom.Error` for tensors that are no floats, and where an extern, an equation with a
    domain or a function without a rule is between them; a reduction of several values that finds
    no position, or one that is no sum and has bounds over other axes; a scan that reads its states
    at other times than a known number of steps before; an update with a domain, or whose places
    depend on what it changes.
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


class _Gradients:
    def __init__(self, output: Tensor, inputs: Sequence[Tensor], head: Tensor):
        self.inputs = inputs
        self.prefix = head.domain[: head.ndim - output.ndim]
        self.operations = post_dfs_order([output.op], read_graph([output.op]))
        self._check_inputs()
        self.by: dict[Tensor, Tensor] = {output: head}
        self.parts: dict[Tensor, list[Part]] = {}
        self.active = self._depending()

    def _check_inputs(self) -> None:
        """Raises `teloom.Error` for an input that has no elements outside of a scan."""
        for op in self.operations:
            if not isinstance(op, ScanOp):
                continue
            inside = {*op.states, *(one for step in scan_body(op)[:-1] for one in step.outputs)}
            for one in inside.intersection(self.inputs):
                raise Error(
                    f"{one.name} is inside of the scan {op.name}; there are derivatives by what "
                    "the scan reads and by its results"
                )

    def _depending(self) -> set[Tensor]:
        """The tensors that depend on the inputs; also states of scans, by the steps before."""
        found, count = {*self.inputs}, 0
        while len(found) > count:
            count = len(found)
            for op in self.operations:
                if found.intersection(op.input_tensors):
                    found.update(op.outputs)
                    if isinstance(op, ScanOp):
                        found.update(op.states)
        return found

    def found(self) -> list[Tensor]:
        for op in reversed(self.operations):
            for tensor in op.outputs:
                self._close(tensor)
            if self.active.intersection(op.input_tensors) and any(
                tensor in self.by for tensor in op.outputs
            ):
                for part in self._through(op):
                    add(self.parts.setdefault(part.target, []), part)
        return [self.by[one] if one in self.by else self._stage(one, []) for one in self.inputs]

    def _close(self, tensor: Tensor) -> None:
        """Makes the derivative by a tensor, all of whose readers were seen."""
        parts = self.parts.get(tensor)
        if not parts:
            return
        parts = [self._scattered(part) for part in parts]
        if len(parts) > 1:
            parts = [self._apart(part) for part in parts]
        only = self._only(tensor, parts)
        self.by[tensor] = self._stage(tensor, parts) if only is None else only

    def _only(self, tensor: Tensor, parts: Sequence[Part]) -> Tensor | None:
        """The stage that is the only part, of all elements; None if there is no such stage.

        One that is another derivative, too, is not taken: each is a tensor of its own.
        """
        part, shape = parts[0], [axis.extent for axis in (*self.prefix, *tensor.domain)]
        if len(parts) > 1 or isinstance(part, Term) or part.tensor in self.by.values():
            return None
        return part.tensor if same_extents(part.tensor.extents, shape) else None

    def _stage(self, tensor: Tensor, parts: Sequence[Part], name: str = "") -> Tensor:
        count = len(self.prefix)
        return compute(
            [*self.prefix, *tensor.domain],
            lambda *axes: total(parts, axes[:count], axes[count:], tensor.dtype),
            name=name or f"{tensor.name}.grad",
        )

    def _scattered(self, part: Part) -> Part:
        """A part whose points data tells, as an update that goes through all of them once."""
        if isinstance(part, StagePart) or not part.searches:
            return part
        return StagePart(part.target, part.scattered([*self.prefix, *part.target.domain]))

    def _apart(self, part: Part) -> Part:
        """A part that sums, as a stage of its own."""
        if isinstance(part, StagePart) or not part.has_sum:
            return part
        name = f"{part.target.name}.{part.name}"
        return StagePart(part.target, self._stage(part.target, [part], name))

    def _through(self, op: Operation) -> Iterable[Part]:
        """The parts of the derivatives by the tensors that an operation reads."""
        prefix = [IterVar(f"p{number}", one) for number, one in enumerate(self.prefix)]
        if isinstance(op, ScanOp):
            return through_scan(op, self.by, prefix, self.active)
        if isinstance(op, UpdateOp):
            return through_update(op, self.by, prefix, self.active)
        equation = an_equation(op)
        seeds = {
            tensor: self.by[tensor][(*prefix, *op.axis)]
            for tensor in op.outputs
            if tensor in self.by
        }
        return through(equation, seeds, prefix, reads(self.active))
