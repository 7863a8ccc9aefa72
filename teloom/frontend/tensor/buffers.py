"""Buffers: declared layouts of tensors in memory, for arrays of callers and for externs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.utils.exceptions import VerifyException

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.dialects.syntax.scopes import GLOBAL, verify_scope
from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr, Var, shown_shape
from teloom.frontend.expr.integers import checked_alignment, checked_integer
from teloom.frontend.expr.names import checked_text
from teloom.frontend.kinds import checked_kind
from teloom.frontend.missing_names import OF_BUFFERS, missing
from teloom.frontend.tensor.tensors import checked_shape, integer_expr
from teloom.lazy import loaded

_ZERO = Const(0, "int32")

AUTO_BROADCAST = "auto_broadcast"
"""The `buffer_type` of a buffer whose strides are found, unless they are said."""


@dataclass(frozen=True, eq=False)
class Buffer:
    """A declared layout of memory. Buffers are compared by identity.

    - `extents` and `strides` are in elements, per axis. A compact buffer, row-major and without
      gaps, has no strides.
    - `elem_offset` is the distance from the start of the memory to the first element, in
      elements. A `Var` in strides or offset takes the value that is found in the call.
    - `data_alignment` is the alignment of the memory in bytes; -1 is that of an element.
    - `offset_factor` divides the offset; 0 demands nothing.
    - `scope` is that of the memory.
    - `buffer_type` is "auto_broadcast" or empty, as it was declared. With the former, an array
      that is read may have one element on an axis whose stride is a `Var`, in place of all.
    """

    extents: tuple[Expr, ...]
    dtype: str
    name: str
    strides: tuple[Expr, ...]
    elem_offset: Expr
    data_alignment: int
    offset_factor: int
    scope: str
    buffer_type: str = ""

    __iter__ = None

    def __getattr__(self, name: str) -> object:
        raise missing("a buffer", name, OF_BUFFERS)

    def __getitem__(self, subscripts: object) -> Any:
        """An element, which the statement of an extern loads that it stands in."""
        return loaded("teloom.frontend.extern.ir_builder", "element_of")(self, subscripts)

    def vload(self, begin: object, dtype: object = None) -> Any:
        """An element by its subscripts; raises `teloom.Error` for vectors. As TVM's."""
        if dtype not in (None, self.dtype):
            raise Error(
                f"vload of {dtype} from buffer {self.name!r} of {self.dtype}; a loop that is "
                "vectorized loads vectors"
            )
        return self[tuple(begin) if isinstance(begin, list | tuple) else begin]

    @property
    def shape(self) -> tuple[Any, ...]:
        """The extents, in elements: integers, and expressions where they are symbolic."""
        return shown_shape(self.extents)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.extents)

    @property
    def data(self) -> Pointer:
        """The address of the memory; the first element is there if the offset is 0."""
        return Pointer(self, None, writes=True)

    def access_ptr(self, access_mask: str | int, offset: object = 0) -> Pointer:
        """The address of the element `offset` behind the first one, for access "r", "w" or "rw".

        Raises `teloom.Error` for another mask. Source: TVM's Buffer.access_ptr.
        """
        masks = {"r": False, "w": True, "rw": True, "wr": True, 1: False, 2: True, 3: True}
        if access_mask not in masks:
            raise Error(f'access_ptr of {self.name!r} is for "r", "w" or "rw", not {access_mask!r}')
        first = integer_expr(offset, "offset", f"access_ptr of {self.name}")
        return Pointer(self, first, masks[access_mask])


@dataclass(frozen=True, eq=False)
class Pointer:
    """The address of the element of a buffer that is `offset` behind the first one.

    Without an `offset` it is the address of the memory. `writes` tells whether the callee may
    write there.
    """

    buffer: Buffer
    offset: Expr | None
    writes: bool


def decl_buffer(
    shape: object,
    dtype: object = None,
    name: str = "buffer",
    strides: object = None,
    elem_offset: object = None,
    data_alignment: int = -1,
    offset_factor: int = 0,
    scope: str = GLOBAL,
    buffer_type: str = "",
) -> Buffer:
    """A buffer of `shape`, in elements; by default float32, compact and without an offset.

    With an `offset_factor` and no `elem_offset`, the offset is any multiple of it. With the
    `buffer_type` "auto_broadcast" and no `strides`, these are what a call finds: 0 for an axis
    along which one element is repeated, which may be the only one of the array there.
    Raises `teloom.Error` for another number of strides than axes; for a stride, offset or extent
    that is no integer or negative; for a stride or offset above 2^40; for an alignment that is no
    power of two up to 2^32; and for an unknown scope or `buffer_type`.
    Source: TVM's tir.decl_buffer.

    >>> row = decl_buffer((64,), name="row", strides=[1], offset_factor=16)
    >>> row.strides, row.elem_offset
    ((1,), row_elem_offset)
    """
    checked_text(name, "name of decl_buffer")
    extents = checked_shape(shape, name)
    if buffer_type not in ("", AUTO_BROADCAST):
        raise Error(
            f"buffer_type of buffer {name!r} is {buffer_type!r}, not '' or {AUTO_BROADCAST!r}"
        )
    if strides is None and buffer_type:
        strides = [Var(f"{name}_stride{axis}", "int64") for axis in range(len(extents))]
    steps = () if strides is None else _distances(strides, f"strides of {name}")
    if steps and len(steps) != len(extents):
        raise Error(f"{len(steps)} strides for the {len(extents)} axes of buffer {name!r}")
    factor = checked_integer(offset_factor, f"offset_factor of buffer {name!r}", Error)
    if factor < 0:
        raise Error(f"offset_factor {factor} of buffer {name!r} is negative")
    alignment = checked_integer(data_alignment, f"data_alignment of buffer {name!r}", Error)
    if alignment != -1:
        checked_alignment(alignment, f"data_alignment of buffer {name!r}")
    known_scope = checked_text(scope, f"scope of buffer {name!r}")
    try:
        verify_scope(known_scope)
    except VerifyException as error:
        raise Error(f"buffer {name!r}: {error}") from None
    return Buffer(
        extents,
        "float32" if dtype is None else dtypes.checked_name(dtype),
        name,
        steps,
        _offset(elem_offset, name, factor),
        alignment,
        factor,
        known_scope,
        buffer_type,
    )


def _offset(elem_offset: object, name: str, offset_factor: int) -> Expr:
    if elem_offset is None:
        return Var(f"{name}_elem_offset", "int64") if offset_factor else _ZERO
    return _distance(elem_offset, f"elem_offset of {name}")


def _distances(values: Any, what: str) -> tuple[Expr, ...]:
    checked_kind(values, tuple | list, what, "a list of integers, one for each axis")
    return tuple(_distance(value, what) for value in values)


def _distance(value: object, what: str) -> Expr:
    """`value` as an integer expression; a constant is an int32 if it fits."""
    expr = integer_expr(value, "value", what)
    if not isinstance(expr, Const):
        return expr
    if not 0 <= expr.value <= LARGEST_SIZE:
        raise Error(f"{what}: {expr} is no number of elements from 0 to {LARGEST_SIZE}")
    return Const(expr.value, dtypes.of_integer(expr.value))
