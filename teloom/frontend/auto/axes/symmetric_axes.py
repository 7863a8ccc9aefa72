"""Products that are the same where two data axes change places: half of their elements do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod

from teloom.analysis.symmetry import asymmetric_value, has_symmetric_bounds
from teloom.dialects import te
from teloom.frontend.auto.facts import EquationFacts, Read, extent_of, is_box
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.tensor.tensors import ComputeOp, IterVar

LEAST_TERMS = 128
"""The fewest terms of an element for which to copy elements takes less than to compute half."""

LEAST_EXTENT = 32
"""The least extent of the axes, if it is known: tiles on the diagonal are computed as a whole."""


Pair = tuple[IterVar, IterVar]


def compute_triangle(rules: ScheduleWriter, op: ComputeOp) -> None:
    """Lets a symmetric product of many terms be computed on one side of the diagonal.

    If all that reads it is symmetric, too, element by element, that is what is copied to both.
    """
    is_long = prod(map(extent_of, op.reduce_axis)) >= LEAST_TERMS
    if not (is_long and is_box(op) and EquationFacts(op).is_product):
        return
    pair = next(_symmetric_pairs(rules, op), None)
    if pair is None:
        return
    last, (row, column) = _last_reader(rules, op, pair)
    made = rules.s.symmetrize(last.output(0), row, column)
    triangle = rules.s[made[0] if isinstance(made, list) else made]
    rules.triangles += [triangle] if last is op else [triangle, rules.s[op]]
    same = f"{last.name} is the same where they change places"
    rules.say(triangle, f"only where {column.name} <= {row.name}: {same}")


def _last_reader(rules: ScheduleWriter, op: ComputeOp, pair: Pair) -> tuple[ComputeOp, Pair]:
    """The last stage, and its axes, of those that alone read each other from an operation on."""
    while (found := _symmetric_reader(rules, op, pair)) is not None:
        op, pair = found
    return op, pair


def _symmetric_reader(
    rules: ScheduleWriter, op: ComputeOp, pair: Pair
) -> tuple[ComputeOp, Pair] | None:
    """What alone reads an operation, at its own place, and is symmetric along the same axes."""
    now = rules.s.result_now
    readers = [
        stage for stage in rules.s.stages if op in (now(one).op for one in stage.op.input_tensors)
    ]
    if len(readers) != 1 or readers[0].is_scheduled or rules.s[op].is_output:
        return None
    reader = readers[0].op
    if not isinstance(reader, ComputeOp) or reader.reduce_axis or not is_box(reader):
        return None
    places = [op.axis.index(axis) for axis in pair]
    facts = EquationFacts(reader, result_now=now)
    read = [
        {_axis_at(reader, one, place) for place in places} for one in facts.reads_of(op.outputs)
    ]
    found = (one for one in _symmetric_pairs(rules, reader) if all({*one} == at for at in read))
    return next(((reader, one) for one in found), None)


def _axis_at(op: ComputeOp, read: Read, place: int) -> IterVar | None:
    """The axis whose position a read has as a subscript."""
    subscript = read.subscripts[place]
    return next((axis for axis in op.axis if subscript.is_position(axis)), None)


def _symmetric_pairs(rules: ScheduleWriter, op: ComputeOp) -> Iterator[Pair]:
    """The pairs of data axes that can change places, and are long enough."""
    program, stage = rules.s.program, rules.s[op]
    tensor = program.tensors.get(stage.origin_op.output(0))
    if tensor is None:
        return  # a command has made the stage
    equation = tensor.owner
    assert isinstance(equation, te.ComputeOp)
    for pair in combinations(range(len(op.axis)), 2):
        row, column = (op.axis[number] for number in pair)
        is_square = has_symmetric_bounds(equation.bounds, pair)
        if (
            is_square
            and extent_of(row) >= LEAST_EXTENT
            and asymmetric_value(equation, pair) is None
        ):
            yield row, column
