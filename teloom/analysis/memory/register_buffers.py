"""The buffers that LLVM promotes to registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeGuard

from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import Allocation, buffer_bytes, byte_width
from teloom.analysis.unrolled_size import becomes_copies
from teloom.dialects import loop
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.target import Target
from teloom.dialects.upstream.accesses import accesses_to


class RegisterBuffers:
    """Finds them in one module. Answers are cached: no loop may change meanwhile."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._forms = IndexForms()
        self._becomes_copies = cache(becomes_copies)

    def has(self, op: Allocation) -> bool:
        """Whether a buffer is small, and all of its indices are constants after unrolling.

        LLVM then promotes each element to a register (SROA, scalar replacement of aggregates).
        One index that stays variable keeps the whole buffer in memory, and so does one thread of
        several that accesses it.
        """
        return self.loops(op) is not None

    def loops(self, op: Allocation) -> set[loop.ForOp] | None:
        """The loops that count the elements of such a buffer; None if it is none."""
        size = buffer_bytes(op.memref)
        if size is None or not self._target.fits_registers(size):
            return None
        found: set[loop.ForOp] = set()
        element_bytes = byte_width(op.memref.type.element_type, op)
        for access in filter(lambda one: one.is_needed, accesses_to(op.memref)):
            if not access.is_known or _is_on_threads(access.op, op):
                return None
            for counter in self._counters(access.indices):
                if not self._is_copied(counter, element_bytes):
                    return None
                found.add(counter)
        return found

    def _counters(self, indices: Sequence[SSAValue]) -> Iterator[Operation | None]:
        """The loops whose counters indices are made of; None for what is no counter."""
        for index in indices:
            for value in self._forms.of(index).values():
                yield value.owner.parent_op() if isinstance(value.owner, Block) else None

    def _is_copied(self, op: Operation | None, element_bytes: int) -> TypeGuard[loop.ForOp]:
        return isinstance(op, loop.ForOp) and self._becomes_copies(
            op, element_bytes, self._target.vector_bytes
        )


def _is_on_threads(access: Operation, buffer: Operation) -> bool:
    """Whether an access lies in a parallel loop that a buffer is outside of."""
    return any(
        isinstance(one, loop.ForOp) and one.kind.data.is_parallel and not one.is_ancestor(buffer)
        for one in ops_around(access)
    )
