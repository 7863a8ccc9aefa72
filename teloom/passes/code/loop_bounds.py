"""Writes the bounds of loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.dialects import loop
from teloom.dialects.affine import operands as affine


def set_bounds(
    op: loop.ForOp,
    lower: Sequence[AffineExpr],
    upper: Sequence[AffineExpr],
    values: Sequence[SSAValue],
) -> None:
    """Gives a loop other bounds, over `values`."""
    (op.lower, op.upper), op.operands = affine.pack_lists([lower, upper], values)


def write_numbers(op: loop.ForOp) -> bool:
    """Writes the bounds of a loop that starts at 0 as numbers, if its extent is one.

    Constants and the ranges of the loops around make it one. Where the loop is outlined, LLVM
    does not see these. Returns whether anything changed.
    """
    extent = constant_extent(op)
    if extent is None or not op.operands_ or any(lower.terms for lower in lower_bounds(op)):
        return False
    set_bounds(op, [AffineExpr.constant(0)], [AffineExpr.constant(extent)], [])
    return True
