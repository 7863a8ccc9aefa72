"""Which ops of a function are written: what nothing needs would be a variable without a use."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from teloom.analysis.index.value_ranges import ValueRanges
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream import arith as upstream
from teloom.dialects.upstream.vector import GatherOp
from teloom.passes.code.code_motion import only_computes

LOADS = (memref.LoadOp, vector.LoadOp, vector.MaskedLoadOp, GatherOp)
"""Ops that read memory and do nothing else."""


_WRITES = (memref.StoreOp, memref.DeallocOp, vector.StoreOp, vector.MaskedStoreOp)
"""Ops that write memory, or free it, and do nothing else."""


def of_one_value(op: Operation) -> bool:
    """Whether both operands are one value: compilers warn of its comparison with itself."""
    return op.operands[0] is op.operands[1]


def is_one_number(op: Operation, ranges: ValueRanges) -> bool:
    """Whether an integer that an op computes can be only one, whatever its operands are."""
    if len(op.results) != 1 or isinstance(op, arith.ConstantOp) or not op.has_trait(Pure):
        return False
    (result,) = op.results
    if not isinstance(result.type, IndexType | IntegerType) or result.type == IntegerType(1):
        return False
    low, high = ranges.of(result)
    return low == high


def _only_written(op: Operation) -> Sequence[Operation]:
    """An op that makes memory, and those that write it, if nothing reads that."""
    if not isinstance(op, memref.AllocOp | memref.AllocaOp):
        return ()
    uses = [use.operation for use in op.memref.uses]
    return [op, *uses] if all(isinstance(use, _WRITES) for use in uses) else ()


def needed_ops(function: Operation, ranges: ValueRanges) -> set[Operation]:
    """The ops with an effect, and those whose results other needed ops use."""
    values: set[SSAValue] = set()
    found: set[Operation] = set()
    ops = [*preorder(function)]
    unread = {unread for op in ops for unread in _only_written(op)}
    for op in reversed(ops):
        if op in unread:
            continue
        is_pure = only_computes(op) or (op.has_trait(Pure) and op.results and not op.regions)
        only_gives = isinstance(op, LOADS) or is_pure
        if only_gives and not values.intersection(op.results):
            continue
        found.add(op)
        is_known = isinstance(op, arith.CmpiOp | upstream.CmpiOp) and of_one_value(op)
        if not is_known and not (only_gives and is_one_number(op, ranges)):
            # Of a view, C has the address alone.
            values.update(op.operands[:2] if isinstance(op, memref.ViewOp) else op.operands)
    return found
