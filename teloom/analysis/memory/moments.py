"""Liveness: program points (*moments*) and the live ranges of buffers.

A moment is the position of an operation in program order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects.upstream.accesses import accesses_to


def moments_in(module: Operation) -> dict[Operation, Lifetime]:
    """The moments of each operation: from its own to that of the last operation inside it."""
    found: dict[Operation, Lifetime] = {}

    def visit(op: Operation, first: int) -> int:
        last = first
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    last = visit(inner, last + 1)
        found[op] = Lifetime(first, last)
        return last

    visit(module, 0)
    return found


def lives_of(buffer: SSAValue, moments: dict[Operation, Lifetime]) -> list[Lifetime]:
    """The live ranges of a buffer, one per block that is around all uses; outermost block first.

    In the view of a block, each of its ops uses a buffer from its first to its last moment. So
    the range seen from outside of a loop also covers a value that is live across iterations.
    The range seen from inside is shorter: it is right if each iteration writes before it reads.
    """
    users = [access.op for access in accesses_to(buffer) if access.is_needed]
    block = buffer.owner if isinstance(buffer.owner, Block) else buffer.owner.parent
    found: list[Lifetime] = []
    while block is not None:
        places = [place for op in users if (place := block.find_ancestor_op_in_block(op))]
        if not places:
            break
        found.append(reduce(Lifetime.hull, (moments[place] for place in places)))
        block = _block_around(users, places[0]) if len(set(places)) == 1 else None
    return found


def _block_around(ops: Sequence[Operation], place: Operation) -> Block | None:
    """The block directly in `place` that contains all of `ops`."""
    for region in place.regions:
        for block in region.blocks:
            if all(block.find_ancestor_op_in_block(op) for op in ops):
                return block
    return None
