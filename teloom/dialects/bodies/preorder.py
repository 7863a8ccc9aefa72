"""The ops of a program in the order of its text."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, Region


def preorder(root: Operation | Region | Block) -> Iterator[Operation]:
    """Every op in `root`, an op itself first, before those inside of it.

    Those that xDSL's `walk` gives, which takes three generators for each level of a nest. What
    is in a region is known when its op has been seen: ops may be changed then, but not moved.
    """
    pending: list[Operation] = []
    if isinstance(root, Operation):
        pending.append(root)
    else:
        _push(pending, [root] if isinstance(root, Block) else root.blocks)
    while pending:
        op = pending.pop()
        yield op
        for region in reversed(op.regions):
            _push(pending, region.blocks)


def _push(pending: list[Operation], blocks) -> None:
    """Puts the ops of blocks on the stack, the first on top."""
    for block in reversed(blocks):
        op = block.last_op
        while op is not None:
            pending.append(op)
            op = op.prev_op
