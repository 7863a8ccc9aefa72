"""Proves that the memory of a box has the layout that a buffer demands, or refuses it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd, lcm
from typing import NamedTuple

from xdsl.dialects.builtin import MemRefType, StridedLayoutAttr
from xdsl.ir import SSAValue

from teloom.analysis.accesses.alignment import buffer_alignment
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.signature import placement_of
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.dialects.bodies.box_buffers import number
from teloom.dialects.syntax.scopes import GLOBAL, scope_of_buffer
from teloom.errors import ScheduleError


class BoxMemory(NamedTuple):
    """The memory of a box: it begins at element `offset` of `storage` and has these strides.

    The tensor begins at element `start`, and the box `distance` elements behind that.
    """

    storage: SSAValue
    start: Polynomial
    distance: Polynomial
    strides: Sequence[Polynomial]
    extents: Sequence[Polynomial]

    @property
    def offset(self) -> Polynomial:
        return self.start + self.distance

    @property
    def factor(self) -> int:
        """The largest known divisor of the offset; 0 if the offset is 0."""
        declared = placement_of(self.storage).factor
        start = lcm(declared, gcd(*self.start.terms.values()))
        return gcd(start, *self.distance.terms.values())


def check_demands(op: loop.BufferOp, found: BoxMemory) -> None:
    """Raises `ScheduleError` unless strides, offset, scope and alignment provably match."""
    strides, offset = _demanded(op, found.extents)
    extents = [extent.as_constant() for extent in found.extents]
    for axis, (stride, wanted) in enumerate(zip(found.strides, strides, strict=True)):
        # Without a second element along an axis, its stride leads nowhere.
        if wanted is None or stride == wanted or 0 in extents or extents[axis] == 1:
            continue
        raise ScheduleError(
            f"{_name(op)}: axis {axis} has the stride {_text(stride)}, but the buffer asks for "
            f"{_text(wanted)}; leave the stride open, as `?` in its layout",
            op,
        )
    if offset is not None and found.offset != offset:
        raise ScheduleError(
            f"{_name(op)}: the box begins at element {_text(found.offset)}, but the buffer asks "
            f"for offset {_text(offset)}; leave the offset open, as `offset: ?` in its layout",
            op,
        )
    factor = number(op.factor)
    if found.factor % factor:
        raise ScheduleError(
            f"{_name(op)}: the box begins at element {_text(found.offset)}, which is not provably "
            f"a multiple of {factor}",
            op,
        )
    _check_scope(op, found)
    wanted, there = number(op.aligned), buffer_alignment(found.storage, IndexForms())
    if there % wanted:
        raise ScheduleError(
            f"{_name(op)}: its memory begins at a multiple of {there} bytes, but the buffer asks "
            f"for {wanted}",
            op,
        )


def _check_scope(op: loop.BufferOp, found: BoxMemory) -> None:
    assert isinstance(found.storage.type, MemRefType)
    wanted, there = scope_of_buffer(op.buffer.type), scope_of_buffer(found.storage.type)
    if wanted not in (GLOBAL, there):
        raise ScheduleError(
            f'{_name(op)}: it is in scope "{there}", but the buffer asks for "{wanted}"; '
            "set_scope says where a stage is",
            op,
        )


def _demanded(
    op: loop.BufferOp, extents: Sequence[Polynomial]
) -> tuple[list[Polynomial | None], Polynomial | None]:
    """The strides and the offset of the buffer's type; None where the type leaves them open."""
    layout = op.buffer.type.layout
    if isinstance(layout, StridedLayoutAttr):
        return [_constant(stride) for stride in layout.get_strides()], _constant(
            layout.get_offset()
        )
    strides: list[Polynomial | None] = []
    stride = Polynomial.constant(1)
    for extent in reversed(extents):
        strides.append(stride)
        stride = stride * extent
    return strides[::-1], Polynomial.constant(0)


def _constant(value: int | None) -> Polynomial | None:
    return None if value is None else Polynomial.constant(value)


def _name(op: loop.BufferOp) -> str:
    return f"the buffer of {op.tensor.name_hint or 'a tensor'}"


def _text(polynomial: Polynomial) -> str:
    """A polynomial, written with the names of its values."""
    return " + ".join(_products(polynomial)) or "0"


def _products(polynomial: Polynomial) -> Iterable[str]:
    # Sorted by name: the order of the dictionary follows hashes, which differ between runs.
    terms = [(sorted(map(_atom_text, m)), c) for m, c in polynomial.terms.items()]
    for factors, coefficient in sorted(terms, reverse=True):
        number = [str(coefficient)] if coefficient != 1 or not factors else []
        yield " * ".join([*factors, *number])


def _atom_text(atom: Atom) -> str:
    if isinstance(atom, Quotient):
        return f"(({_text(atom.dividend)}) floordiv {atom.divisor})"
    return atom.name_hint or "a value"
