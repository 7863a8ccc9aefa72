"""On which boundaries accesses of memory lie, whatever their indices are."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import byte_width, said_of
from teloom.dialects.syntax.placements import ALIGNMENT


def access_alignment(buffer: SSAValue, index: SSAValue, forms: IndexForms) -> int:
    """What the address of an element is always a multiple of, in bytes."""
    assert isinstance(buffer.type, MemRefType)
    width = byte_width(buffer.type.element_type)
    start = forms.of(index).times(width)
    return gcd(buffer_alignment(buffer, forms), *start.terms.values())


def buffer_alignment(buffer: SSAValue, forms: IndexForms) -> int:
    """What the address of a buffer is known to be a multiple of, in bytes.

    An argument is aligned as its attributes say; elements are always on their own boundaries.
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
            attributes = map(said_of(buffer).get, (ALIGNMENT, "llvm.align"))
            said = [one.value.data for one in attributes if isinstance(one, IntegerAttr)]
            return max([byte_width(buffer.type.element_type), *said])
