"""The ops around an op of a program."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from xdsl.ir import Block, Operation


def ops_around(place: Operation | Block) -> Iterator[Operation]:
    """The ops around an op or a block, from the innermost out."""
    around = place.parent_op()
    while around is not None:
        yield around
        around = around.parent_op()


def ops_between(place: Operation | Block, outer: Operation) -> Iterator[Operation]:
    """The ops in `outer` that are around an op or a block, from the innermost out."""
    return takewhile(lambda around: around is not outer, ops_around(place))
