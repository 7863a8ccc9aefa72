"""What lanes compute from values alone: which ops do, and the ops that begin it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from teloom.dialects.interfaces import ScalarOp

_DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
)


def is_scalar_arithmetic(op: Operation) -> bool:
    """Whether `op` computes a value from values alone, the same way in every lane."""
    if op.name.startswith(("arith.", "math.")):
        return True
    return isinstance(op, affine.ApplyOp | affine.MinOp | ScalarOp)


def may_trap(op: Operation) -> bool:
    """Whether `op` must not run where the program would not run it."""
    if not isinstance(op, _DIVISIONS):
        return False
    divisor = op.operands[1].owner
    value = divisor.value if isinstance(divisor, arith.ConstantOp) else None
    return not isinstance(value, IntegerAttr) or value.value.data in (0, -1)


def constant(type: Attribute, numbers: Sequence[int | float]) -> arith.ConstantOp:
    """A vector of these numbers, or of one number in every lane."""
    value = DenseIntOrFPElementsAttr.from_list(type, numbers)  # pyright: ignore
    return arith.ConstantOp.create(result_types=[type], properties={"value": value})
