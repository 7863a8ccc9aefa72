"""How the arrays of a call lie in memory: the buffers that tensors are bound to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.placements import Placement, verify_placement
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.errors import Error
from teloom.frontend.call.namesakes import namesake
from teloom.frontend.emit.program import tensor_type
from teloom.frontend.expr.expressions import Expr, Var, walk
from teloom.frontend.tensor.buffers import AUTO_BROADCAST, Buffer
from teloom.frontend.tensor.shape_forms import ShapeForms
from teloom.frontend.tensor.tensors import PlaceholderOp, Tensor


def checked_binds(binds: object, args: Sequence[Tensor | Var]) -> dict[Tensor, Buffer]:
    """`binds`, if it gives buffers to tensors among `args`; `teloom.Error` for others."""
    if binds is None:
        return {}
    if not isinstance(binds, Mapping):
        raise Error(f"binds is {binds!r}, not a dict from tensors to buffers")
    given = set(args)
    for tensor, buffer in binds.items():
        if not isinstance(tensor, Tensor) or not isinstance(buffer, Buffer):
            raise Error(f"binds gives {buffer!r} for {tensor!r}, not a buffer for a tensor")
        if tensor not in given:
            raise Error(
                f"binds names {tensor.name}, which is not among the arguments"
                f"{namesake(tensor, args)}"
            )
        _check(tensor, buffer)
    return dict(binds)


def placement_sizes(binds: Mapping[Tensor, Buffer]) -> tuple[Expr, ...]:
    """The strides and offsets of the buffers: what is found in the arrays of a call."""
    return tuple(expr for one in binds.values() for expr in (*one.strides, one.elem_offset))


def broadcasts(tensor: Tensor, buffer: Buffer) -> bool:
    """Whether an element that is read may be repeated along an axis on which it is the only one."""
    return buffer.buffer_type == AUTO_BROADCAST and isinstance(tensor.op, PlaceholderOp)


def placement_of(tensor: Tensor, buffer: Buffer, forms: ShapeForms) -> Placement:
    """How the array of a tensor lies, by its buffer; size k is dimension k.

    Raises `teloom.Error` for what is not affine.
    """
    strides = forms.extents(buffer.strides, buffer.name) if buffer.strides else None
    (offset,) = forms.extents([buffer.elem_offset], buffer.name)
    return Placement(
        strides,
        offset,
        max(1, buffer.offset_factor),
        max(1, buffer.data_alignment),
        broadcasts=strides is not None and broadcasts(tensor, buffer),
    )


def _check(tensor: Tensor, buffer: Buffer) -> None:
    where = f"buffer {buffer.name!r}, to which binds gives {tensor.name},"
    if buffer.dtype != tensor.dtype:
        raise Error(f"{where} has dtype {buffer.dtype}, the tensor {tensor.dtype}")
    if buffer.scope != GLOBAL:
        raise Error(f"{where} is in scope {buffer.scope!r}; arrays of a call are global")
    exprs = (*tensor.extents, *buffer.extents, *placement_sizes({tensor: buffer}))
    forms = ShapeForms([expr for expr in walk(exprs) if isinstance(expr, Var)])
    shape = forms.extents(tensor.extents, tensor.name)
    if forms.extents(buffer.extents, buffer.name) != shape:
        raise Error(
            f"{where} has shape {_text(buffer.extents)}, the tensor {_text(tensor.extents)}"
        )
    written = not isinstance(tensor.op, PlaceholderOp)
    extents = tensor_type(shape, tensor.dtype).get_shape()
    try:
        verify_placement(placement_of(tensor, buffer, forms), extents, buffer.name, written)
    except VerifyException as error:
        raise Error(str(error)) from None


def _text(shape: Sequence[Expr]) -> str:
    return f"({', '.join(map(str, shape))})"
