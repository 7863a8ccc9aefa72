"""Whether a buffer may take the memory of another while both are used.

At every address, all loads and stores of the source have to come before every store of
the target: then each buffer reads what it wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.extreme_instances import extremes_of
from teloom.analysis.accesses.references import references_to, ways_before
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects import loop


class InPlace:
    """Decides for the buffers of one block."""

    def __init__(self, block: Block, moments: Mapping[Operation, Lifetime]):
        block = _outside_lanes(block)
        self.dependences = Dependences(block)
        self._references = cache(lambda buffer: references_to(buffer, block, moments))
        self._extremes = cache(
            lambda buffer: extremes_of(self._references(buffer), self.dependences)
        )

    def fits(self, source: SSAValue, target: SSAValue) -> bool:
        """Whether the elements of `target` may lie where those of `source` with the same
        indices do. Buffers of several dimensions have the same shape."""
        if self._are_seen_to_meet(source, target):
            return False
        questions = (
            (write, use, [*ways_before(write, use)])
            for write in self._references(target)
            if write.access.writes
            for use in self._references(source)
        )
        return self.dependences.meeting(questions) is None

    def _are_seen_to_meet(self, source: SSAValue, target: SSAValue) -> bool:
        """Whether an instance of each is known, at one address, the store of `target` first.

        It takes a few microseconds, and most buffers that live together are seen to meet.
        """
        return self._extremes(target).are_seen_to_meet(self._extremes(source))


def _outside_lanes(block: Block) -> Block:
    """The block around all loops over lanes or threads, which may share a buffer inside."""
    around = block
    while (op := block.parent_op()) is not None and op.parent is not None:
        block = op.parent
        if isinstance(op, loop.ForOp) and _is_of_lanes(op.kind.data):
            around = block
    return around


def _is_of_lanes(kind: loop.LoopKind) -> bool:
    return kind is loop.LoopKind.VECTORIZED or kind.thread_rank == 1
