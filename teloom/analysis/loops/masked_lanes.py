"""Comparisons in vectorized loops that are masks of loads."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from teloom.analysis.accesses.interleaved import MOST_STRIDE
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of

ZERO = Polynomial.constant(0)

SHORT = 64
"""The most iterations of a vectorized loop that is a few vectors, one after the other."""


def is_mask(test: Operation, op: loop.ForOp) -> bool:
    """Whether a comparison chooses, in a short vectorized loop, between values of cheap loads.

    Under a mask all lanes stay in as many vectors as they fill. Without the lanes for which it is
    another one, others begin anywhere, and some are left over at both ends.
    """
    extent = constant_extent(op)
    if not isinstance(test, arith.CmpiOp) or extent is None or extent > SHORT:
        return False
    branches = ops_in(op.body.block, scf.IfOp)
    loads = {load for branch in branches for load in ops_in(branch, loop.LoadOp)}
    has_parts = any(ops_in(op.body.block, loop.ForOp, loop.IfOp))
    return bool(loads) and not has_parts and all(_may_be_masked(load, op) for load in loads)


def _may_be_masked(load: loop.LoadOp, op: loop.ForOp) -> bool:
    region, counter = load.tensor.owner, op.induction_variable
    if not isinstance(region, loop.TensorRegionOp) or region.stored.own_layout is not None:
        return False
    *others, last = [ZERO, *AffineIndexForms().of_exprs(load.subscripts, load.operands_)]
    if any(one.uses(counter) for one in others):
        return False
    stride = last.terms.get((counter,), 0)
    rest = last - Polynomial.of(counter) * Polynomial.constant(stride)
    are_near = 1 <= stride <= MOST_STRIDE and not rest.uses(counter)
    return are_near and target_of(load).has_masks(byte_width(load.value.type))
