"""The ops of a program in the order of its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeVar

from xdsl.ir import Block, Operation, Region

Kind = TypeVar("Kind")


def preorder(root: Operation | Region | Block) -> Iterator[Operation]:
    """Every op in `root`, an op itself first, before those inside of it.

    Those that xDSL's `walk` gives, which takes three generators for each level of a nest. What
    is in a region is known when its op has been seen: ops may be changed then, but not moved.
    """
    pending: list[Operation] = []
    if isinstance(root, Operation):
        pending.append(root)
    elif isinstance(root, Region):
        _push_region(pending, root)
    else:
        _push_block(pending, root)
    while pending:
        op = pending.pop()
        yield op
        if op.regions:
            for region in reversed(op.regions):
                _push_region(pending, region)


def _push_region(pending: list[Operation], region: Region) -> None:
    """Puts the ops of a region on the stack, the first on top."""
    block = region.last_block
    while block is not None:
        _push_block(pending, block)
        block = block.prev_block


def _push_block(pending: list[Operation], block: Block) -> None:
    op = block.last_op
    while op is not None:
        pending.append(op)
        op = op.prev_op


class _IsOf(dict[type, bool]):
    def __init__(self, kinds: tuple[type, ...]):
        self.kinds = kinds

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, self.kinds)
        return self[kind]


@cache
def is_of(kinds: tuple[type, ...]) -> Mapping[type, bool]:
    """Whether a class is one of `kinds`, or below one.

    Found out once for each class: `isinstance` asks for each op, at length, as the classes of ops
    are abstract ones.
    """
    return _IsOf(kinds)


def ops_in(root: Operation | Region | Block, *kinds: type[Kind]) -> list[Kind]:
    """The ops of some kinds in `root`, an op itself included, in the order of the text.

    All are found before the first is given: they may be changed, moved or erased.
    """
    is_wanted = is_of(kinds)
    return [op for op in preorder(root) if is_wanted[type(op)]]  # pyright: ignore


def first_of(block: Block, kind: type[Kind]) -> Kind | None:
    """The first op of a kind in `block` itself."""
    is_wanted, op = is_of((kind,)), block.first_op
    while op is not None and not is_wanted[type(op)]:
        op = op.next_op
    return op  # pyright: ignore


def ops_of(block: Block, *kinds: type[Kind]) -> list[Kind]:
    """The ops of some kinds in `block` itself, in their order."""
    is_wanted, found, op = is_of(kinds), list[Operation](), block.first_op
    while op is not None:
        if is_wanted[type(op)]:
            found.append(op)
        op = op.next_op
    return found  # pyright: ignore
