"""Values that are computed alike, computed once."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, MutableMapping

from xdsl.dialects import affine
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from teloom.dialects import te
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.fold import over_dims
from teloom.passes.code.code_motion import only_computes

Known = MutableMapping[Hashable, SSAValue]


def merge_alike(op: Operation) -> None:
    """Replaces each value in a region of `op` by one before it that is computed alike.

    Reads of one element are alike, however their subscripts are written. What is in a branch
    is seen only there.
    """
    for region in op.regions:
        for block in region.blocks:
            _merge(block, {})


def _merge(block: Block, known: Known) -> None:
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                _merge(inner, ChainMap({}, known))
        if not only_computes(op):
            continue
        (value,) = op.results
        first = known.setdefault(_computation(op), value)
        if first is not value:
            Rewriter.replace_op(op, [], [first])


def _computation(op: Operation) -> Hashable:
    """A key of the computation of `op`; it is equal for two ops that compute the same value."""
    match op:
        case te.ReadOp():
            exprs = polynomials.of_exprs(op.map.data.results, op.operands_)
            return op.name, op.tensor, tuple(exprs)
        case affine.ApplyOp():
            return op.name, *polynomials.of_exprs(over_dims(op.map.data), op.mapOperands)
    said = frozenset((op.properties | op.attributes).items())
    return op.name, said, *op.operands, *op.result_types
