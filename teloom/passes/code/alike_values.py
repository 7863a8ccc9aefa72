"""Values that are computed alike, computed once."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterator, MutableMapping

from xdsl.dialects import affine, arith, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects import te
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.fold import over_dims
from teloom.passes.code.code_motion import only_computes

Known = MutableMapping[Hashable, SSAValue]


def merge_alike(op: Operation) -> None:
    """Replaces each value in a region of `op` by one before it that is computed alike.

    Reads of one element are alike, however their subscripts are written. What is in a branch
    is seen only there; what is in both branches is computed before them.
    """
    for region in op.regions:
        for block in region.blocks:
            _merge(block, {})


def _merge(block: Block, known: Known) -> None:
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                _merge(inner, ChainMap({}, known))
        if isinstance(op, scf.IfOp):
            for moved in _moved_before(op):
                known.setdefault(_computation(moved), moved.results[0])
        if not only_computes(op):
            continue
        (value,) = op.results
        first = known.setdefault(_computation(op), value)
        if first is not value:
            Rewriter.replace_op(op, [], [first])


def _moved_before(branches: scf.IfOp) -> Iterator[Operation]:
    """Moves what both branches compute alike in front of them; returns it, in order."""
    if not branches.false_region.blocks:
        return
    then_block, else_block = branches.true_region.block, branches.false_region.block
    by_then = {_computation(op): op for op in then_block.ops if _is_work(op)}
    for twin in list(else_block.ops):
        op = by_then.get(_computation(twin)) if _is_work(twin) else None
        if op is not None:
            for one in (*(operand.owner for operand in op.operands), op):
                if isinstance(one, Operation) and one.parent is then_block:
                    one.detach()
                    Rewriter.insert_op(one, InsertPoint.before(branches))
            Rewriter.replace_op(twin, [], op.results)
            yield op


def _is_work(op: Operation) -> bool:
    return only_computes(op) and not isinstance(op, arith.ConstantOp)


def _computation(op: Operation) -> Hashable:
    """A key of the computation of `op`; it is equal for two ops that compute the same value."""
    match op:
        case te.ReadOp():
            exprs = polynomials.of_exprs(op.map.data.results, op.operands_)
            return op.name, op.tensor, tuple(exprs)
        case affine.ApplyOp():
            return op.name, *polynomials.of_exprs(over_dims(op.map.data), op.mapOperands)
    said = frozenset((op.properties | op.attributes).items())
    return op.name, said, *map(_number_or_value, op.operands), *op.result_types


def _number_or_value(value: SSAValue) -> Hashable:
    """The number that a value is, if it is a constant; the value itself otherwise."""
    return value.owner.value if isinstance(value.owner, arith.ConstantOp) else value
