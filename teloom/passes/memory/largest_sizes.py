"""Code for the sizes of buffers: the largest of several, and the largest over all iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, memref
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AffineIndexForms, IndexForms
from teloom.analysis.index.largest_values import Iterations, Largest
from teloom.analysis.memory.storage import Allocation, byte_width
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.code.entry_code import EntryCode
from teloom.passes.code.index_code import IndexCode


def size_in_bytes(op: Allocation, code: IndexCode) -> SSAValue:
    """The bytes of a flat buffer of symbolic size."""
    (size,) = op.dynamic_sizes
    width = byte_width(op.memref.type.element_type, op)
    extents = extents_of(size, AffineIndexForms())
    return code.count([*extents, Polynomial.constant(width)])


def largest_size(sizes: Sequence[SSAValue], code: IndexCode) -> SSAValue:
    """The largest of `sizes`; one that never exceeds another is left out of the code."""
    forms = AffineIndexForms()
    kept: list[SSAValue] = []
    for size in sizes:
        if not any(_is_at_most(size, other, forms) for other in kept):
            kept = [other for other in kept if not _is_at_most(other, size, forms)] + [size]
    return code.largest(kept)


def _is_at_most(size: SSAValue, other: SSAValue, forms: IndexForms) -> bool:
    """Whether `size` provably is at most `other`: factor by factor, with constant distances.

    That is enough: a factor counts as at least 0, so the product grows with each factor.
    """
    extents, others = extents_of(size, forms), extents_of(other, forms)
    return len(extents) == len(others) and all(
        (distance := (b - a).as_constant()) is not None and distance >= 0
        for a, b in zip(extents, others, strict=True)
    )


def extents_of(size: SSAValue, forms: IndexForms) -> list[Polynomial]:
    """The factors of `size`: it is their product, where a negative factor counts as 0."""
    op = size.owner
    if isinstance(op, loop.ElementCountOp):
        return forms.of_exprs(op.extents, op.operands_)
    return [forms.of(size)]


class Sizes(NamedTuple):
    """The largest size of each buffer in bytes, in the case that `holds`; None holds always."""

    holds: SSAValue | None
    bytes: Mapping[memref.AllocOp, SSAValue]


class LargestSizes:
    """The largest sizes of a chain of buffers over all iterations; `block` allocates the last one.

    The maximum is taken over the iterations in which all of the buffers are live, and one
    iteration must reach it for all extents at once. Maxima of single extents would not do: in a
    triangular nest no iteration needs all of them, and too much would be reserved. Raises
    `Unknown` if the maximum is not known at entry, or there is no such iteration.
    """

    def __init__(
        self, buffers: Sequence[memref.AllocOp], block: Block, outermost: Block, code: EntryCode
    ):
        self._code = code
        self._products = {buffer: [*_products(buffer)] for buffer in buffers}
        products = (product for products in self._products.values() for product in products)
        self._extents = [*dict.fromkeys(extent for product in products for extent in product)]
        iterations = Iterations(block, outermost, code.is_known)
        self._operands, self._pieces = iterations.largest(self._extents)

    def emit(self) -> Iterator[Sizes]:
        """Emits the sizes, case by case; if no case holds, no iteration allocates."""
        operands = [self._code.value(operand) for operand in self._operands]
        for piece in self._pieces:
            largest = dict(zip(self._extents, piece.values, strict=True))
            bytes = {buffer: self._bytes(buffer, largest, operands) for buffer in self._products}
            yield Sizes(self._holds(piece, operands), bytes)

    def _holds(self, piece: Largest, operands: Sequence[SSAValue]) -> SSAValue | None:
        if Conjunction([], []) in piece.when:
            return None
        return self._code.affine.holds(piece.when, operands)

    def _bytes(
        self,
        buffer: memref.AllocOp,
        largest: Mapping[Polynomial, AffineExpr],
        operands: Sequence[SSAValue],
    ) -> SSAValue:
        code = self._code
        width = AffineExpr.constant(byte_width(buffer.memref.type.element_type, buffer))
        counted: list[SSAValue] = []
        for product in self._products[buffer]:
            extents = [*map(largest.__getitem__, product), width]
            counted.append(code.count(polynomials.of_exprs(extents, operands)))
        return code.largest(counted)


def _products(buffer: memref.AllocOp) -> Iterator[list[Polynomial]]:
    """Lists of extents: the number of elements is the largest of their products."""
    if not buffer.dynamic_sizes:
        yield [Polynomial.constant(extent) for extent in buffer.memref.type.get_shape()]
    forms = AffineIndexForms()
    sizes = [*buffer.dynamic_sizes]
    while sizes:
        size = sizes.pop()
        if isinstance(size.owner, arith.MaxSIOp):
            sizes += size.owner.operands
        else:
            yield extents_of(size, forms)
