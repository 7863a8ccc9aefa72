"""The stage of a hybrid script, and the loops of it that are axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from teloom.dialects.loop.kinds import LoopKind
from teloom.frontend.expr.expressions import Const, Expr
from teloom.frontend.extern.externs import declared_as_found, sizes_in
from teloom.frontend.extern.statements import (
    Element,
    Keep,
    Kept,
    Loop,
    Statement,
    Store,
    all_of,
    elements_in,
)
from teloom.frontend.hybrid.zeros import covers, with_zeros
from teloom.frontend.source_location import SourceLocation
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.tensors import ExternOp, IterVar, Range, Tensor, TensorRegion


class HybridOp(ExternOp):
    """The tensors that a script fills. Its `axis` are the loops around all that it does.

    A loop is one if each of its iterations loads and stores the elements of its own position
    along an axis of all outputs; then their order is free. Of an input, a point takes the slice
    that it loads of, where that is at positions of axes.
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[TensorRegion],
        in_buffers: Sequence[Buffer],
        outputs: Sequence[Buffer],
        statements: Sequence[Statement],
        location: SourceLocation,
    ):
        """`location` is where the script begins."""
        axes, body = _axes_and_body(statements, outputs)
        count = len(axes)
        extents = outputs[0].extents[:count]
        points = [
            IterVar(loop.var.name, Range(extent * 0, extent))
            for loop, extent in zip(axes, extents, strict=True)
        ]
        body = with_zeros(body, outputs, axes, location)
        numbers = sizes_in(body, [*in_buffers, *outputs])
        taken = [
            [points[number] for number in _positions(buffer, body, axes)] for buffer in in_buffers
        ]
        regions = [_at(*one) for one in zip(inputs, taken, strict=True)]
        ins = [_slice(*one) for one in zip(in_buffers, taken, strict=True)]
        outs = [_slice(buffer, points) for buffer in outputs]
        super().__init__(name, regions, ins, outs, body, numbers)
        self.axis = points
        pairs = zip(axes, points, strict=True)
        self.loops: Mapping[Expr, Expr] = {loop.var: axis + loop.begin for loop, axis in pairs}
        self.slices = dict(zip([*in_buffers, *outputs], [*ins, *outs], strict=True))
        self._outputs = tuple(
            Tensor(self, index, buffer.extents, buffer.dtype)
            for index, buffer in enumerate(outputs)
        )


def _slice(buffer: Buffer, points: Sequence[IterVar]) -> Buffer:
    """The slice of a buffer at positions along its first axes, wherever it lies."""
    if not points:
        return buffer
    name = "_".join([buffer.name, *(point.name for point in points)])
    return declared_as_found(buffer.extents[len(points) :], buffer.dtype, name)


def _at(region: TensorRegion, points: Sequence[IterVar]) -> TensorRegion:
    """The slice of a box at positions along its first axes."""
    begins, extents = [*region.begins], [*region.extents]
    for axis, point in enumerate(points):
        begins[axis], extents[axis] = begins[axis] + point, Const(1, "int32")
    return replace(region, begins=tuple(begins), extents=tuple(extents))


def _positions(buffer: Buffer, statements: Sequence[Statement], loops: Sequence[Loop]) -> list[int]:
    """The numbers of the loops at whose positions a buffer is loaded, along its first axes."""
    loaded = [one for one in _elements(statements) if one.buffer is buffer]
    found: list[int] = []
    for axis, extent in enumerate(buffer.extents if loaded else ()):
        subscripts = [one.indices[axis] for one in loaded]
        fitting = [
            number
            for number, loop in enumerate(loops)
            if number not in found and all(covers(loop, one, extent) for one in subscripts)
        ]
        if not fitting:
            break
        found.append(fitting[0])
    return found


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
    own = [(loop.var - loop.begin, buffer) for buffer in outputs]
    elements = [one for one in _elements(loop.body) if one.buffer in outputs]
    touched = [(one.indices[axis], one.buffer) for one in elements]
    return all(covers(loop, index, buffer.extents[axis]) for index, buffer in [*own, *touched])


def _elements(statements: Sequence[Statement]) -> list[Element]:
    """The elements that are loaded or stored."""
    inside = [*all_of(statements)]
    stored = [one.target for one in inside if isinstance(one, Store)]
    return [*stored, *(element for one in inside for element in elements_in(one))]
