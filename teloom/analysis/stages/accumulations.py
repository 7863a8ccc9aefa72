"""Updates whose points only add to an element, as those of a histogram: also by another operation.

Such points may run at the same time if they add to partial results first.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from teloom.dialects import schedule, te
from teloom.dialects.affine import polynomials
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.bodies.update import Update, is_state

_NEUTRAL: dict[type[Operation], int] = {
    arith.AddiOp: 0,
    arith.AddfOp: 0,
    arith.MuliOp: 1,
    arith.MulfOp: 1,
    arith.AndIOp: -1,
    arith.OrIOp: 0,
    arith.XOrIOp: 0,
}
"""Associative and commutative operations, each with the operand that changes nothing."""


class Accumulation(NamedTuple):
    """The only read, the only write, and the op between them that combines a value with that."""

    read: te.ReadOp
    write: te.WriteOp
    combining: Operation
    identity: IntegerAttr | FloatAttr


def accumulation_of(update: Update) -> Accumulation | None:
    """How the points of an update accumulate; None if they do anything else with its elements.

    Partial results are a box, so an update whose elements are none does not accumulate.
    """
    stage = update.parent_op()
    if isinstance(stage, schedule.StageOp) and stage.domain is not None:
        return None
    inside = [*preorder(update.body)]
    writes = [op for op in inside if isinstance(op, te.WriteOp)]
    reads = [op for op in inside if isinstance(op, te.ReadOp) and is_state(op.tensor)]
    if len(writes) != 1 or len(reads) != 1 or update.has_until or not update.is_reorderable:
        return None
    (write,), (read,) = writes, reads
    combining = write.value.owner
    if not isinstance(combining, Operation) or type(combining) not in _NEUTRAL:
        return None
    is_only_used = read.value.uses.get_length() == write.value.uses.get_length() == 1
    if not is_only_used or read.value not in combining.operands or _place(read) != _place(write):
        return None
    return Accumulation(read, write, combining, _neutral(combining, write.value.type))


def _neutral(op: Operation, kind: Attribute) -> IntegerAttr | FloatAttr:
    number = _NEUTRAL[type(op)]
    if isinstance(kind, AnyFloat):
        return FloatAttr(float(number), kind)
    assert isinstance(kind, IntegerType)
    return IntegerAttr(number, kind)


def _place(op: te.ReadOp | te.WriteOp) -> list:
    """The subscripts of an access, whatever is promised of them."""
    return polynomials.of_exprs(op.map.data.results, [*map(_unbounded, op.operands_)])


def _unbounded(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, te.BoundedOp):
        value = value.owner.value
    return value
