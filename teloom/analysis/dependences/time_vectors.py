"""When the instances of a stage run: vectors of static positions and loops, in turn.

A vector compares lexicographically with that of any other stage of its function. The first number
is the position of the stage at the root among all others, then comes a loop, then the position
inside of that loop, and so on: the 2d+1 form of Feautrier, "Some efficient solutions to the affine
scheduling problem", part II, 1992.

In a loop, the stages that are computed there come first, in their order; the loops further in
follow. A reduction or an update has two nests, of which the init runs first. If several stages
share a loop, the stages computed in it come before the loops further in of all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import first_of_run, init_depth, is_reduce, run_of, states_of
from teloom.dialects import schedule
from teloom.dialects.bodies.preorder import ops_of

TimeVector = Sequence[int | SSAValue]
"""A static position, the axis of a loop, a static position, and so on."""


class Nest(StrEnum):
    """The two loop nests of a reduction or an update; any other stage has a body alone."""

    INIT = "init"
    BODY = "body"


def has_init_nest(stage: schedule.StageOp) -> bool:
    """Whether a nest of its own sets the elements of a stage to their start."""
    return len(stage.root_axes) > stage.data_axis_count


def nests_of(stage: schedule.StageOp) -> Sequence[Nest]:
    """The nests of a stage, in their order."""
    return [*Nest] if has_init_nest(stage) else [Nest.BODY]


def axes_of_nest(stage: schedule.StageOp, nest: Nest = Nest.BODY) -> Sequence[SSAValue]:
    """The root axes at whose points the code of a nest runs."""
    if nest is Nest.INIT:
        return stage.root_axes[: stage.data_axis_count]
    return stage.root_axes if stage.update is None else stage.root_axes[stage.data_axis_count :]


def has_elements(stage: schedule.StageOp, nest: Nest) -> bool:
    """Whether the code of a nest runs at points of data axes, which are elements."""
    return nest is Nest.INIT or stage.update is None


def loops_of_nest(stage: schedule.StageOp, nest: Nest = Nest.BODY) -> list[SSAValue]:
    """The leaf axes of the loops of a nest, outermost first: those of an init are data axes."""
    leaves = stage.order.axes
    if nest is Nest.INIT:
        return [axis for axis in leaves if not is_reduce(axis)]
    return [axis for axis in leaves if stage.update is None or is_reduce(axis)]


def ordered_along(stage: schedule.StageOp) -> Sequence[SSAValue]:
    """The root axes along which instances of a stage read what earlier ones wrote, slowest first.

    There is none where the points of a stage are independent of each other, and none of a
    reduction, which may fold its terms in any order.
    """
    if stage.update is not None:
        return axes_of_nest(stage)
    return stage.root_axes[:1] if states_of(stage) else ()


def time_vector(stage: schedule.StageOp, nest: Nest = Nest.BODY) -> TimeVector:
    """When the instances of a nest of a stage run, from the root of its function.

    Stages that share loops have the same positions down to the loop that they share last.
    """
    leaves = loops_of_nest(stage, nest)
    found = _start(stage)
    for depth in range(len(leaves) + 1):
        started = nest if _is_apart(stage, nest, depth) else Nest.BODY
        found[-1] += _position(_events(stage, nest, depth), (stage, started))
        if depth < len(leaves):
            found += [leaves[depth], 0]
    return found


_Event = Collection[tuple[schedule.StageOp, Nest | None]]
"""What has one position: a loop of nests that share it; or stages in a loop, by their first."""


def _start(stage: schedule.StageOp) -> list[Any]:
    """The loops around a stage with their positions, and the position of the stage itself."""
    first, around = first_of_run(stage), stage.enclosing
    if around is None:
        block = stage.parent_block()
        assert block is not None
        return [_position(_events_of(ops_of(block, schedule.StageOp)), (first, None))]
    at = stage.at
    assert at is not None
    nest = Nest.INIT if around.update is not None and not is_reduce(at) else Nest.BODY
    depth = loops_of_nest(around, nest).index(at) + 1
    vector = time_vector(around, nest)
    position = _position(_events(around, nest, depth), (first, None))
    return [*vector[: vector.index(at) + 1], position]


def _position(events: Iterator[_Event], wanted: tuple[schedule.StageOp, Nest | None]) -> int:
    return next(position for position, event in enumerate(events) if wanted in event)


def _events(stage: schedule.StageOp, nest: Nest, depth: int) -> Iterator[_Event]:
    """The events inside of `depth` loops of a nest, in their order, of all stages there."""
    if depth and _is_apart(stage, nest, depth - 1):
        if stage.update is not None:
            yield from _computed_in(stage, nest, depth)
        yield [(stage, nest)]
        return
    run = run_of(first_of_run(stage))
    if depth:
        run = next(group for group in _sharing(run, depth - 1) if stage in group)
    for group in _sharing(run, depth):
        for member in group:
            yield from _computed_in(member, Nest.BODY, depth)
            if depth == _split(member):
                yield [(member, Nest.INIT)]
        yield [(member, Nest.BODY) for member in group]


def _computed_in(stage: schedule.StageOp, nest: Nest, depth: int) -> Iterator[_Event]:
    """The stages that are computed inside of the last of `depth` loops of a nest."""
    if depth:
        at = loops_of_nest(stage, nest)[depth - 1]
        yield from _events_of([inner for inner in stage.attached if inner.at is at])


def _events_of(stages: Sequence[schedule.StageOp]) -> Iterator[_Event]:
    """The positions of stages in one block: a reduction at once has one for each nest."""
    for group in _sharing(stages, 0):
        for _ in range(1 + sum(_split(member) == 0 for member in group)):
            yield [(group[0], None)]


def _sharing(stages: Sequence[schedule.StageOp], depth: int) -> list[list[schedule.StageOp]]:
    """Stages in their order, in groups of those that share the loop at this depth."""
    found: list[list[schedule.StageOp]] = []
    for stage in stages:
        if found and len(stage.shared) > depth:
            found[-1].append(stage)
        else:
            found.append([stage])
    return found


def _is_apart(stage: schedule.StageOp, nest: Nest, depth: int) -> bool:
    """Whether the loop of a nest at a depth is not shared with the other nest of the stage."""
    split = _split(stage)
    return split is not None and split <= depth and (nest is Nest.INIT or stage.update is not None)


def _split(stage: schedule.StageOp) -> int | None:
    """The number of loops that the nests of a stage share; None for a stage with one nest."""
    return 0 if stage.update is not None else init_depth(stage)
