"""The alignment of buffers and of accesses that holds for every index."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.analysis.signature import placement_of
from teloom.dialects.upstream.functions import ALIGN, said_of


def access_alignment(buffer: SSAValue, index: SSAValue, forms: IndexForms) -> int:
    """The known alignment of the address of `buffer[index]`, in bytes."""
    assert isinstance(buffer.type, MemRefType)
    width = byte_width(buffer.type.element_type)
    start = forms.of(index).times(width)
    return gcd(buffer_alignment(buffer, forms), *start.terms.values())


def buffer_alignment(buffer: SSAValue, forms: IndexForms) -> int:
    """The known alignment of a buffer's address, in bytes.

    The function's signature gives the alignment of an argument. An element is always aligned to
    its own size.
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
            given = said_of(buffer).get(ALIGN)
            said = given.value.data if isinstance(given, IntegerAttr) else 1
            width = byte_width(buffer.type.element_type)
            return max(width, placement_of(buffer).alignment, said)
