"""The ops of a program in the order of its text.

Each pass asks for them many times. So what follows xDSL's links takes these themselves, and not
the properties for them, which take as long as all else.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeVar

from xdsl.ir import Block, Operation, Region

import teloom.dialects.quick_ir  # noqa: F401  # whoever reads or makes IR comes by here

Kind = TypeVar("Kind")


def preorder(root: Operation | Region | Block) -> Iterator[Operation]:
    """Every op in `root`, an op itself first, before those inside of it.

    Those that xDSL's `walk` gives, which takes three generators for each level of a nest. What
    is in a region is known when its op has been seen: ops may be changed then, but not moved.
    """
    pending: list[Operation] = []
    if type(root) is Region:
        _push_region(pending, root)
    elif type(root) is Block:
        _push_block(pending, root)
    else:
        pending.append(root)  # pyright: ignore
    while pending:
        op = pending.pop()
        yield op
        if op.regions:
            for region in reversed(op.regions):
                _push_region(pending, region)


def _push_region(pending: list[Operation], region: Region) -> None:
    """Puts the ops of a region on the stack, the first on top."""
    block = region._last_block
    while block is not None:
        _push_block(pending, block)
        block = block._prev_block


def _push_block(pending: list[Operation], block: Block) -> None:
    op = block._last_op
    while op is not None:
        pending.append(op)
        op = op._prev_op


class _IsOf(dict[type, bool]):
    def __init__(self, kinds: tuple[type, ...]):
        self.kinds = kinds

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, self.kinds)
        return self[kind]


@cache
def is_of(kinds: tuple[type, ...]) -> Mapping[type, bool]:
    """Whether a class is one of `kinds`, or below one.

    Found out once for each class: `isinstance` asks of each op for one kind after the other.
    """
    return _IsOf(kinds)


def ops_in(root: Operation | Region | Block, *kinds: type[Kind]) -> list[Kind]:
    """The ops of some kinds in `root`, an op itself included, in the order of the text.

    All are found before the first is given: they may be changed, moved or erased.
    """
    return ops_by_class(root, is_of(kinds))  # pyright: ignore


def ops_by_class(
    root: Operation | Region | Block, is_wanted: Mapping[type, object]
) -> list[Operation]:
    """The same for classes of which a table says whether they are wanted."""
    found: list[Operation] = []
    if type(root) is Block:
        _add_ops(found, root, is_wanted)
    elif type(root) is Region:
        _add_ops_in(found, root, is_wanted)
    else:
        if is_wanted[type(root)]:
            found.append(root)  # pyright: ignore
        for region in root.regions:  # pyright: ignore
            _add_ops_in(found, region, is_wanted)
    return found


def _add_ops_in(found: list[Operation], region: Region, is_wanted: Mapping[type, object]) -> None:
    block = region._first_block
    while block is not None:
        _add_ops(found, block, is_wanted)
        block = block._next_block


def _add_ops(found: list[Operation], block: Block, is_wanted: Mapping[type, object]) -> None:
    op = block._first_op
    while op is not None:
        if is_wanted[type(op)]:
            found.append(op)
        for region in op.regions:
            _add_ops_in(found, region, is_wanted)
        op = op._next_op


def first_of(block: Block, kind: type[Kind]) -> Kind | None:
    """The first op of a kind in `block` itself."""
    is_wanted, op = is_of((kind,)), block._first_op
    while op is not None and not is_wanted[type(op)]:
        op = op._next_op
    return op  # pyright: ignore


def ops_of(block: Block, *kinds: type[Kind]) -> list[Kind]:
    """The ops of some kinds in `block` itself, in their order."""
    is_wanted, found, op = is_of(kinds), list[Operation](), block._first_op
    while op is not None:
        if is_wanted[type(op)]:
            found.append(op)
        op = op._next_op
    return found  # pyright: ignore
