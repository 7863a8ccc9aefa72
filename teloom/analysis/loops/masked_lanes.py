"""Comparisons in vectorized loops that are masks of loads."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from teloom.analysis.accesses.interleaved import MOST_STRIDE
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.index.strides import stride_of
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of

SHORT = 64
"""The most iterations of a vectorized loop that is a few vectors, one after the other."""


def is_short(op: loop.ForOp) -> bool:
    """Whether a loop is known to be a few vectors long."""
    extent = constant_extent(op)
    return extent is not None and extent <= SHORT


def is_mask(test: Operation, op: loop.ForOp) -> bool:
    """Whether a comparison chooses, in a short vectorized loop, between values of cheap loads.

    Under a mask all lanes stay in as many vectors as they fill. Without the lanes for which it is
    another one, others begin anywhere, and some are left over at both ends.
    """
    if not isinstance(test, arith.CmpiOp) or not is_short(op):
        return False
    branches = ops_in(op.body.block, scf.IfOp)
    loads = {load for branch in branches for load in ops_in(branch, loop.LoadOp)}
    has_parts = any(ops_in(op.body.block, loop.ForOp, loop.IfOp))
    return bool(loads) and not has_parts and all(_may_be_masked(load, op) for load in loads)


def _may_be_masked(load: loop.LoadOp, op: loop.ForOp) -> bool:
    region = load.tensor.owner
    if not isinstance(region, loop.TensorRegionOp) or region.stored.own_layout is not None:
        return False
    subscripts = AffineIndexForms().of_exprs(load.subscripts, load.operands_)
    stride = stride_of(subscripts, op.induction_variable)
    if stride is None or not 0 <= stride <= MOST_STRIDE:
        return False
    # What all lanes read alike is read once.
    return stride == 0 or target_of(load).has_masks(byte_width(load.value.type))
