"""Changing the order of a stage's leaf axes and their kinds: what primitives share."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages import is_reduce, name_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.primitives.handles import command_word


def set_order(stage: schedule.StageOp, leaves: Sequence[tuple[SSAValue, LoopKind]]) -> None:
    """Replaces the order of a stage."""
    old = stage.order
    new = schedule.OrderOp([axis for axis, _ in leaves], [kind for _, kind in leaves])
    new.location = old.location
    Rewriter.insert_op(new, InsertPoint.before(old))
    Rewriter.erase_op(old)


def set_kind(stage: schedule.StageOp, axis: SSAValue, kind: LoopKind, command: Operation) -> None:
    """Gives a leaf axis its kind; refuses a second one, and most for a reduce axis."""
    leaves = dict(stage.order.leaves)
    name = schedule.axis_name(axis)
    if kind is not LoopKind.UNROLLED and is_reduce(axis):
        data = [leaf for leaf in leaves if not is_reduce(leaf)]
        raise ScheduleError(
            f'axis {name} of stage "{name_of(stage)}" is a reduce axis and cannot '
            f"be {kind.value}; data axes: " + (", ".join(map(schedule.axis_name, data)) or "none"),
            command,
        )
    if leaves[axis] not in (LoopKind.SERIAL, kind):
        raise ScheduleError(
            f'axis {name} of stage "{name_of(stage)}" is {leaves[axis].value} '
            f"already and cannot be {kind.value} too",
            command,
        )
    leaves[axis] = kind
    set_order(stage, list(leaves.items()))


def require_serial(stage: schedule.StageOp, axes: Sequence[SSAValue], command: Operation) -> None:
    """Refuses to consume an axis that has a kind already: the kind would be lost."""
    for axis, kind in stage.order.leaves:
        if axis in axes and kind is not LoopKind.SERIAL:
            raise ScheduleError(
                f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" is '
                f"{kind.value}; {command_word(command)} it before that",
                command,
            )


def move_relation(relation: Operation, stage: schedule.StageOp) -> None:
    """Moves a split or fuse from the sequence into the stage, as its last relation."""
    relation.detach()
    Rewriter.insert_op(relation, InsertPoint.before(stage.order))


def reattach(stage: schedule.StageOp, consumed: Sequence[SSAValue], axis: SSAValue) -> None:
    """Moves what is computed at one of the consumed axes to the axis in their place."""
    for attached in stage.attached:
        if attached.at in consumed:
            attached.set_at(axis)
