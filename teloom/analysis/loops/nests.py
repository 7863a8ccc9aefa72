"""The nests of a loop that hold some ops, and how large they are."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation

from teloom.dialects import loop
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind

COPIES = (LoopKind.UNROLLED, LoopKind.VECTORIZED)
"""The kinds of loops that become copies or lanes if their extent is constant."""

_FEW = 8
"""At most so many other ops of a loop, or a quarter of all, are copied with those that ask."""


def nests_with(op: loop.ForOp, asked: Collection[Operation]) -> list[Operation]:
    """The nests in a loop that hold the ops `asked`, unless these are most of it.

    In front of such a nest one question is asked, where the whole loop would be copied. Nests are
    as far out as they can be without holding much else.
    """
    nests = _innermost_nests(op, asked)
    for nest in [*nests]:
        while nest in nests and nest is not op:
            nest = nest.parent_op()
            assert nest is not None
            inside = [one for one in nests if nest.is_ancestor(one)]
            size = size_of(nest)
            if size - sum(map(size_of, inside)) < max(_FEW, size / 4):
                nests = [one for one in nests if one not in inside] + [nest]
    return [] if op in nests else nests


def _innermost_nests(op: Operation, asked: Collection[Operation]) -> list[Operation]:
    """The innermost loops and branches around ops `asked`, which may be such ops themselves.

    Those inside of lanes and copies do not count.
    """
    pending, found = [op], list[Operation]()
    while pending:
        nest = pending.pop()
        inner = [
            one
            for region in nest.regions
            for block in region.blocks
            for one in block.ops
            if any(one.is_ancestor(other) for other in asked)
        ]
        are_nests = all(isinstance(one, loop.ForOp | loop.IfOp) for one in inner)
        is_copied = isinstance(nest, loop.ForOp) and nest.kind.data in COPIES
        if inner and are_nests and not is_copied and nest not in asked:
            pending += inner
        else:
            found.append(nest)
    return found


def size_of(op: Operation) -> int:
    """The number of ops in an op, itself included."""
    return sum(1 for _ in preorder(op))
