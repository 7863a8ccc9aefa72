"""What `loop.dot` is on the target: an instruction, or vectors of ordinary arithmetic."""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import SSAValue

from teloom.analysis.dot_products import SUM_BITS, Instruction, Kind, instruction_for
from teloom.dialects import loop
from teloom.dialects.target import target_of
from teloom.dialects.upstream.arith import LANEWISE
from teloom.passes.lanes.shuffles import Emit, shuffle


def dot_code(op: loop.DotOp, emit: Emit) -> SSAValue:
    """Writes the sums of `op`, and gives them."""
    kinds = Kind(_bits(op.lhs), op.is_lhs_unsigned), Kind(_bits(op.rhs), op.is_rhs_unsigned)
    known = instruction_for(kinds, target_of(op), op.lanes)
    asked = kinds, op.group, _bits(op.sums)
    if known is None or asked != (known.kinds, known.group, SUM_BITS):
        return _arithmetic(op, emit)
    return _instruction(op, known, emit)


def _bits(value: SSAValue) -> int:
    assert isinstance(value.type, VectorType)
    assert isinstance(value.type.element_type, IntegerType)
    return value.type.element_type.width.data


def _instruction(op: loop.DotOp, known: Instruction, emit: Emit) -> SSAValue:
    name = known.name(target_of(op), op.lanes)
    assert name is not None
    factors, type = [op.lhs, op.rhs], op.sums.type
    if known.adds:
        return emit(llvm.CallIntrinsicOp(name, [op.sums, *factors], [type]))
    products = emit(llvm.CallIntrinsicOp(name, factors, [type]))
    return emit(arith.AddiOp(op.sums, products))


def _arithmetic(op: loop.DotOp, emit: Emit) -> SSAValue:
    """The sums by one neighbour after the other."""
    sums: SSAValue = op.sums
    for first in range(op.group):
        lanes = range(first, first + op.group * op.lanes, op.group)
        left = _converted(shuffle(op.lhs, op.lhs, lanes, emit), op.is_lhs_unsigned, op, emit)
        right = _converted(shuffle(op.rhs, op.rhs, lanes, emit), op.is_rhs_unsigned, op, emit)
        sums = emit(arith.AddiOp(sums, emit(arith.MuliOp(left, right))))
    return sums


def _converted(value: SSAValue, unsigned: bool, op: loop.DotOp, emit: Emit) -> SSAValue:
    if value.type == op.sums.type:
        return value
    convert = LANEWISE[arith.ExtUIOp if unsigned else arith.ExtSIOp]
    return emit(convert.create(operands=[value], result_types=[op.sums.type]))
