"""When the instances of a stage run: vectors of static positions and loops, in turn.

A vector compares lexicographically with that of any other stage of its function. The first number
is the position of the stage at the root among all others, then comes a loop, then the position
inside of that loop, and so on: the 2d+1 form of Feautrier, "Some efficient solutions to the affine
scheduling problem", part II, 1992.

In a loop stand first the stages that are computed there, in their order, and behind these the
loops further in. A reduction has two nests, of which the init runs first; so has an update.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import init_depth, is_reduce
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


def time_vector(stage: schedule.StageOp, nest: Nest = Nest.BODY) -> TimeVector:
    """When the instances of a nest of a stage run, from the root of its function."""
    leaves = loops_of_nest(stage, nest)
    found = _up_to(stage)
    for depth in range(len(leaves) + 1):
        if depth == _shared(stage):
            found[-1] += list(Nest).index(nest)
        if depth < len(leaves):
            found += [leaves[depth], _positions_at(stage, leaves[depth])]
    return found


def _up_to(stage: schedule.StageOp) -> list[Any]:
    """The loops around a stage with their positions, and its own position in the last."""
    around = stage.enclosing
    if around is None:
        block = stage.parent_block()
        assert block is not None
        siblings = ops_of(block, schedule.StageOp)
        return [_behind(siblings[: siblings.index(stage)])]
    at, found = stage.at, _up_to(around)
    assert at is not None
    nest = Nest.INIT if around.update is not None and not is_reduce(at) else Nest.BODY
    for depth, axis in enumerate(loops_of_nest(around, nest)):
        if depth == _shared(around):
            found[-1] += list(Nest).index(nest)
        if axis is at:
            break
        found += [axis, _positions_at(around, axis)]
    siblings = [*_computed_at(around, at)]
    return [*found, at, _behind(siblings[: siblings.index(stage)])]


def _shared(stage: schedule.StageOp) -> int | None:
    """The number of loops that the nests of a stage share; None for a stage with one nest."""
    return 0 if stage.update is not None else init_depth(stage)


def _positions_at(stage: schedule.StageOp, axis: SSAValue) -> int:
    """The position of a stage's own loops inside one of its loops: behind what is computed there.

    The init nest that may begin there is in front of the others.
    """
    return _behind([*_computed_at(stage, axis)])


def _computed_at(stage: schedule.StageOp, axis: SSAValue) -> Iterator[schedule.StageOp]:
    return (attached for attached in stage.attached if attached.at is axis)


def _behind(stages: Sequence[schedule.StageOp]) -> int:
    """The first position behind some stages; a reduction at once has one for each nest."""
    return sum(2 if _shared(stage) == 0 else 1 for stage in stages)
