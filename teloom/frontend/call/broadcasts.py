"""Sizes of arrays that are broadcast: they are as long as their readers need, or have one element.

In TVM's programs the sizes of such an array are variables of its own, of which nothing says how
they are related to those of its readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from teloom.dialects.bodies.postorder import postorder
from teloom.frontend.call.binds import broadcasts, placement_sizes
from teloom.frontend.emit.program import sizes_of
from teloom.frontend.expr.expressions import Const, Expr, IfThenElse, Var, walk
from teloom.frontend.tensor.buffers import Buffer
from teloom.frontend.tensor.data_bounds import is_from_point
from teloom.frontend.tensor.shape_forms import distance, greatest
from teloom.frontend.tensor.tensors import (
    ExternOp,
    Operation,
    PlaceholderOp,
    Tensor,
    TensorSlice,
)
from teloom.frontend.tensor.updates import UpdateOp


def extents_read(
    operations: Sequence[Operation],
    args: Sequence[Tensor | Var],
    buffers: Mapping[Tensor, Buffer],
) -> dict[Var, Expr]:
    """For each size that stands in the shapes of broadcast arrays alone, what is read of them.

    A size is left out if that is not known, as where a condition or data says what is read.
    """
    repeated = [tensor for tensor, buffer in buffers.items() if broadcasts(tensor, buffer)]
    found: dict[Var, Expr] = {}
    for size in _own_sizes(repeated, operations, args, buffers):
        extents = [
            _extent(tensor, axis, operations)
            for tensor in repeated
            for axis, extent in enumerate(tensor.extents)
            if extent is size
        ]
        extent = _largest(extents)
        if extent is not None:
            found[size] = extent
    return found


def _own_sizes(
    repeated: Sequence[Tensor],
    operations: Sequence[Operation],
    args: Sequence[Tensor | Var],
    buffers: Mapping[Tensor, Buffer],
) -> list[Var]:
    """The sizes that are extents of these tensors, and stand nowhere else."""
    extents = dict.fromkeys(extent for tensor in repeated for extent in tensor.extents)
    others = [one for one in args if isinstance(one, Tensor) and one not in repeated]
    said: list[Expr] = [
        *(one for one in args if isinstance(one, Var)),
        *placement_sizes(buffers),
        *(extent for tensor in others for extent in tensor.extents),
        *(extent for extent in extents if not isinstance(extent, Var)),
        *sizes_of([op for op in operations if not isinstance(op, PlaceholderOp)]),
    ]
    elsewhere = {*walk(tuple(said))}
    return [one for one in extents if isinstance(one, Var) and one not in elsewhere]


def _extent(tensor: Tensor, axis: int, operations: Sequence[Operation]) -> Expr | None:
    """How many positions on an axis are read; None if that is not known."""
    ends: list[Expr | None] = []
    for op in operations:
        if tensor not in op.input_tensors:
            continue
        roots = _always_computed(op)
        every = {one for one in walk((*op.body,)) if _reads(one, tensor)}
        always = {one for one in _without_choices(roots) if _reads(one, tensor)}
        if not every or every != always or isinstance(op, ExternOp):
            return None
        ends += [_end(one.indices[axis]) for one in always if isinstance(one, TensorSlice)]
    return _largest(ends)


def _reads(expr: Expr, tensor: Tensor) -> bool:
    return isinstance(expr, TensorSlice) and expr.tensor is tensor


def _always_computed(op: Operation) -> list[Expr]:
    """What an operation computes at each of its points."""
    if op.domain or any(map(is_from_point, op.reduce_axis)):
        return []
    if not isinstance(op, UpdateOp):
        return op.body
    if op.definition.until is not None:
        return []
    always = [one for one in op.definition.writes if one.condition is None]
    return [expr for write in always for expr in write.exprs()]


def _without_choices(roots: Sequence[Expr]) -> Iterator[Expr]:
    """The parts of expressions that are computed whatever holds."""

    def always(expr: Expr) -> Sequence[Expr]:
        return (expr.condition,) if isinstance(expr, IfThenElse) else expr.operands()

    return iter(postorder(roots, always))


def _end(subscript: Expr) -> Expr | None:
    """The first position behind those of a subscript; None if it is not linear in axes."""
    last = greatest(subscript)
    return None if last is None else last + 1


def _largest(extents: Sequence[Expr | None]) -> Expr | None:
    """The greatest of some extents; None if one is not known, or which is the greatest."""
    found, *others = extents or [None]
    for one in others:
        if found is None or one is None:
            return None
        more = distance(one, found)
        if not isinstance(more, Const):
            return None
        found = one if more.value > 0 else found
    return found
