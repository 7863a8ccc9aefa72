"""Folds of blocks that lie side by side: of their rows first, which are long, then within them."""

from __future__ import annotations

from teloom.frontend.auto.facts import EquationFacts, extent_of, is_box, known_extent
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.expr import dtypes
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import ComputeOp, IterVar

LEAST = 5
"""The least width of a block, or one less of numbers of 32 bits: registers tell others apart."""


def fold_rows_of_blocks(rules: ScheduleWriter, op: ComputeOp) -> None:
    """Folds the rows of blocks to one row of the width of all, which each block then folds."""
    found = _within_blocks(op, rules.machine)
    if found is None:
        return
    rows = rules.s.stage_of(rules.s.rfactor(op.output(0), found, len(op.axis)))
    rules.say(rows, f"rows of blocks of {extent_of(found)} are folded first, whole rows at a time")


def _within_blocks(op: ComputeOp, machine: Machine) -> IterVar | None:
    """The reduce axis along the rows of blocks that lie side by side in memory, if it is short."""
    body = op.body[0]
    if len(op.reduce_axis) < 2 or len(op.outputs) != 1 or not op.axis or not is_box(op):
        return None
    if not isinstance(body, Reduce) or not body.reduction.constants:
        return None
    reads, column = EquationFacts(op).reads, op.axis[-1]
    if len(reads) != 1:
        return None
    (read,) = reads
    lanes, bytes = machine.lanes(op.output(0).dtype), dtypes.of(read.tensor.dtype).bytes
    for axis in op.reduce_axis:
        width = known_extent(axis) or 0
        is_row = read.stride(axis) == 1 and read.stride(column) == width
        is_narrow = LEAST - (bytes >= 4) <= width < lanes
        if is_row and is_narrow and extent_of(column) * width >= lanes:
            return axis
    return None
