"""What a schedule says of the tiles of a loop: whether they run apart, and how the last runs."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from teloom.dialects import schedule
from teloom.dialects.syntax.tails import Partition, Tail

_BY_TAIL = {Tail.AUTO: Partition.AUTO, Tail.GUARD: Partition.NEVER}
"""The policy of the loop over tiles; with all other tails its whole iterations run apart."""


def partition_of(stage: schedule.StageOp, leaf: SSAValue) -> Partition:
    """Whether the whole iterations of a leaf axis run apart.

    That of an axis is that of the axes which are made of it, and `never` counts more.
    """
    policies = {*_policies(stage, leaf)}
    for policy in (Partition.NEVER, Partition.ALWAYS):
        if policy in policies:
            return policy
    return Partition.AUTO


def _policies(stage: schedule.StageOp, leaf: SSAValue) -> Iterator[Partition]:
    said = {
        op.axis: Partition(op.policy.data)
        for op in stage.body.block.ops
        if isinstance(op, schedule.PartitionedOp)
    }
    makers = {axis: relation for relation in stage.relations for axis in relation.results}
    pending = [leaf]
    while pending:
        axis = pending.pop()
        relation = makers.get(axis)
        if axis in said:
            yield said[axis]
        elif relation is not None and relation.last_tile is None:
            pending += relation.consumed
        elif relation is not None and axis is relation.results[0]:
            yield _BY_TAIL.get(relation.last_tile, Partition.ALWAYS)
            pending += relation.consumed


def tail_of(stage: schedule.StageOp, leaf: SSAValue) -> Tail:
    """How a leaf axis runs in the last tile, if it is the axis in the tiles of a relation."""
    for relation in stage.relations:
        if relation.last_tile is not None and relation.results[-1] is leaf:
            return relation.last_tile
    return Tail.AUTO
