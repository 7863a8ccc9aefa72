"""Products that are the same where two data axes change places: half of their elements do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod

from teloom.analysis.symmetry import asymmetric_value
from teloom.dialects import te
from teloom.frontend.auto.facts import EquationFacts, extent_of, is_box, known_extent
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.tensor.tensors import ComputeOp, IterVar

LEAST_TERMS = 128
"""The fewest terms of an element for which to copy elements takes less than to compute half."""

LEAST_EXTENT = 32
"""The least extent of the axes: tiles on the diagonal are computed as a whole."""


def compute_triangle(rules: ScheduleWriter, op: ComputeOp) -> None:
    """Lets a symmetric product of many terms be computed on one side of the diagonal."""
    is_long = prod(map(extent_of, op.reduce_axis)) >= LEAST_TERMS
    if not (is_long and is_box(op) and EquationFacts(op).is_product):
        return
    pair = next(_symmetric_pairs(rules, op), None)
    if pair is None:
        return
    row, column = pair
    made = rules.s.symmetrize(op.output(0), row, column)
    triangle = rules.s[made[0] if isinstance(made, list) else made]
    rules.triangles.append(triangle)
    same = f"{op.name} is the same where they change places"
    rules.say(triangle, f"only where {column.name} <= {row.name}: {same}")


def _symmetric_pairs(rules: ScheduleWriter, op: ComputeOp) -> Iterator[tuple[IterVar, IterVar]]:
    """The pairs of data axes that can change places, and are long enough."""
    equation = rules.s.program.tensors[rules.s[op].origin_op.output(0)].owner
    assert isinstance(equation, te.ComputeOp)
    for pair in combinations(range(len(op.axis)), 2):
        row, column = (op.axis[number] for number in pair)
        extent = known_extent(row)
        is_square = extent is not None and extent == known_extent(column)
        if is_square and extent >= LEAST_EXTENT and asymmetric_value(equation, pair) is None:
            yield row, column
