"""The zeros with which the tensors of a script begin, as in Python, where that can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.canonical import canonical
from teloom.dialects.loop.kinds import LoopKind
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Const, Expr, Var
from teloom.frontend.extern.statements import (
    Allocate,
    Branch,
    Element,
    Loop,
    LoopVar,
    Statement,
    Store,
    all_of,
    elements_in,
)
from teloom.frontend.source_location import SourceLocation
from teloom.frontend.tensor.buffers import Buffer


def with_zeros(
    statements: Sequence[Statement],
    outputs: Sequence[Buffer],
    around: Sequence[Loop],
    location: SourceLocation,
) -> list[Statement]:
    """The statements, in which `outputs` and allocated buffers begin as zeros.

    They run once for each iteration of the loops `around` them, over the first axes of outputs. A
    buffer is not filled where a nest of loops stores all of its elements first, and one that is no
    output also where nothing is loaded of it.
    """
    filled = [
        zero
        for buffer in outputs
        if not _is_filled(buffer, statements, around)
        for zero in _zeros(buffer, location, around)
    ]
    return [*filled, *_inside(statements)]


def _inside(statements: Sequence[Statement]) -> Iterator[Statement]:
    for position, statement in enumerate(statements):
        for body in statement.bodies():
            body[:] = _inside(body)
        yield statement
        if isinstance(statement, Allocate):
            behind = statements[position + 1 :]
            is_loaded = any(_loads(one, statement.buffer) for one in behind)
            if is_loaded and not _is_filled(statement.buffer, behind, ()):
                yield from _zeros(statement.buffer, statement.location, ())


def _zeros(buffer: Buffer, location: SourceLocation, around: Sequence[Loop]) -> list[Statement]:
    """Stores of zeros behind the axes of the loops around, at a line of the program."""
    outer: list[Expr] = [one.var - one.begin for one in around]
    axes = range(len(around), buffer.ndim)
    positions = [LoopVar(f"{buffer.name}{axis}", "int32") for axis in axes]
    made: Statement = Store(Element(buffer, (*outer, *positions)), Const(0, buffer.dtype))
    made.location = location
    for position, axis in reversed([*zip(positions, axes, strict=True)]):
        extent = buffer.extents[axis]
        made = Loop(position, Const(0, "int32"), extent, LoopKind.SERIAL, [made])
        made.location = location
    return [made]


def _is_filled(buffer: Buffer, statements: Sequence[Statement], around: Sequence[Loop]) -> bool:
    """Whether all elements of a buffer are stored before one is loaded."""
    for statement in statements:
        if _loads(statement, buffer):
            return False
        if _fills(statement, buffer, around):
            return True
    return False


def _fills(statement: Statement, buffer: Buffer, loops: Sequence[Loop]) -> bool:
    """Whether a statement that loads nothing of a buffer stores each of its elements.

    It runs once for each iteration of `loops`.
    """
    match statement:
        case Loop():
            return any(_fills(one, buffer, [*loops, statement]) for one in statement.body)
        case Branch(then_body=then_body, else_body=list() as else_body):
            return all(
                any(_fills(one, buffer, loops) for one in body) for body in (then_body, else_body)
            )
        case Store(target=target) if target.buffer is buffer:
            return _are_all(target, loops)
    return False


def _are_all(target: Element, loops: Sequence[Loop]) -> bool:
    """Whether the loops give each element: each axis has the positions of one loop, shifted.

    The other loops have an iteration.
    """
    used: list[Loop] = []
    for index, extent in zip(target.indices, target.buffer.extents, strict=True):
        found = next((one for one in loops if covers(one, index, extent)), None)
        if found is None or found in used:
            return False
        used.append(found)
    return all(one in used or _has_an_iteration(one) for one in loops)


def _has_an_iteration(loop: Loop) -> bool:
    """Whether a loop has an iteration, whatever sizes are."""
    extent = loop.end - loop.begin
    return isinstance(extent, Const) and extent.value > 0


def covers(loop: Loop, index: Expr, extent: Expr) -> bool:
    """Whether a subscript is each of 0 .. extent once, in the order of a loop."""
    leaves: dict[Expr, AffineExpr] = {}

    def leaf(part: Expr) -> AffineExpr | None:
        if part is not loop.var and not isinstance(part, Var):
            return None
        return leaves.setdefault(part, AffineExpr.dimension(len(leaves)))

    forms = AffineForms[AffineExpr | None](leaf)
    shift = forms.of(index - loop.var + loop.begin)
    length = forms.of(loop.end - loop.begin - extent)
    zero = AffineExpr.constant(0)
    return all(one is not None and canonical(one) == zero for one in (shift, length))


def _loads(statement: Statement, buffer: Buffer) -> bool:
    """Whether a statement, or one in it, may load an element of a buffer."""
    return any(
        element.buffer is buffer for one in all_of([statement]) for element in elements_in(one)
    )
