"""Products that are the same where two data axes change places: half of their elements do."""

from __future__ import annotations

from itertools import combinations
from math import prod

from teloom.analysis.symmetry import Changed, asymmetric_value, has_symmetric_bounds
from teloom.dialects import te
from teloom.frontend.auto.facts import EquationFacts, Read, extent_of, is_box
from teloom.frontend.auto.plan import readers_of
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
    known: Changed = {}
    pairs = combinations(op.axis, 2)
    pair = next((one for one in pairs if _are_symmetric(rules, op, one, known)), None)
    if pair is None:
        return
    last, (row, column) = _last_reader(rules, op, pair, known)
    triangle = rules.s.stage_of(rules.s.symmetrize(last.output(0), row, column))
    rules.triangles += [triangle] if last is op else [triangle, rules.s[op]]
    same = f"{last.name} is the same where they change places"
    rules.say(triangle, f"only where {column.name} <= {row.name}: {same}")


def _last_reader(
    rules: ScheduleWriter, op: ComputeOp, pair: Pair, known: Changed
) -> tuple[ComputeOp, Pair]:
    """The last stage, and its axes, of those that alone read each other from an operation on.

    Each reads at its own place, and is symmetric along the same axes.
    """
    now = rules.s.result_now
    readers = readers_of([stage.op for stage in rules.s.stages], now)
    while len(readers[op]) == 1 and not rules.s[op].is_output:
        (reader,) = readers[op]
        if not isinstance(reader, ComputeOp) or reader.reduce_axis or not is_box(reader):
            break
        facts = EquationFacts(reader, result_now=now)
        axes = {_axes_at(reader, read, op, pair) for read in facts.reads_of(op.outputs)}
        found = axes.pop() if len(axes) == 1 else None
        if found is None or rules.s[reader].is_scheduled:
            break
        if not _are_symmetric(rules, reader, found, known):
            break
        op, pair = reader, found
    return op, pair


def _axes_at(reader: ComputeOp, read: Read, op: ComputeOp, pair: Pair) -> Pair | None:
    """The axes of a reader, in their order, whose positions are those on two axes of what it reads.

    None if there are none.
    """
    at = [read.subscripts[op.axis.index(axis)] for axis in pair]
    found = [axis for axis in reader.axis if any(one.is_position(axis) for one in at)]
    return (found[0], found[1]) if len(found) == 2 else None


def _are_symmetric(rules: ScheduleWriter, op: ComputeOp, pair: Pair, known: Changed) -> bool:
    """Whether two axes, which are long enough, can change places."""
    program, stage = rules.s.program, rules.s[op]
    tensor = program.tensors.get(stage.origin_op.output(0))
    if tensor is None:
        return False  # a command has made the stage
    equation, row, column = tensor.owner, *(op.axis.index(axis) for axis in pair)
    assert isinstance(equation, te.ComputeOp)
    if extent_of(pair[0]) < LEAST_EXTENT or not has_symmetric_bounds(
        equation.bounds, (row, column)
    ):
        return False
    return asymmetric_value(equation, (row, column), known) is None
