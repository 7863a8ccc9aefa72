"""Commands that stand as a whole: what a refused one has changed is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block, Operation, SSAValue

from teloom.frontend.emit.program import EmittedProgram

if TYPE_CHECKING:
    from teloom.frontend.schedule.schedules import Schedule


@contextmanager
def all_or_nothing(s: Schedule) -> Iterator[None]:
    """Takes back all that happens to a schedule within it, if that ends in an exception.

    It copies what all stages know of themselves: for commands that are several in the IR, or
    carry out those before them.
    """
    before = [(one, _attributes(one)) for one in (s, *s.stages, *s.groups)]
    try:
        with one_or_nothing(s):
            yield
    except BaseException:
        for one, attributes in before:
            vars(one).update(attributes)
        raise


@contextmanager
def one_or_nothing(s: Schedule) -> Iterator[None]:
    """Takes back the handles and sizes that a command asks for, if it is refused within it."""
    block = s.sequence.body.block
    last = block.last_op
    try:
        with _sizes_of_legal_commands(s.program):
            yield
    except BaseException:
        gone = _erased_behind(last, block)
        for stage in s.stages:
            stage.forget(gone)
        raise


@contextmanager
def _sizes_of_legal_commands(program: EmittedProgram) -> Iterator[None]:
    func, known = program.func, len(program.sizes)
    properties, count = dict(func.properties), len(func.sizes)
    try:
        yield
    except BaseException:
        for size in [*program.sizes][known:]:
            del program.sizes[size]
        for added in func.sizes[count:]:
            func.body.block.erase_arg(added)
        func.properties = properties
        raise


def _erased_behind(last: Operation | None, block: Block) -> set[SSAValue]:
    """Erases the commands behind one, or all of them; returns their handles."""
    gone: set[SSAValue] = set()
    while (op := block.last_op) is not last:
        assert op is not None
        gone |= {*op.results}
        block.erase_op(op, safe_erase=False)
    _drop_uses_elsewhere(block)
    return gone


def _attributes(owner: object) -> dict[str, Any]:
    """The attributes of an object; lists and dicts as copies, as they change in place."""
    return {
        name: copy(value) if isinstance(value, list | dict) else value
        for name, value in vars(owner).items()
    }


def _drop_uses_elsewhere(block: Block) -> None:
    """Drops uses of the handles of a sequence by commands that do not stand in it."""
    handles = (handle for op in block.ops for handle in op.results)
    users = [use.operation for handle in handles for use in handle.uses]
    for user in users:
        if user.parent is not block:
            user.drop_all_references()
