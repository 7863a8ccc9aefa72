"""Changes of the leaf axes of a stage, their order and kinds: shared by primitives."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.partitions import tail_of
from teloom.analysis.stages.queries import is_reduce, name_of
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Tail
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import command_word


def set_order(
    stage: schedule.StageOp,
    leaves: Sequence[tuple[SSAValue, LoopKind]],
    command: Operation | None = None,
) -> None:
    """Replaces the order of a stage; what the new one violates is shown at the command."""
    old = stage.order
    new = schedule.OrderOp([axis for axis, _ in leaves], [kind for _, kind in leaves])
    known = command is not None and not isinstance(command.location, UnknownLoc)
    new.location = command.location if known else old.location
    Rewriter.insert_op(new, InsertPoint.before(old))
    Rewriter.erase_op(old)


def set_kind(stage: schedule.StageOp, axis: SSAValue, kind: LoopKind, command: Operation) -> None:
    """Gives a leaf axis its kind.

    Refuses a second kind, and iterations at the same time that no combiner joins.
    """
    leaves = dict(stage.order.leaves)
    name = schedule.axis_name(axis)
    is_joined = kind.is_parallel and stage.extern is None
    if kind.at_the_same_time and not is_joined and is_reduce(axis):
        data = [leaf for leaf in leaves if not is_reduce(leaf)]
        raise ScheduleError(
            f'axis {name} of stage "{name_of(stage)}" is a reduce axis and cannot '
            f"be {kind.value}; data axes: " + schedule.axis_names(data),
            command,
        )
    if leaves[axis] not in (LoopKind.SERIAL, kind):
        raise ScheduleError(
            f'axis {name} of stage "{name_of(stage)}" is {leaves[axis].value} '
            f"already and cannot be {kind.value} too",
            command,
        )
    leaves[axis] = kind
    set_order(stage, list(leaves.items()), command)


def require_serial(stage: schedule.StageOp, axes: Sequence[SSAValue], command: Operation) -> None:
    """Refuses to consume an axis that already has a kind or a tail, which would be lost."""
    for axis in axes:
        tail = tail_of(stage, axis)
        if tail in (Tail.PREDICATE, Tail.ROUND_UP, Tail.SHIFT_INWARDS):
            raise ScheduleError(
                f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" has tail '
                f'"{tail.value}", which is that of a loop; {command_word(command)} it before it is '
                'split, or split it with tail "guard" or "cut"',
                command,
            )
    for axis, kind in stage.order.leaves:
        if axis in axes and kind is not LoopKind.SERIAL:
            raise ScheduleError(
                f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" is '
                f"{kind.value}; {command_word(command)} it before that",
                command,
            )


def add_relation(stage: schedule.StageOp, relation: schedule.RelationOp) -> None:
    """Moves a relation from the sequence into the stage, behind its other relations.

    Its results replace the adjacent axes that it consumes. A stage computed or stored at one of
    these moves to the last, innermost result: it runs as often as before.
    """
    consumed, results = relation.consumed, relation.results
    leaves = stage.order.leaves
    first = list(stage.order.axes).index(consumed[0])
    leaves[first : first + len(consumed)] = [(axis, LoopKind.SERIAL) for axis in results]
    relation.detach()
    Rewriter.insert_op(relation, InsertPoint.before(stage.order))
    set_order(stage, leaves, relation)
    for axis in consumed:
        axis.replace_uses_with_if(
            results[-1], lambda use: isinstance(use.operation, schedule.StageOp)
        )


def require_data_or_reduce(
    stage: schedule.StageOp, axes: Sequence[SSAValue], command: Operation
) -> None:
    """Refuses a mix of data axes and reduce axes."""
    if len({is_reduce(axis) for axis in axes}) > 1:
        word = command_word(command)
        raise ScheduleError(
            f"{word} cannot join a data axis and a reduce axis: {schedule.axis_names(axes)} of "
            f'stage "{name_of(stage)}"',
            command,
        )
