"""On which boundaries accesses of memory lie, whatever their indices are."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import BlockArgument, SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.analysis.signature import placement_of


def access_alignment(buffer: SSAValue, index: SSAValue, forms: IndexForms) -> int:
    """What the address of an element is always a multiple of, in bytes."""
    assert isinstance(buffer.type, MemRefType)
    width = byte_width(buffer.type.element_type)
    start = forms.of(index).times(width)
    return gcd(buffer_alignment(buffer, forms), *start.terms.values())


def buffer_alignment(buffer: SSAValue, forms: IndexForms) -> int:
    """What the address of a buffer is known to be a multiple of, in bytes.

    An argument is aligned as its function says; elements are always on their own boundaries.
    """
    assert isinstance(buffer.type, MemRefType)
    match buffer.owner:
        case memref.AllocOp(alignment=IntegerAttr() as given):
            return given.value.data
        case memref.AllocaOp(alignment=IntegerAttr() as given):
            return given.value.data
        case memref.ViewOp() as view:
            shift = forms.of(view.byte_shift)
            return gcd(buffer_alignment(view.source, forms), *shift.terms.values())
        case _:
            said = max(placement_of(buffer).alignment, _aligned(buffer))
            return max(byte_width(buffer.type.element_type), said)


def _aligned(buffer: SSAValue) -> int:
    """What `llvm.align` of an argument says."""
    function = buffer.owner.parent_op()
    if not isinstance(buffer, BlockArgument) or not isinstance(function, func.FuncOp):
        return 1
    given = function.arg_attrs
    said = None if given is None else given.data[buffer.index].data.get("llvm.align")
    return said.value.data if isinstance(said, IntegerAttr) else 1
