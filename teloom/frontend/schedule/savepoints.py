"""Commands that stand as a whole: what a refused one has changed is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block

from teloom.frontend.emit.program import EmittedProgram

if TYPE_CHECKING:
    from teloom.frontend.schedule.schedules import Schedule


@contextmanager
def all_or_nothing(s: Schedule) -> Iterator[None]:
    """Takes back all that happens to a schedule within it, if that ends in an exception.

    It copies what all stages know of themselves: for commands that are several in the IR, or
    carry out those before them.
    """
    block = s.sequence.body.block
    last, before = block.last_op, [(one, _attributes(one)) for one in (s, *s.stages, *s.groups)]
    with sizes_of_legal_commands(s.program):
        try:
            yield
        except BaseException:
            while block.last_op is not last:
                assert block.last_op is not None
                block.erase_op(block.last_op, safe_erase=False)
            _drop_uses_elsewhere(block)
            for one, attributes in before:
                vars(one).update(attributes)
            raise


@contextmanager
def sizes_of_legal_commands(program: EmittedProgram) -> Iterator[None]:
    """Takes back the sizes that are added within it, if that ends in an exception."""
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
