"""When the instances of a stage run: vectors of static positions and loops, in turn.

A vector compares lexicographically with that of any other stage of its function. The first number
is the position of the stage at the root among all others, then comes a loop, then the position
inside of that loop, and so on: the 2d+1 form of Feautrier, "Some efficient solutions to the affine
scheduling problem", part II, 1992.

In a loop stand first the stages that are computed there, in their order, and behind these the
loops further in. A reduction has two parts, of which the init runs first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import init_depth, is_reduce
from teloom.dialects import schedule

TimeVector = Sequence[int | SSAValue]
"""A static position, the axis of a loop, a static position, and so on."""


class Part(StrEnum):
    """The two loop nests of a reduction, and those of an update, which share no loops; any other
    stage has a body alone."""

    INIT = "init"
    BODY = "body"


def has_init_part(stage: schedule.StageOp) -> bool:
    """Whether a nest of its own sets elements to their start: in reductions and updates."""
    return len(stage.root_axes) > stage.data_axis_count


def parts_of(stage: schedule.StageOp) -> Sequence[Part]:
    """The parts of a stage, in their order."""
    return [*Part] if has_init_part(stage) else [Part.BODY]


def loops_of_part(stage: schedule.StageOp, part: Part = Part.BODY) -> list[SSAValue]:
    """The leaf axes of the loops of a part, outermost first: those of an init are data axes."""
    leaves = stage.order.axes
    if part is Part.INIT:
        return [axis for axis in leaves if not is_reduce(axis)]
    return [axis for axis in leaves if stage.update is None or is_reduce(axis)]


def axes_of_part(stage: schedule.StageOp, part: Part) -> Sequence[SSAValue]:
    """The root axes at whose points a part runs: an update has data axes in its init alone."""
    axes, data = stage.root_axes, stage.data_axis_count
    if part is Part.INIT:
        return axes[:data]
    return axes if stage.update is None else axes[data:]


def time_vector(stage: schedule.StageOp, part: Part = Part.BODY) -> TimeVector:
    """When the instances of a part of a stage run, from the root of its function."""
    leaves = loops_of_part(stage, part)
    split_at = _shared_loops(stage)
    found = _up_to(stage)
    for depth in range(len(leaves) + 1):
        if depth == split_at:
            found[-1] += list(Part).index(part)
        if depth < len(leaves):
            found += [leaves[depth], _positions_at(stage, leaves[depth])]
    return found


def _up_to(stage: schedule.StageOp) -> list[int | SSAValue]:
    """The loops around a stage with their positions, and its own position in the last."""
    around = stage.enclosing
    if around is None:
        block = stage.parent_block()
        assert block is not None
        siblings = [op for op in block.ops if isinstance(op, schedule.StageOp)]
        return [_behind(siblings[: siblings.index(stage)])]
    at, found = stage.at, _up_to(around)
    assert at is not None
    part = Part.BODY if stage.at in loops_of_part(around) else Part.INIT
    for depth, axis in enumerate(loops_of_part(around, part)):
        if depth == _shared_loops(around) and part is Part.BODY:
            found[-1] += 1  # pyright: ignore[reportOperatorIssue]: the last one is a position
        if axis is at:
            break
        found += [axis, _positions_at(around, axis)]
    siblings = [*_computed_at(around, at)]
    return [*found, at, _behind(siblings[: siblings.index(stage)])]


def _shared_loops(stage: schedule.StageOp) -> int | None:
    """The number of loops that the parts of a stage share; None if it has one part."""
    return 0 if stage.update is not None else init_depth(stage)


def _positions_at(stage: schedule.StageOp, axis: SSAValue) -> int:
    """The position of a stage's own loops inside one of its loops: behind what is computed there.

    The init nest that may begin there is in front of the others.
    """
    return _behind([*_computed_at(stage, axis)])


def _computed_at(stage: schedule.StageOp, axis: SSAValue) -> Iterator[schedule.StageOp]:
    return (attached for attached in stage.attached if attached.at is axis)


def _behind(stages: Sequence[schedule.StageOp]) -> int:
    """The first position behind some stages; a reduction at once has one for each part."""
    return sum(2 if _shared_loops(stage) == 0 else 1 for stage in stages)
