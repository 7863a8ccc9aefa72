"""The buffers that LLVM promotes to registers."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Block, SSAValue

from teloom.analysis.index.forms import IndexForms
from teloom.analysis.memory.storage import Allocation, buffer_bytes, byte_width
from teloom.analysis.unrolled_size import becomes_copies
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Quotient
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
        One index that stays variable keeps the whole buffer in memory.
        """
        size = buffer_bytes(op.memref)
        return (
            size is not None
            and size <= self._target.register_bytes
            and all(
                self._is_constant(index, byte_width(op.memref.type.element_type))
                for access in accesses_to(op.memref)
                if access.is_known and access.is_needed
                for index in access.indices
            )
        )

    def _is_constant(self, index: SSAValue, element_bytes: int) -> bool:
        atoms = (a for a in self._forms.of(index).atoms() if not isinstance(a, Quotient))
        loops = (a.owner.parent_op() if isinstance(a.owner, Block) else None for a in atoms)
        return all(
            isinstance(op, loop.ForOp)
            and self._becomes_copies(op, element_bytes, self._target.vector_bytes)
            for op in loops
        )
