"""Factors whose first bit is flipped where they are stored, and not each time they are loaded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.memory.storage import Allocation
from teloom.dialects.upstream.accesses import accesses_to
from teloom.passes.dots.dot_code import FIRST_BIT
from teloom.passes.lanes.values import constant


def own_buffer(factor: SSAValue) -> SSAValue | None:
    """The buffer of our own from which a factor is loaded, maybe once for all lanes."""
    op = factor.owner
    while isinstance(op, vector.ShuffleOp) and op.v1 is op.v2:
        op = op.v1.owner
    if isinstance(op, vector.LoadOp) and isinstance(op.base.owner, Allocation):
        return op.base
    return None


def flip_at_stores(flips: Sequence[arith.XOrIOp]) -> None:
    """Flips what is stored to buffers of which all that is loaded is flipped, by these ops."""
    of_buffer = defaultdict[SSAValue, list[arith.XOrIOp]](list)
    for flip in flips:
        if (buffer := own_buffer(flip.lhs)) is not None:
            of_buffer[buffer].append(flip)
    for buffer, found in of_buffer.items():
        stores = _stores_to(buffer, found)
        for store in stores or ():
            _flip(store)
        for flip in found if stores is not None else ():
            Rewriter.replace_op(flip, [], [flip.lhs])


def _stores_to(buffer: SSAValue, flips: Collection[Operation]) -> list[Operation] | None:
    """The stores to a buffer; None if it is used otherwise than by them and for `flips`."""
    stores: list[Operation] = []
    for access in accesses_to(buffer):
        op = access.op
        if isinstance(op, memref.StoreOp | vector.StoreOp) and access.writes:
            stores.append(op)
        elif isinstance(op, vector.LoadOp):
            if not _is_flipped(op.result, flips):
                return None
        elif not isinstance(op, memref.DeallocOp):
            return None
    return stores


def _is_flipped(value: SSAValue, flips: Collection[Operation]) -> bool:
    """Whether nothing but flips uses a value, or lanes of it."""
    users = [use.operation for use in value.uses]
    return all(
        user in flips or (isinstance(user, vector.ShuffleOp) and _is_flipped(user.result, flips))
        for user in users
    )


def _flip(store: Operation) -> None:
    value = store.operands[0]
    if isinstance(value.type, VectorType):
        sign = constant(value.type, [FIRST_BIT])
    else:
        sign = arith.ConstantOp(IntegerAttr(FIRST_BIT, value.type))
    flipped = arith.XOrIOp(value, sign.result)
    Rewriter.insert_op([sign, flipped], InsertPoint.before(store))
    store.operands[0] = flipped.result
