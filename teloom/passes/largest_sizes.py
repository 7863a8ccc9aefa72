"""How large buffers of loops and branches get, computed at the start of a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, memref
from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.index_limits import MANY
from teloom.analysis.largest_values import Iterations, Largest, Unknown
from teloom.analysis.polynomials import Polynomial
from teloom.dialects.constraints import Conjunction
from teloom.passes.element_count import (
    factors_of,
    is_not_negative,
    not_negative,
    product,
)
from teloom.passes.entry_code import EntryCode
from teloom.passes.index_code import constant_index


class Sizes(NamedTuple):
    """Of each buffer how many elements it has at most; all have where `holds`, if it is given."""

    holds: SSAValue | None
    counts: Mapping[memref.AllocOp, SSAValue]


class LargestSizes:
    """The largest sizes that buffers, the last of which `block` allocates, have together.

    Raises `Unknown` where they are not known at the start, or not exactly.
    """

    def __init__(
        self, buffers: Sequence[memref.AllocOp], block: Block, outermost: Block, code: EntryCode
    ):
        self.buffers = buffers
        self._code = code
        self._iterations = Iterations(block, outermost, code.is_known)
        self._varying: dict[SSAValue, Polynomial] = {}
        for buffer in buffers:
            for size in buffer.dynamic_sizes:
                self._find_varying(size)
        self._operands, self._pieces = self._iterations.largest([*self._varying.values()])

    def _find_varying(self, value: SSAValue) -> None:
        if self._code.is_known(value) or value in self._varying:
            return
        form = self._iterations.affine(value)
        if form is not None:
            self._varying[value] = form
            return
        for operand in _rising_with(value):
            self._find_varying(operand)

    def emit(self) -> Iterator[Sizes]:
        """Code for the sizes, case by case; in none of the cases there is no buffer."""
        operands = [self._code.value(operand) for operand in self._operands]
        for piece in self._pieces:
            values = [self._code.affine.expr(value, operands) for value in piece.values]
            largest = dict(zip(self._varying, values, strict=True))
            counts = {buffer: self._count(buffer, largest) for buffer in self.buffers}
            yield Sizes(self._holds(piece, operands), counts)

    def _holds(self, piece: Largest, operands: Sequence[SSAValue]) -> SSAValue | None:
        if Conjunction([], []) in piece.when:
            return None
        return self._code.affine.holds(piece.when, operands)

    def _count(self, buffer: memref.AllocOp, largest: dict[SSAValue, SSAValue]) -> SSAValue:
        if not buffer.dynamic_sizes:
            (count,) = buffer.memref.type.get_shape()
            return self._code.emit(constant_index(count))
        (size,) = buffer.dynamic_sizes
        most = self._at_most(size, largest)
        return most if is_not_negative(size) else not_negative(most, self._code.emit)

    def _at_most(self, value: SSAValue, largest: dict[SSAValue, SSAValue]) -> SSAValue:
        if self._code.is_known(value):
            return self._code.value(value)
        if value not in largest:
            lhs, rhs = (self._at_most(operand, largest) for operand in _rising_with(value))
            largest[value] = self._combined(value.owner, lhs, rhs)
        return largest[value]

    def _combined(self, op: Operation | Block, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """What `op` makes of two values, or `MANY` where that is more and may wrap."""
        emit = self._code.emit
        match op:
            case arith.MaxSIOp() | arith.MinSIOp():
                return emit(type(op)(lhs, rhs))
            case arith.AddiOp():
                sum = emit(arith.AddiOp(lhs, rhs))
                return emit(arith.MinSIOp(sum, emit(constant_index(MANY))))
            case _:
                return product(lhs, rhs, emit)


def _rising_with(value: SSAValue) -> Sequence[SSAValue]:
    """The two values of which `value` is made and with each of which it rises, or stays.

    Raises `Unknown` where it may fall with one.
    """
    op = value.owner
    if isinstance(op, arith.AddiOp | arith.MaxSIOp | arith.MinSIOp):
        return op.operands
    factors = op.operands if isinstance(op, arith.MuliOp) else factors_of(value)
    if factors is None or not all(map(is_not_negative, factors)):
        raise Unknown
    return factors
