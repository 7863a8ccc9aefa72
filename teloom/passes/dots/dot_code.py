"""Code for `loop.dot` on the target: an instruction, or vectors of ordinary arithmetic."""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import FixedBitwidthType, IntegerType, VectorType
from xdsl.ir import SSAValue

from teloom.analysis.dot_products import SUM_BITS, Instruction, NumberKind, instruction_for
from teloom.dialects import loop
from teloom.dialects.target import target_of
from teloom.dialects.upstream.arith import LANEWISE
from teloom.passes.lanes.shuffles import Emit, shuffle
from teloom.passes.lanes.values import constant

FIRST_BIT = -128
"""The byte whose first bit alone is set."""

_INTEGERS = arith.MuliOp, arith.AddiOp
_FLOATS = arith.MulfOp, arith.AddfOp


def dot_code(op: loop.DotOp, emit: Emit) -> SSAValue:
    """Writes the code of `op`, and returns the sums."""
    known = instruction_of(op)
    return _arithmetic(op, emit) if known is None else _instruction(op, known, emit)


def instruction_of(op: loop.DotOp) -> Instruction | None:
    """The target's instruction that computes just what `op` does, if there is one."""
    kinds = kind_of(op.lhs, op.is_lhs_unsigned), kind_of(op.rhs, op.is_rhs_unsigned)
    known = instruction_for(kinds, target_of(op), op.lanes)
    asked = kinds, op.group, kind_of(op.sums, False).bits
    is_it = known is not None and asked == (known.kinds, known.group, SUM_BITS)
    return known if is_it else None


def kind_of(value: SSAValue, unsigned: bool) -> NumberKind:
    """The kind of the numbers in the lanes of a factor, or of sums."""
    assert isinstance(value.type, VectorType)
    element = value.type.element_type
    assert isinstance(element, FixedBitwidthType)
    return NumberKind(element.bitwidth, unsigned, not isinstance(element, IntegerType))


def _instruction(op: loop.DotOp, known: Instruction, emit: Emit) -> SSAValue:
    name = known.name(target_of(op), op.lanes)
    assert name is not None
    factors, sums, type = [op.lhs, op.rhs], op.sums, op.sums.type

    def products(*operands: SSAValue) -> SSAValue:
        return emit(llvm.CallIntrinsicOp(name, operands, [type]))

    if not known.adds:
        return emit(arith.AddiOp(sums, products(*factors)))
    if known.flipped is not None:
        sign, zero = emit(constant(op.lhs.type, [FIRST_BIT])), emit(constant(type, [0]))
        factor = factors[known.flipped]
        factors[known.flipped] = sign
        sums = emit(arith.SubiOp(sums, products(zero, *factors)))
        factors[known.flipped] = emit(arith.XOrIOp(factor, sign))
    return products(sums, *factors)


def _arithmetic(op: loop.DotOp, emit: Emit) -> SSAValue:
    """The sums in ordinary arithmetic, neighbour by neighbour; floats from the last one on."""
    sums: SSAValue = op.sums
    is_float = kind_of(sums, False).is_float
    multiply, add = _FLOATS if is_float else _INTEGERS
    for first in reversed(range(op.group)) if is_float else range(op.group):
        lanes = range(first, first + op.group * op.lanes, op.group)
        left = _converted(shuffle(op.lhs, op.lhs, lanes, emit), op.is_lhs_unsigned, op, emit)
        right = _converted(shuffle(op.rhs, op.rhs, lanes, emit), op.is_rhs_unsigned, op, emit)
        sums = emit(add(sums, emit(multiply(left, right))))
    return sums


def _converted(value: SSAValue, unsigned: bool, op: loop.DotOp, emit: Emit) -> SSAValue:
    if value.type == op.sums.type:
        return value
    wider = arith.ExtUIOp if unsigned else arith.ExtSIOp
    wider = arith.ExtFOp if kind_of(value, unsigned).is_float else wider
    convert = LANEWISE.get(wider, wider)
    return emit(convert.create(operands=[value], result_types=[op.sums.type]))
