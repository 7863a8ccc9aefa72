"""When things happen in a program: its operations, numbered in their order in the text."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.storage_plan import Lifetime


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


def innermost_places(block: Block, ops: Sequence[Operation]) -> list[Operation]:
    """Those of a block in `block`, as far in as there is one around all of `ops`, they are in."""
    places = [block.find_ancestor_op_in_block(op) for op in ops]
    known = [place for place in places if place is not None]
    if len(set(known)) == 1:
        for region in known[0].regions:
            for inner in region.blocks:
                if all(inner.find_ancestor_op_in_block(op) for op in ops):
                    return innermost_places(inner, ops)
    return known


def life_of(buffer: SSAValue, moments: dict[Operation, Lifetime]) -> Lifetime | None:
    """From the first to the last use; a loop that is not around all uses uses it throughout.

    None for a buffer that nothing uses.
    """
    users = [use.operation for use in buffer.uses]
    block = buffer.owner if isinstance(buffer.owner, Block) else buffer.owner.parent
    if not users or block is None:
        return None
    lives = [moments[place] for place in innermost_places(block, users)]
    return Lifetime(min(life.first for life in lives), max(life.last for life in lives))
