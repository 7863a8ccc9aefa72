"""Writes the bounds of loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.dialects import loop
from teloom.dialects.affine import operands as affine


def set_bounds(
    op: loop.ForOp,
    lower: Sequence[AffineExpr],
    upper: Sequence[AffineExpr],
    values: Sequence[SSAValue],
) -> None:
    """Gives a loop other bounds, over `values`."""
    packed, operands = affine.pack([*lower, *upper], values)
    found = packed.data.results
    op.operands = operands
    op.lower = affine.map_of(found[: len(lower)], operands)
    op.upper = affine.map_of(found[len(lower) :], operands)
