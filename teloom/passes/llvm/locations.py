"""Lines of the user's program, on the way to machine code."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Operation

from teloom.dialects.bodies.preorder import preorder

Made = TypeVar("Made", bound=Operation)


def located(made: Made, source: Operation) -> Made:
    """An op that has come of another one, at its place."""
    made.location = source.location
    return made


def give_locations(op: Operation) -> None:
    """Each op in `op` that says no place gets that of the op around it: its loop, its function."""
    for inner in preorder(op):
        if isinstance(inner.location, UnknownLoc) and (around := inner.parent_op()) is not None:
            inner.location = around.location


def give_location(block: Block, behind: Operation | None, source: Operation) -> None:
    """The ops of `block` behind another one, or all, have come of `source`: they get its place."""
    op = block.first_op if behind is None else behind.next_op
    while op is not None:
        if isinstance(op.location, UnknownLoc):
            op.location = source.location
        op = op.next_op
