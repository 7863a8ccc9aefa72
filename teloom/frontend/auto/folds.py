"""Folds of what is contiguous: each lane adds some of the terms, and lanes are added last."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from teloom.dialects.syntax.scopes import GLOBAL
from teloom.frontend.auto.facts import (
    SYMBOLIC,
    EquationFacts,
    Read,
    are_independent,
    boxes_in,
    bytes_of,
    extent_of,
    known_extent,
)
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.panels import with_last
from teloom.frontend.auto.rules import ScheduleWriter, SharedFold
from teloom.frontend.auto.threads.sharing import iterations
from teloom.frontend.auto.tiles import group_of, is_stored_before, readers
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.data_bounds import is_from_point
from teloom.frontend.tensor.tensors import IterVar

ROWS = 4
"""Rows that are folded together, or vectors of one row."""

LONG = 8
"""The least vectors of a dot product whose lanes pay for being added to each other at its end."""

LEAST_READERS = 16
"""The fewest elements of the result that read one element, for it to be copied beside others."""

CHUNK = 2**14
"""The least elements that one thread folds."""


def folded_by_lanes(equation: EquationFacts, machine: Machine) -> IterVar | None:
    """The reduce axis that lanes fold: one along which most of what is read is contiguous.

    None if lanes should be elements of the result.
    """
    op = equation.op
    if not op.reduce_axis or not equation.reads:
        return None
    lanes = op.axis[equation.last : equation.last + 1]
    largest = _largest(equation)
    if equation.is_product:
        are_dots = _are_dots(equation, machine.lanes(largest.tensor.dtype))
        most = machine.lanes(op.outputs[0].dtype) if are_dots else ROWS
        if min(map(extent_of, (equation.reused[-1], *lanes))) >= most:
            return None
    if equation.space and any(largest.stride(axis) == 1 for axis in lanes):
        return None
    least = _lanes(equation, machine)
    contiguous = (
        axis
        for number, axis in reversed([*enumerate(op.reduce_axis)])
        if largest.is_contiguous(axis)
        and prod(map(extent_of, _one_axis(equation, number))) >= least
    )
    return next(contiguous, None)


def _are_dots(equation: EquationFacts, lanes: int) -> bool:
    """Whether elements are dot products of long rows of memory."""
    *others, term = equation.op.reduce_axis
    is_long = extent_of(term) >= LONG * lanes and not others
    return is_long and all(read.stride(term) == 1 for read in equation.reads)


def _lanes(equation: EquationFacts, machine: Machine) -> int:
    """How many elements are folded at once: a vector of results, to which they are converted.

    Instructions add several products of narrow numbers to a lane: those of a vector that is read.
    """
    lanes = machine.lanes(_largest(equation).tensor.dtype)
    if group_of(equation, machine) is not None:
        return lanes
    return min(lanes, machine.lanes(equation.op.outputs[0].dtype))


def _largest(equation: EquationFacts) -> Read:
    return max(equation.reads, key=lambda read: bytes_of(read.tensor))


class _Block(NamedTuple):
    """Elements that are folded together: `count` along an axis, for which other rows are read.

    If an axis reads them `again`, `together` of its elements share each row. `order` are the
    numbers of all axes, outermost first. `vectors` of each row are folded together.
    """

    order: Sequence[int]
    row: int
    count: int
    again: int | None
    together: int
    vectors: int = 1

    @property
    def results(self) -> int:
        """The vectors of results that are folded together."""
        return self.count * self.together * self.vectors

    @classmethod
    def of(cls, equation: EquationFacts, machine: Machine) -> _Block:
        axes, largest = equation.op.axis, _largest(equation)
        outer = [number for number, axis in enumerate(axes) if largest.mentions(axis)]
        inner = [number for number in range(len(axes)) if number not in outer]
        several = [number for number in outer or inner if extent_of(axes[number]) > 1]
        row = several[-1] if several else (outer or inner)[-1]
        order = [*(one for one in outer if one != row), row, *(one for one in inner if one != row)]
        shared = [one for one in inner if one != row and extent_of(axes[one]) > 1]
        if not shared:
            vectors = _vectors_of_one_row(equation, machine)
            return cls(order, row, ROWS if vectors is None else 1, None, 1, vectors or 1)
        together, count = machine.dots(extent_of(axes[shared[-1]]), ROWS)
        return cls(order, row, count, shared[-1], together)

    def split(self, stage: Stage) -> tuple[dict[int, IterVar], list[IterVar]]:
        """Splits the axes of a stage into loops around blocks, by number, and those of a block."""
        loops, inner = dict(enumerate(stage.op.axis)), list[IterVar]()
        if self.again is not None:
            whole = loops.pop(self.again)
            if self.together < extent_of(whole):
                loops[self.again], whole = stage.split(whole, factor=self.together)
            inner.append(whole)
        if self.count > 1:
            loops[self.row], row = stage.split(loops[self.row], factor=self.count)
            inner.append(row)
        return {number: loops[number] for number in self.order if number in loops}, inner


def _vectors_of_one_row(equation: EquationFacts, machine: Machine) -> int | None:
    """How many vectors of one row are folded together; None if several rows are.

    Rows are read from memory one after the other: prefetchers follow one line of reads best.
    """
    axis, read = folded_by_lanes(equation, machine), _largest(equation)
    if axis is None or read.stride(axis) != 1:
        return None
    row = _one_axis(equation, equation.op.reduce_axis.index(axis))
    extent = prod(known_extent(one) or 0 for one in row)
    whole = extent // _lanes(equation, machine)
    if whole < LONG or bytes_of(read.tensor) <= machine.second_cache:
        return None
    return next(count for count in range(ROWS, 0, -1) if whole % count == 0)


def blocks_in(equation: EquationFacts, machine: Machine) -> int:
    """How many blocks of elements are folded together."""
    block = _Block.of(equation, machine)
    return boxes_in(equation.op.axis, {block.row: block.count, block.again: block.together})


def rows_together(equation: EquationFacts, machine: Machine) -> int:
    """How many rows are folded together."""
    return _Block.of(equation, machine).count


def shares_rows(equation: EquationFacts, machine: Machine) -> bool:
    """Whether several elements read each row that lanes fold."""
    return _Block.of(equation, machine).again is not None


class LaneFold(NamedTuple):
    """How lanes fold: the loops `around`, over elements of the result, and that over `terms`.

    The latter is of `stage`, and others may run in it, if they fold such a `block`. If lanes fold a
    whole axis, it is None.
    """

    around: Sequence[IterVar]
    stage: Stage
    terms: IterVar | None = None
    block: _Block | None = None


def fold_lanes(rules: ScheduleWriter, equation: EquationFacts, axis: IterVar) -> LaneFold:
    """Folds lanes of a reduce axis, for several rows at once if there are any."""
    stage = rules.s[equation.op]
    _turn_what_is_apart(rules, equation, stage, axis)
    terms, folded = _joined_terms(equation, stage, axis)
    if not equation.space:
        return _fold_all(rules, stage, folded, len(terms) + len(stage.op.axis))
    if is_from_point(axis):
        stage.vectorize(folded)
        rules.say(stage, f"lanes fold {folded.name}, which begins or ends where its element says")
        return LaneFold(stage.op.axis, stage)
    block = _Block.of(equation, rules.machine)
    around, inner = block.split(stage)
    outer = _fold_block(rules, equation, block, stage, [*around.values(), *terms], folded, inner)
    return LaneFold([*around.values()], stage, outer, block)


def _turn_what_is_apart(
    rules: ScheduleWriter, equation: EquationFacts, stage: Stage, axis: IterVar
) -> None:
    """Copies what lanes would read here and there, and many elements read, side by side."""
    axes = _one_axis(equation, equation.op.reduce_axis.index(axis))
    for read in equation.reads:
        if read.stride(axis) in (0, 1, None) or readers(equation, read) < LEAST_READERS:
            continue
        of_axes = all(one.is_axis or not one.axes for one in read.subscripts)
        is_given = is_stored_before(equation, read.tensor)
        if is_given and of_axes and equation.reads_once(read.tensor):
            copy = rules.s[rules.s.cache_read(read.tensor, GLOBAL, [stage.op])]
            last = [k for k, one in enumerate(read.subscripts) if one.axes & {*axes}]
            _store_last(copy, last)
            names = " and ".join(one.name for one in axes)
            rules.say(copy, f"elements along {names} lie side by side")


def _store_last(stage: Stage, dimensions: Sequence[int]) -> None:
    """Stores elements along some dimensions side by side, and computes vectors of them."""
    stage.transform_layout(lambda *at: with_last(at, *dimensions))
    stage.vectorize(stage.leaf_iter_vars[-1])


def fold_with_others(
    rules: ScheduleWriter, equation: EquationFacts, loops: LaneFold, at: IterVar | None
) -> None:
    """Folds lanes in the loops of a fold that reads the same elements, if there is one.

    Both are computed in the loop `at` of a stage, or both at the root. So what they share is read
    once. Their results fill three of four registers at most.
    """
    if loops.terms is None:
        return
    results = 1 if loops.block is None else loops.block.results
    most = rules.machine.registers * 3 // 4 // results
    shape = [*map(extent_of, equation.axes)], loops.block
    fold = SharedFold([equation], [loops.stage], loops.terms, at, shape, most)
    for other in rules.folds:
        group, single = (other, fold) if len(fold.stages) == 1 else (fold, other)
        if _may_join(single, group, rules):
            first, *_ = group.stages
            (stage,) = single.stages
            stage.compute_with(first, group.terms)
            rules.say(stage, f"folded in the loops of {first.name}, which reads the same")
            group.equations.extend(single.equations)
            group.stages.append(stage)
            rules.folds = [one for one in rules.folds if one is not other]
            fold = group
    rules.folds = [*rules.folds, fold]


def _may_join(single: SharedFold, group: SharedFold, rules: ScheduleWriter) -> bool:
    """Whether a fold has its place, shape and some reads in common with others, and reads none."""
    equation, *more = single.equations
    if more or single.at is not group.at or single.shape != group.shape:
        return False
    if len(group.stages) >= group.most:
        return False
    read = {one.place(read) for one in group.equations for read in one.reads}
    if read.isdisjoint(map(equation.place, equation.reads)):
        return False
    # Of stages: an equation is that of partial results now, if threads fold these.
    (stage,), now = single.stages, rules.s.result_now
    return all(are_independent(one.op, stage.op, now) for one in group.stages)


def fold_for(
    rules: ScheduleWriter, equation: EquationFacts, copy: Stage, axis: IterVar
) -> dict[int, IterVar]:
    """Folds lanes for blocks of a stage that reads the fold point by point; its loops around."""
    stage = rules.s[equation.op]
    _turn_what_is_apart(rules, equation, stage, axis)
    block = _Block.of(equation, rules.machine)
    around, inner = block.split(copy)
    copy.reorder(*around.values(), *inner)
    stage.compute_at(copy, [*around.values()][-1])
    terms, folded = _joined_terms(equation, stage, axis)
    numbers = [] if block.again is None else [block.again]
    if block.count > 1:
        numbers.append(block.row)
    others = [one for number, one in enumerate(stage.op.axis) if number not in numbers]
    elements = [stage.op.axis[number] for number in numbers]
    _fold_block(rules, equation, block, stage, [*others, *terms], folded, elements)
    return around


def _joined_terms(
    equation: EquationFacts, stage: Stage, axis: IterVar
) -> tuple[list[IterVar], IterVar]:
    """The reduce axes of a stage, and the one that is folded: all that are one with `axis`."""
    terms, number = [*stage.op.reduce_axis], equation.op.reduce_axis.index(axis)
    first = number + 1 - len(_one_axis(equation, number))
    joined = terms[first : number + 1]
    terms[first : number + 1] = []
    return terms, joined[0] if len(joined) == 1 else stage.fuse(*joined)


def _fold_block(
    rules: ScheduleWriter,
    equation: EquationFacts,
    block: _Block,
    stage: Stage,
    around: Sequence[IterVar],
    folded: IterVar,
    elements: Sequence[IterVar],
) -> IterVar:
    """The loops of a fold: terms outside, the elements of a block inside, lanes innermost.

    Gives the loop over terms.
    """
    lanes = _lanes(equation, rules.machine) * block.vectors
    outer, inner = stage.split(folded, factor=lanes)
    stage.reorder(*around, outer, *elements, inner)
    for element in elements:
        stage.unroll(element)
    stage.vectorize(inner)
    rows = "row by row" if block.count == 1 else f"in {block.count} rows at once"
    rules.say(stage, f"lanes fold {folded.name}, which is contiguous, {rows}")
    return outer


def _one_axis(equation: EquationFacts, last: int) -> Sequence[IterVar]:
    """The reduce axes that are one long axis in all reads, up to that of number `last`."""
    terms = equation.op.reduce_axis
    first = last
    while first and all(_continues(read, *terms[first - 1 : first + 1]) for read in equation.reads):
        first -= 1
    return terms[first : last + 1]


def _continues(read: Read, outer: IterVar, inner: IterVar) -> bool:
    """Whether the elements along an axis continue those along an inner one without a gap."""
    extent = known_extent(inner)
    by_outer, by_inner = read.stride(outer), read.stride(inner)
    if extent is None or by_outer is None or by_inner is None:
        return False
    return by_outer == by_inner * extent


def _fold_all(rules: ScheduleWriter, stage: Stage, folded: IterVar, others: int) -> LaneFold:
    """Folds all of a tensor into one element: on threads, if it is long."""
    if others or (iterations(stage, folded) or SYMBOLIC) < 2 * CHUNK:
        stage.vectorize(folded)
        rules.say(stage, f"lanes fold {folded.name}")
        return LaneFold(stage.op.axis, stage)
    part = rules.partial_results(stage, folded, CHUNK)
    part.vectorize(part.op.reduce_axis[-1])
    rules.say(stage, f"{CHUNK} elements at a time are folded across lanes")
    rules.run_on_threads(part, part.op.axis)
    return LaneFold(stage.op.axis, part, part.op.axis[0])
