"""What an op of any dialect does with memory: `accesses_of`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from teloom.dialects.interfaces import Access, AccessingOp, Rules, identity


def _at(op: Operation, position: int, behind: int = 0, **said: Any) -> Sequence[Access]:
    """An access at indices, which are all operands after the buffer but for some at the end."""
    return (Access(op, position, identity(len(op.operands) - position - 1 - behind), **said),)


ACCESSES: Rules[Callable[[Any], Sequence[Access]]] = Rules(
    {
        AccessingOp: lambda op: op.accesses(),
        memref.LoadOp: lambda op: _at(op, 0, reads=True, value=op.res),
        memref.StoreOp: lambda op: _at(op, 1, writes=True, value=op.value),
        memref.DeallocOp: lambda op: (Access(op, 0),),
        memref.DimOp: lambda op: (Access(op, 0),),
        vector.LoadOp: lambda op: _at(op, 0, reads=True, value=op.result),
        vector.StoreOp: lambda op: _at(op, 1, writes=True, value=op.vector),
        vector.MaskedLoadOp: lambda op: _at(op, 0, 2, reads=True, value=op.result, mask=op.mask),
        vector.MaskedStoreOp: lambda op: _at(
            op, 0, 2, writes=True, value=op.operands[-1], mask=op.mask
        ),
    }
)
"""What an op itself does with buffers; xDSL's own cannot implement the interface."""


def accesses_of(op: Operation) -> Sequence[Access]:
    """What `op` itself, without the ops in it, does with the buffers that it takes.

    An op of which nobody says it may do anything with all of them, and keep their addresses.
    """
    if (rule := ACCESSES[type(op)]) is not None:
        return rule(op)
    return [
        Access(op, position, reads=True, writes=True)
        for position, operand in enumerate(op.operands)
        if type(operand.type) is MemRefType
    ]


def accesses_to(buffer: SSAValue) -> Iterator[Access]:
    """What all ops do that take `buffer`."""
    for use in buffer.uses:
        found = [one for one in accesses_of(use.operation) if one.position == use.index]
        # As a value that is stored, say, its address is known elsewhere.
        yield from found or [Access(use.operation, use.index, reads=True, writes=True)]
