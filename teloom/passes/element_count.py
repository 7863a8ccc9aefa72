"""How many elements a buffer has, where that is known at the call: products that do not wrap."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from teloom.analysis.index_limits import MANY, most
from teloom.analysis.polynomials import Polynomial
from teloom.passes.index_code import Emit, constant_index, emit_index

_UGE = 9

_FEW_BITS = 2 * 64 - 62
"""So many leading zeros have two factors whose product is less than 2**62."""


def element_count(extents: Sequence[Polynomial | SSAValue], emit: Emit) -> SSAValue:
    """The product of `extents`; a negative one counts as 0, `MANY` stands for what is more."""
    # Each is clamped alone: the product of two negative ones would look like a size.
    constants = [constant_of(extent) for extent in extents]
    known = prod(max(constant, 0) for constant in constants if constant is not None)
    count = None if known == 1 else emit(constant_index(known))
    for extent, constant in zip(extents, constants, strict=True):
        if constant is None:
            size = not_negative(extent, emit)
            count = size if count is None else product(count, size, emit)
    assert count is not None
    return count


def constant_of(extent: Polynomial | SSAValue) -> int | None:
    return extent.as_constant() if isinstance(extent, Polynomial) else None


def not_negative(extent: Polynomial | SSAValue, emit: Emit) -> SSAValue:
    """The value of `extent`, or 0."""
    if isinstance(extent, Polynomial):
        extent = emit_index(extent, emit)
    return emit(arith.MaxSIOp(extent, emit(constant_index(0))))


def product(lhs: SSAValue, rhs: SSAValue, emit: Emit) -> SSAValue:
    """The product of two values that are not negative, or `MANY`: then that is no more."""
    value = emit(arith.MuliOp(lhs, rhs))
    if most(value) <= MANY:
        return value
    # Of b and c bits: less than 2**62 if b + c <= 62, else 2**61 or more.
    in_lhs, in_rhs = (emit(math.CountLeadingZerosOp(one)) for one in (lhs, rhs))
    zeros = emit(arith.AddiOp(in_lhs, in_rhs))
    fits = emit(arith.CmpiOp(zeros, emit(constant_index(_FEW_BITS)), _UGE))
    return emit(arith.SelectOp(fits, value, emit(constant_index(MANY))))


def factors_of(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The factors of what `product` gave, where it might be `MANY`."""
    match value.owner:
        case arith.SelectOp(
            cond=SSAValue(
                owner=arith.CmpiOp(
                    predicate=IntegerAttr(value=bound_kind),
                    lhs=SSAValue(owner=arith.AddiOp() as zeros),
                    rhs=bound,
                )
            ),
            lhs=SSAValue(owner=arith.MuliOp() as product),
            rhs=most,
        ):
            counted = [
                zero.owner.operands[0]
                for zero in zeros.operands
                if isinstance(zero.owner, math.CountLeadingZerosOp)
            ]
            if (
                bound_kind.data == _UGE
                and constant_value(bound) == _FEW_BITS
                and constant_value(most) == MANY
                and counted == [*product.operands]
            ):
                return product.lhs, product.rhs
    return None


def constant_value(value: SSAValue) -> int | None:
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def is_not_negative(value: SSAValue) -> bool:
    """Whether a value is visibly so: its factors are, or it is the largest of what is."""
    if factors := factors_of(value):
        return all(map(is_not_negative, factors))
    op = value.owner
    match op:
        case arith.ConstantOp():
            return (constant_value(value) or 0) >= 0
        case arith.MaxSIOp():
            return any(map(is_not_negative, op.operands))
        case arith.MinSIOp() | arith.AddiOp() | arith.MuliOp():
            return all(map(is_not_negative, op.operands))
    return False
