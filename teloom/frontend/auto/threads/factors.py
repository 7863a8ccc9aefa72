"""Reductions with fewer tiles than threads: parts of their terms are folded apart first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from teloom.frontend.auto import folds
from teloom.frontend.auto.facts import EquationFacts, extent_of, is_box, known, known_extent
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.rules import ScheduleWriter, TermParts
from teloom.frontend.auto.tiles import choice_of_tile, tiles_in
from teloom.frontend.tensor.reductions import Reduce
from teloom.frontend.tensor.tensors import Operation

MOST_PARTS = 64
"""The most parts: each has a partial result of all elements."""

LEAST_WORK = 2**14
"""The least work of a part: some of them are folded together."""

LEAST_TOTAL = 2**18
"""The least work of all parts: a second nest, which folds partial results, takes microseconds."""

LEAST_TERMS = 64
"""The least terms of a part, beside which the partial results that it writes are few."""


def factored_in(equations: Iterable[EquationFacts], machine: Machine) -> dict[Operation, TermParts]:
    """The reductions that threads fold part by part."""
    found = ((one.op, _parts_of(one, machine)) for one in equations)
    return {op: one for op, one in found if one is not None}


def _parts_of(equation: EquationFacts, machine: Machine) -> TermParts | None:
    """The parts of a reduction; None if more than half of the threads have a tile each."""
    op, body = equation.op, equation.op.body[0]
    is_plain = is_box(op) and isinstance(body, Reduce) and not body.reduction.start
    if machine.threads == 1 or equation.total < LEAST_TOTAL or not is_plain or not op.axis:
        return None
    if not _is_known(equation) or 2 * _tiles_of(equation, machine) > machine.threads:
        return None
    axis = max(op.reduce_axis, key=lambda one: (extent_of(one), -op.reduce_axis.index(one)))
    terms = prod(map(extent_of, op.reduce_axis))
    most = min(MOST_PARTS, equation.total // LEAST_WORK, terms // LEAST_TERMS, extent_of(axis))
    if most < 2:
        return None
    dividing = (count for count in range(most, most // 2, -1) if extent_of(axis) % count == 0)
    count = next(dividing, most)
    return TermParts(axis, -(-extent_of(axis) // count))


def _is_known(equation: EquationFacts) -> bool:
    """Whether all extents are known."""
    return None not in map(known_extent, equation.axes) and all(
        known(extent) is not None for extent in equation.op.outputs[0].extents
    )


def _tiles_of(equation: EquationFacts, machine: Machine) -> int:
    """How many pieces of the result threads could share."""
    if folds.folded_by_lanes(equation, machine) is not None:
        return folds.blocks_in(equation, machine)
    return tiles_in(equation, choice_of_tile(equation, machine), machine)


def factor(rules: ScheduleWriter, equation: EquationFacts) -> Sequence[EquationFacts]:
    """Makes a stage of partial results; gives the equations of both, the last one first."""
    axis, terms = rules.factored[equation.op]
    stage, number = rules.s[equation.op], equation.op.reduce_axis.index(axis)
    part = rules.partial_results(stage, stage.op.reduce_axis[number], terms)
    rules.say(part, f"{terms} of {axis.name} at a time are folded on threads")
    rules.reads.stored.add(part.op)
    found = [EquationFacts(one.op, is_part=equation.is_part) for one in (stage, part)]
    for one in found:
        rules.reads.give(one)
    return found
