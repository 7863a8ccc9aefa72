"""How large buffers of loops and branches get, computed at the start of a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, memref
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.index.largest_values import Iterations, Largest
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.code.entry_code import EntryCode
from teloom.passes.memory.largest_size import extents_of


class Sizes(NamedTuple):
    """Of each buffer how many bytes it has at most; all have where `holds`, if it is given."""

    holds: SSAValue | None
    bytes: Mapping[memref.AllocOp, SSAValue]


class LargestSizes:
    """The largest sizes that buffers, the last of which `block` allocates, have together.

    Raises `Unknown` where they are not known at the start, or not exactly.
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
        """Code for the sizes, case by case; in none of the cases there is no buffer."""
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
        counted = [
            code.emit(loop.ElementCountOp([*map(largest.__getitem__, product), width], operands))
            for product in self._products[buffer]
        ]
        return code.largest(counted)


def _products(buffer: memref.AllocOp) -> Iterator[list[Polynomial]]:
    """Affine extents; the largest of their products is the number of elements."""
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
