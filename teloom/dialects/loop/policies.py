"""What a schedule says of a loop, as discardable attributes of `loop.for`: of tiles, and notes."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Attribute

from teloom.dialects.loop.control import ForOp
from teloom.dialects.syntax.tails import Partition, Tail

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


PRAGMAS = "loop.pragmas"
"""The attribute with what a schedule notes on a loop: values by name, for `apply-pragmas`."""


def set_pragmas(op: ForOp, notes: Mapping[str, Attribute]) -> None:
    """Says what is noted on a loop."""
    op.attributes.pop(PRAGMAS, None)
    if notes:
        op.attributes[PRAGMAS] = DictionaryAttr(dict(notes))


def pragmas_of(op: ForOp) -> dict[str, Attribute]:
    """What is noted on a loop."""
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


def drop_policies(op: ForOp) -> None:
    """Takes away what is said of a loop, once it is carried out."""
    op.attributes.pop(PARTITION, None)
    op.attributes.pop(TAIL, None)
