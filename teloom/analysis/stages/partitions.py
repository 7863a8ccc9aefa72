"""The policies of a loop over tiles: whether whole tiles run apart, and how the last one runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import is_reduce, name_of, stage_of
from teloom.dialects import schedule
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.syntax.tails import Partition, Tail
from teloom.errors import ScheduleError

_BY_TAIL = {
    Tail.AUTO: Partition.AUTO,
    Tail.GUARD: Partition.NEVER,
    Tail.ROUND_UP: Partition.AUTO,  # little is left to ask, and where it pays that runs apart
}
"""The policy of the loop over tiles; with all other tails its whole iterations run apart."""


def partition_of(stage: schedule.StageOp, leaf: SSAValue) -> Partition:
    """Whether the whole iterations of a leaf axis run apart.

    An axis has the policy of the axes that are made of it; `never` wins over others.
    """
    return joined(_policies(stage, leaf))


def joined(policies: Iterable[Partition]) -> Partition:
    """The policies of one loop, joined."""
    said = {*policies}
    for policy in (Partition.NEVER, Partition.ALWAYS):
        if policy in said:
            return policy
    return Partition.AUTO


def _policies(stage: schedule.StageOp, leaf: SSAValue) -> Iterator[Partition]:
    said: dict[SSAValue, Partition] = {
        op.axis: Partition(op.policy.data)
        for op in ops_of(stage.body.block, schedule.PartitionedOp)
    }
    pending = [leaf]
    while pending:
        axis = pending.pop()
        relation = axis.owner
        if axis in said:
            yield said[axis]
        elif not isinstance(relation, schedule.RelationOp):
            continue
        elif (tail := relation.last_tile) is None:
            pending += relation.consumed
        elif axis is relation.results[0]:
            yield _BY_TAIL.get(tail, Partition.ALWAYS)
            pending += relation.consumed


def points_of(stage: schedule.StageOp, leaf: SSAValue) -> list[int]:
    """The points at which the loop over a leaf axis begins anew, in their order."""
    said = ops_of(stage.body.block, schedule.SeparatedOp)
    return sorted({op.point.value.data for op in said if op.axis is leaf})


def check_separated(op: schedule.SeparatedOp) -> None:
    """Raises `ScheduleError` for an axis that is separated and is no loop."""
    stage = stage_of(op.axis)
    if op.axis not in stage.order.axes:
        leaves = ", ".join(map(schedule.axis_name, stage.order.axes))
        raise ScheduleError(
            f"axis {schedule.axis_name(op.axis)} is separated at {op.point.value.data}, and then "
            f'other commands make it no loop any more; loops of "{name_of(stage)}": {leaves}',
            op,
        )


def tail_of(stage: schedule.StageOp, leaf: SSAValue) -> Tail:
    """How a leaf axis runs in the last tile.

    That is said of the axis in the tiles of a relation. What is computed for tiles that are
    rounded up is so, too: an axis whose range depends on the loop of another stage over them.
    """
    relation = leaf.owner
    if isinstance(relation, schedule.RelationOp) and relation.results[-1] is leaf:
        if relation.last_tile not in (None, Tail.AUTO):
            return relation.last_tile
    range = None if is_reduce(leaf) else stage.ranges.get(leaf)
    around = () if range is None else range.operands_
    others = (axis for axis in around if axis not in stage.order.axes)
    return Tail.ROUND_UP if any(map(_numbers_rounded_tiles, others)) else Tail.AUTO


def _numbers_rounded_tiles(value: SSAValue) -> bool:
    """Whether a value is an axis over tiles that are rounded up, or made of such an axis."""
    relation = value.owner
    if not isinstance(relation, schedule.RelationOp):
        return False
    if relation.last_tile is Tail.ROUND_UP and relation.results[0] is value:
        return True
    return any(map(_numbers_rounded_tiles, relation.consumed))
