"""Changes of the leaf axes of a stage, their order and kinds: shared by primitives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import islpy as isl
from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.domains import declared_box
from teloom.analysis.stages.leaf_map import axis_spans, own_axes
from teloom.analysis.stages.partitions import tail_of
from teloom.analysis.stages.queries import function_around, is_reduce, name_of
from teloom.analysis.stages.relations.meanings import check_sizes
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
    """Replaces the order of a stage.

    What the new one violates is shown at the command that gave an axis its kind, or else at the
    last that changed the order in which iterations run.
    """
    old = stage.order
    new = schedule.OrderOp([axis for axis, _ in leaves], [kind for _, kind in leaves])
    new.set_commands(_commands(old, new, command))
    Rewriter.insert_op(new, InsertPoint.before(old))
    Rewriter.erase_op(old)


def _commands(
    old: schedule.OrderOp, new: schedule.OrderOp, command: Operation | None
) -> list[LocationAttr]:
    """The locations of the commands behind a new order that a command made of an old one."""
    order, *said = old.commands
    here = order if command is None else command.location
    if isinstance(here, UnknownLoc):
        here = order
    is_kept = isinstance(command, schedule.RelationOp) and command.KEEPS_ORDER
    if isinstance(order, UnknownLoc) or not (is_kept or [*old.axes] == [*new.axes]):
        order = here
    known = dict(zip(old.leaves, said, strict=True))
    kinds = (order if leaf[1].one_after_another else known.get(leaf, here) for leaf in new.leaves)
    return [order, *kinds]


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
    require_no_tail(stage, axes, command)
    for axis, kind in stage.order.leaves:
        if axis in axes and kind is not LoopKind.SERIAL:
            raise ScheduleError(
                f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" is '
                f"{kind.value}; {command_word(command)} it before that",
                command,
            )


def require_no_tail(stage: schedule.StageOp, axes: Sequence[SSAValue], command: Operation) -> None:
    """Refuses to consume an axis that has a tail, which would be lost."""
    for axis in axes:
        tail = tail_of(stage, axis)
        if tail in (Tail.PREDICATE, Tail.ROUND_UP, Tail.SHIFT_INWARDS):
            raise ScheduleError(
                f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" has tail '
                f'"{tail.value}", which {command_word(command)} would lose; it has to come from a '
                'split with tail "guard" or "cut"',
                command,
            )


_PARTS = {
    LoopKind.PARALLEL: (LoopKind.PARALLEL, LoopKind.SERIAL),
    LoopKind.DYNAMIC: (LoopKind.DYNAMIC, LoopKind.SERIAL),
    LoopKind.VECTORIZED: (LoopKind.SERIAL, LoopKind.VECTORIZED),
    LoopKind.UNROLLED: (LoopKind.UNROLLED, LoopKind.UNROLLED),
}
"""The kinds of the outer and the inner axis that one axis is split into, by the kind of that."""


def _kinds_made(
    stage: schedule.StageOp, relation: schedule.RelationOp, kinds: Sequence[LoopKind]
) -> Sequence[LoopKind]:
    """The kinds of the axes that a relation makes, by those of the axes that it consumes.

    Raises ScheduleError for kinds that would be lost, such as those of thread axes.
    """
    found, number = {*kinds}, len(relation.results)
    if found <= {LoopKind.SERIAL}:
        return [LoopKind.SERIAL] * number
    joined = found - {LoopKind.SERIAL}
    is_one = len(joined) == 1 and (joined == found or all(kind.is_parallel for kind in joined))
    (kind, *_) = joined
    if is_one and kind in _PARTS:
        if number == 1:
            return [kind]
        if number == 2 and len(kinds) == 1:
            return _PARTS[kind]
    axis = next(axis for axis in relation.consumed if dict(stage.order.leaves)[axis] in joined)
    raise ScheduleError(
        f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" is '
        f"{dict(stage.order.leaves)[axis].value}; {command_word(relation)} it before that",
        relation,
    )


def require_no_more_points(stage: schedule.StageOp, relation: schedule.RelationOp) -> None:
    """Refuses tiles of the domain of an update that run beyond its end."""
    parent = relation.consumed[0]
    of_update = stage.update is not None and is_reduce(parent)
    if of_update and relation.last_tile is Tail.ROUND_UP:
        raise ScheduleError(
            f'axis {schedule.axis_name(parent)} of "{name_of(stage)}" is one of an update, '
            'whose points beyond the end would change elements; use tail "predicate", "guard" or '
            '"cut"',
            relation,
        )


def add_relation(stage: schedule.StageOp, relation: schedule.RelationOp) -> None:
    """Moves a relation from the sequence into the stage, behind its other relations.

    Its results take the place of the outermost of the axes that it consumes, and get their kinds;
    if it consumes none, they are the outermost.
    A stage computed or stored at one of these moves to the last, innermost result: where they are
    adjacent, it runs as often as before.
    """
    check_sizes(relation, stage)
    consumed, results = relation.consumed, relation.results
    leaves = stage.order.leaves
    first = min((stage.order.axes.index(axis) for axis in consumed), default=0)
    kinds = _kinds_made(stage, relation, [kind for axis, kind in leaves if axis in consumed])
    made = [*zip(results, kinds, strict=True)]
    leaves[first:] = made + [leaf for leaf in leaves[first:] if leaf[0] not in consumed]
    relation.detach()
    Rewriter.insert_op(relation, InsertPoint.before(stage.order))
    set_order(stage, leaves, relation)
    for axis in consumed:
        axis.replace_uses_with_if(
            results[-1], lambda use: isinstance(use.operation, schedule.StageOp)
        )


def check_relations(stage: schedule.StageOp) -> None:
    """Raises ScheduleError for a relation that has no meaning for the whole of the stage."""
    sizes = list(function_around(stage).sizes)
    own = count(len(sizes))

    def make(axis: SSAValue, found: object) -> AffineExpr:
        return AffineExpr.dimension(next(own))

    extents = [extent for _, extent in declared_box(stage, sizes, isl.Context())]
    own_axes(stage, axis_spans(stage, extents, make))


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
