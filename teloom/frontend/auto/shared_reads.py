"""Two sums over one matrix, by rows and along rows, in one pass if no cache of a core holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from teloom.frontend.auto.facts import (
    EquationFacts,
    Read,
    TensorNow,
    are_independent,
    bytes_of,
    extent_of,
    extents_of,
    is_box,
    known,
)
from teloom.frontend.auto.folds import ROWS, folded_by_lanes
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.reductions import TERMS
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import folds_rows
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import IterVar, Operation

PART = 256
"""Rows that are added to one partial sum; threads share the partial sums."""


class SharedRead(NamedTuple):
    """A sum of the rows of a matrix, and one along each row; if `is_read`, the first reads it.

    Without it, neither depends on the other.
    """

    of_rows: EquationFacts
    along_rows: EquationFacts
    is_read: bool

    @property
    def operations(self) -> set[Operation]:
        return {self.of_rows.op, self.along_rows.op}


def shared_reads(
    equations: Mapping[Operation, EquationFacts],
    operations: Sequence[Operation],
    outputs: Sequence[Operation],
    machine: Machine,
    result_now: TensorNow,
) -> list[SharedRead]:
    """The pairs of a program; no stage is in two of them."""
    found: list[SharedRead] = []
    sums = [one for one in equations.values() if _is_vector_of_sums(one)]
    for of_rows, along_rows in permutations(sums, 2):
        ops = {of_rows.op, along_rows.op}
        if any(ops & pair.operations for pair in found):
            continue
        if not _share(of_rows, along_rows, machine):
            continue
        tensors = along_rows.op.outputs
        readers = [op for op in operations if any(one in tensors for one in op.input_tensors)]
        if readers == [of_rows.op] and along_rows.op not in outputs:
            if _reads_term_by_term(of_rows, along_rows):
                found.append(SharedRead(of_rows, along_rows, True))
        elif are_independent(of_rows.op, along_rows.op, result_now):
            found.append(SharedRead(of_rows, along_rows, False))
    return found


def _is_vector_of_sums(equation: EquationFacts) -> bool:
    """Whether it has one data axis and one reduce axis, both of known extents."""
    op, body = equation.op, equation.op.body[0]
    if len(op.axis) != 1 or len(op.reduce_axis) != 1 or len(op.outputs) != 1 or not is_box(op):
        return False
    extents = [axis.dom and known(axis.dom.extent) for axis in (*op.axis, *op.reduce_axis)]
    is_plain = isinstance(body, Reduce) and not body.reduction.start
    return is_plain and None not in extents


def _share(of_rows: EquationFacts, along_rows: EquationFacts, machine: Machine) -> bool:
    """Whether both read one matrix that is larger than a core's caches."""
    (column,), (row,) = of_rows.op.axis, of_rows.op.reduce_axis
    (result,), (term,) = along_rows.op.axis, along_rows.op.reduce_axis
    if not folds_rows(of_rows) or folded_by_lanes(along_rows, machine) is not term:
        return False
    first, second = machine.caches[0], machine.second_cache
    if bytes_of(of_rows.op.outputs[0]) > first // 2:
        return False
    matrices = [read.tensor for read in of_rows.reads if _is_at(read, row, column)]
    return any(
        read.tensor in matrices
        and _is_at(read, result, term)
        and bytes_of(read.tensor) > second
        and TERMS * bytes_of(read.tensor) // extent_of(row) <= second // 2
        for read in along_rows.reads
    )


def _is_at(read: Read, *axes: IterVar) -> bool:
    """Whether a read is exactly at the axes of the equation, over their whole ranges."""
    extents = [extent_of(axis) for axis in axes]
    is_plain = [one.coefficients for one in read.subscripts] == [{axis: 1} for axis in axes]
    is_whole = extents_of(read.tensor) == extents and 0 not in extents
    return is_plain and is_whole and not any(one.constant for one in read.subscripts)


def _reads_term_by_term(of_rows: EquationFacts, along_rows: EquationFacts) -> bool:
    """Whether each term of a sum of rows reads only the element of its own row."""
    (row,) = of_rows.op.reduce_axis
    return all(_is_at(read, row) for read in of_rows.reads_of(along_rows.op.outputs))


def schedule_shared_read(rules: ScheduleWriter, shared: SharedRead) -> None:
    """Computes partial sums of rows on threads, and along with some rows the sums along them."""
    s, (tensor,) = rules.s, shared.of_rows.op.outputs
    lanes = rules.machine.lanes(tensor.dtype)
    part = rules.partial_results(s[tensor], s[tensor].op.reduce_axis[0], PART)
    total = s[tensor]
    total.reorder(*total.op.reduce_axis, *total.op.axis)
    total.vectorize(total.op.axis[0])
    number, column = part.op.axis
    rows, row = part.split(part.op.reduce_axis[0], factor=TERMS)
    columns, lane = part.split(column, factor=lanes)
    part.reorder(number, rows, columns, row, lane)
    part.unroll(row)
    part.vectorize(lane)
    rules.run_on_threads(part, [number])
    along = s[shared.along_rows.op.outputs[0]]
    _along_rows(rules, along, part, rows, lanes, shared.is_read)
    rules.say(part, f"parts of {PART} rows, of which {TERMS} at a time are added")
    rules.say(along, f"computed for each {rows.name} of {part.name}, which reads the same rows")


def _along_rows(
    rules: ScheduleWriter, along: Stage, part: Stage, rows: IterVar, lanes: int, is_read: bool
) -> None:
    """Folds lanes of the rows that a part adds together."""
    (result,), (term,) = along.op.axis, along.op.reduce_axis
    around: list[IterVar] = []
    if is_read:
        along.compute_at(part, rows)
    else:
        number, result = along.split(result, factor=PART)
        block, result = along.split(result, factor=TERMS)
        around = [number, block]
    outer, inner = along.split(result, factor=ROWS)
    terms, lane = along.split(term, factor=lanes)
    along.reorder(*around, outer, terms, inner, lane)
    along.unroll(inner)
    along.vectorize(lane)
    if around:
        rules.run_on_threads(along, around[:1])
        along.compute_with(part, rows)
