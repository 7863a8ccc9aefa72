"""The stage of a hybrid script, and the loops of it that are axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from teloom.dialects.loop.kinds import LoopKind
from teloom.frontend.expr.expressions import Expr, Var, size_var, walk
from teloom.frontend.extern.externs import sizes_in
from teloom.frontend.extern.statements import (
    Element,
    Keep,
    Kept,
    Local,
    Loop,
    Statement,
    Store,
    all_of,
    elements_in,
)
from teloom.frontend.hybrid.zeros import covers, with_zeros
from teloom.frontend.tensor.buffers import Buffer, decl_buffer
from teloom.frontend.tensor.tensors import ExternOp, IterVar, Range, Tensor, TensorRegion


class HybridOp(ExternOp):
    """The tensors that a script fills. Its `axis` are the loops around all that it does.

    A loop is one if each of its iterations loads and stores the elements of its own position
    along an axis of all outputs; then their order is free.
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[TensorRegion],
        in_buffers: Sequence[Buffer],
        outputs: Sequence[Buffer],
        statements: Sequence[Statement],
    ):
        axes, body = _axes_and_body(statements, outputs)
        count = len(axes)
        slices = [_slice(buffer, count) for buffer in outputs]
        body = with_zeros(body, outputs, axes)
        numbers = sizes_in(body, [*in_buffers, *outputs])
        super().__init__(name, inputs, in_buffers, slices, body, numbers)
        extents = outputs[0].extents[:count]
        self.axis = [
            IterVar(loop.var.name, Range(extent * 0, extent))
            for loop, extent in zip(axes, extents, strict=True)
        ]
        pairs = zip(axes, self.axis, strict=True)
        self.loops: Mapping[Expr, Expr] = {loop.var: axis + loop.begin for loop, axis in pairs}
        self.slices = dict(zip(outputs, slices, strict=True))
        self._outputs = tuple(
            Tensor(self, index, buffer.extents, buffer.dtype)
            for index, buffer in enumerate(outputs)
        )


def _slice(buffer: Buffer, axes: int) -> Buffer:
    """What of an output one point of its first axes has; it begins anywhere, and lies as found."""
    if not axes:
        return buffer
    strides = [size_var(f"{buffer.name}_stride{k}", "int64") for k in range(axes, buffer.ndim)]
    offset = size_var(f"{buffer.name}_elem_offset", "int64")
    return decl_buffer(buffer.extents[axes:], buffer.dtype, buffer.name, strides, offset)


def _axes_and_body(
    statements: Sequence[Statement], outputs: Sequence[Buffer]
) -> tuple[list[Loop], list[Statement]]:
    """The loops that are axes, outermost first, and what runs at a point of them."""
    axes: list[Loop] = []
    body = [*statements]
    while body and isinstance(last := body[-1], Loop):
        before = body[:-1]
        if not all(_is_cheap(one, outputs) for one in before):
            break
        if not _is_axis(last, len(axes), outputs):
            break
        axes.append(last)
        body = [*before, *last.body]
    return axes, body


def _is_cheap(statement: Statement, outputs: Sequence[Buffer]) -> bool:
    """Whether a statement in front of a loop may as well run at each iteration."""
    if not isinstance(statement, Keep) or not isinstance(statement.value, Element | Kept):
        return False
    return not any(element.buffer in outputs for element in elements_in(statement))


def _is_axis(loop: Loop, axis: int, outputs: Sequence[Buffer]) -> bool:
    """Whether the iterations of a loop are the positions along an axis of all outputs."""
    if loop.kind is not LoopKind.SERIAL or any(buffer.ndim <= axis for buffer in outputs):
        return False
    if not all(isinstance(one, Var) or not _is_leaf(one) for one in walk((loop.begin, loop.end))):
        return False
    return all(
        covers(loop, element.indices[axis], element.buffer.extents[axis])
        for element in _elements(loop)
        if element.buffer in outputs
    )


def _is_leaf(expr: Expr) -> bool:
    return isinstance(expr, Local | Element)


def _elements(loop: Loop) -> list[Element]:
    """The elements that are loaded or stored in a loop."""
    inside = [*all_of(loop.body)]
    stored = [one.target for one in inside if isinstance(one, Store)]
    return [*stored, *(element for one in inside for element in elements_in(one))]
