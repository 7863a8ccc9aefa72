"""Index values as numbers, where the values that they are computed from have numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.index.limits import MANY
from teloom.dialects import loop
from teloom.dialects.bodies.postorder import operands_of, postorder


def _remainder(dividend: int, divisor: int) -> int:
    """With the sign of the dividend; by 0 it is 0."""
    rest = abs(dividend) % abs(divisor) if divisor else 0
    return rest if dividend >= 0 else -rest


_OPERATIONS: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.RemSIOp: _remainder,
}


def index_value(value: SSAValue, given: Callable[[SSAValue], int | None]) -> int | None:
    """The number that `value` is if others are what `given` says.

    None where that is open, or wraps.
    """
    found: dict[SSAValue, int | None] = {}
    for one in postorder([value], lambda one: operands_of(one) if given(one) is None else ()):
        known = given(one)
        number = _number(one, found) if known is None else known
        found[one] = None if number is None or abs(number) >= 2**63 else number
    return found[value]


def _number(value: SSAValue, known: Mapping[SSAValue, int | None]) -> int | None:
    op = value.owner
    if isinstance(op, Block):
        return None
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    operands = [number for one in op.operands if (number := known[one]) is not None]
    if len(operands) < len(op.operands):
        return None
    match op:
        case ApplyOp():
            return op.map.data.eval(operands, [])[0]
        case loop.ElementCountOp():
            return min(prod(max(0, e) for e in op.map.data.eval(operands, [])), MANY)
        case _ if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](*operands)
        case _:
            return None
