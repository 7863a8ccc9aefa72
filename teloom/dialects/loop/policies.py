"""Policies of a loop, as discardable attributes of `loop.for`: how tiles run, and pragmas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.tails import Partition, Tail, verify_partition, verify_tail

if TYPE_CHECKING:
    from teloom.dialects.loop.control import ForOp

PARTITION, TAIL = "loop.partition", "loop.tail"
"""The attributes: `never` or `always`, and a tail that is not `auto`. `partition-loops` reads
them and takes them away."""


def set_policies(op: ForOp, partition: Partition, tail: Tail) -> None:
    """Says of a loop whether its whole iterations run apart, and how it runs as the last tile."""
    drop_policies(op)
    if partition is not Partition.AUTO:
        op.attributes[PARTITION] = StringAttr(partition.value)
    if tail not in (Tail.AUTO, Tail.GUARD, Tail.CUT):  # these say something of the loop over tiles
        op.attributes[TAIL] = StringAttr(tail.value)


SEPARATED = "loop.separated"
"""The attribute with the points at which a loop is separated: its iterations run in as many loops
and one more. `partition-loops` reads it and takes it away."""


def set_points(op: ForOp, points: Sequence[int]) -> None:
    """Says at which points a loop is separated."""
    if points:
        op.attributes[SEPARATED] = DenseArrayBase.from_list(i64, points)


def take_points(op: ForOp) -> list[int]:
    """The points at which a loop is separated, which are not said any longer."""
    said = op.attributes.pop(SEPARATED, None)
    return [int(point) for point in said.get_values()] if isinstance(said, DenseArrayBase) else []


PRAGMAS = "loop.pragmas"
"""The attribute with what a schedule notes on a loop: values by name, for `apply-pragmas`."""


def set_pragmas(op: ForOp, notes: Mapping[str, Attribute]) -> None:
    """Says what is noted on a loop."""
    op.attributes.pop(PRAGMAS, None)
    if notes:
        op.attributes[PRAGMAS] = DictionaryAttr(dict(notes))


def pragmas_of(op: ForOp) -> dict[str, Attribute]:
    """The pragmas of a loop."""
    said = op.attributes.get(PRAGMAS)
    return dict(said.data) if isinstance(said, DictionaryAttr) else {}


def partition_of(op: ForOp) -> Partition:
    """Whether the whole iterations of a loop run apart."""
    said = op.attributes.get(PARTITION)
    return Partition(said.data) if isinstance(said, StringAttr) else Partition.AUTO


def tail_of(op: ForOp) -> Tail:
    """How a loop runs as the last tile."""
    said = op.attributes.get(TAIL)
    return Tail(said.data) if isinstance(said, StringAttr) else Tail.AUTO


def verify_policies(op: ForOp) -> None:
    """Raises VerifyException for a policy of a loop that is not one of the words."""
    for key, verify in ((PARTITION, verify_partition), (TAIL, verify_tail)):
        said = op.attributes.get(key)
        if isinstance(said, StringAttr):
            verify(said)
        elif said is not None:
            raise VerifyException(f"{key} is {said}, not a word")


def drop_policies(op: ForOp) -> None:
    """Removes the policies of a loop, once they are carried out."""
    op.attributes.pop(PARTITION, None)
    op.attributes.pop(TAIL, None)
