"""Buffers that LLVM may keep in registers: small ones of constant extents."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.target import target_of


def realized(accesses: Sequence[Operation]) -> set[loop.RealizeOp]:
    """The buffers that are accessed."""
    owners = {value.owner for op in accesses for value in op.operands}
    return {owner for owner in owners if isinstance(owner, loop.RealizeOp)}


def may_be_in_registers(op: loop.RealizeOp) -> bool:
    extents = [extent for extent in op.stored_extents if isinstance(extent, AffineConstantExpr)]
    if len(extents) < len(op.stored_extents):
        return False
    width = byte_width(op.tensor.type.element_type, op)
    return target_of(op).fits_registers(prod(extent.value for extent in extents) * width)
