"""When things happen in a program: its operations, numbered in their order in the text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects.upstream.accesses import accesses_to


def moments_in(module: Operation) -> dict[Operation, Lifetime]:
    """Of each operation its own moment, up to that of the last operation in it."""
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
    """From the first to the last use, as seen from each block around all uses, outermost first.

    Seen from a block, an op in it uses throughout what is used in it: the life of a value that
    a loop keeps for its next iterations is one seen from outside of that loop.
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
    """The block of `place` that all of `ops` are in."""
    for region in place.regions:
        for block in region.blocks:
            if all(block.find_ancestor_op_in_block(op) for op in ops):
                return block
    return None
