"""Updates whose points only add to an element, as those of a histogram: also by another operation.

Such points may run at the same time if they add to partial results first.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from teloom.analysis.neutral import neutral_of
from teloom.dialects import schedule, te
from teloom.dialects.affine import polynomials
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.bodies.update import Update, is_state

_COMBINING = (
    arith.AddiOp,
    arith.AddfOp,
    arith.MuliOp,
    arith.MulfOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
"""Associative and commutative operations."""


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
    if not isinstance(combining, _COMBINING):
        return None
    is_only_used = read.value.uses.get_length() == write.value.uses.get_length() == 1
    if not is_only_used or read.value not in combining.operands or _place(read) != _place(write):
        return None
    identity = neutral_of(type(combining), write.value.type)
    assert identity is not None
    return Accumulation(read, write, combining, identity)


def _place(op: te.ReadOp | te.WriteOp) -> list:
    """The subscripts of an access, whatever is promised of them."""
    return polynomials.of_exprs(op.map.data.results, [*map(_unbounded, op.operands_)])


def _unbounded(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, te.BoundedOp):
        value = value.owner.value
    return value
