"""Whether a buffer may take the memory of another one while both are live.

Say that `target` takes the memory of `source`, so that elements of the same index alias. The
program stays right if, at every address, each load and store of `source` runs before each store
of `target`. Proof: a load of `source` then sees the last store of `source`, for no store of
`target` ran yet; a load of `target` sees the last store of `target`, for all stores of `source`
are over. A load of `target` needs no rule: it may find a `source` element only if nothing wrote
the `target` element before, and then it has no value in the original program either.

So the question is a dependence test with the roles exchanged: is there a store of `target` that
runs before, or at the same time as, an access to `source` of the same index?
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.extreme_instances import Ends, extremes_of
from teloom.analysis.accesses.references import directions_before, references_to
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.analysis.structure import seen_in
from teloom.dialects import loop
from teloom.dialects.bodies.around import ops_around


class InPlace:
    """Decides for pairs of buffers of one block."""

    def __init__(self, block: Block, moments: Mapping[Operation, Lifetime]):
        # Lanes of one vector run access by access, not iteration by iteration. A block inside
        # of them would show only one lane, and miss a conflict with the next one.
        block = _outside_lanes(block)
        self.dependences = Dependences(block)
        self._references = cache(lambda buffer: references_to(buffer, block, moments))
        self.block = block
        self._answers: dict[Hashable, bool] = {}
        self._seen = cache(seen_in)
        ends: Ends = {}
        self._extremes = cache(
            lambda buffer: extremes_of(self._references(buffer), self.dependences, ends)
        )

    def fits_inside(self, op: Operation, source: SSAValue, target: SSAValue) -> bool:
        """The answer of `fits`, if `op` has the last uses of `source` and the first of `target`.

        Then nothing outside of `op` counts, and ops that are alike, as those of the layers of a
        network, have one answer about buffers from outside.
        """
        is_outside = not any(op.is_ancestor(buffer.owner) for buffer in (source, target))
        if op.parent is not self.block or not is_outside:
            return self.fits(source, target)
        structure, outside = self._seen(op)
        # Of buffers the type counts, and of the two which they are; any other value may be known.
        values = (
            (value is source, value is target) if isinstance(value.type, MemRefType) else value
            for value in outside
        )
        question = (structure, *values)
        if question not in self._answers:
            self._answers[question] = self.fits(source, target)
        return self._answers[question]

    def fits(self, source: SSAValue, target: SSAValue) -> bool:
        """Whether `target` may take the memory of `source`, element i in the place of element i.

        Buffers of several dimensions must have the same shape.
        """
        if self._certainly_conflict(source, target):
            return False
        questions = (
            (write, use, [*directions_before(write, use)])
            for write in self._references(target)
            if write.access.writes
            for use in self._references(source)
        )
        return self.dependences.conflict(questions) is None

    def _certainly_conflict(self, source: SSAValue, target: SSAValue) -> bool:
        """Whether a store of `target` certainly runs before a use of `source` at one address.

        This takes microseconds, and refuses most buffers that are live together.
        """
        return self._extremes(target).certainly_conflict(self._extremes(source))


def _outside_lanes(block: Block) -> Block:
    """The block outside of all loops over lanes or threads, which may share a buffer inside."""
    loops = (op for op in ops_around(block) if isinstance(op, loop.ForOp))
    around = [op.parent for op in loops if _is_of_lanes(op.kind.data) and op.parent is not None]
    return around[-1] if around else block


def _is_of_lanes(kind: loop.LoopKind) -> bool:
    return kind is loop.LoopKind.VECTORIZED or kind.thread_rank == 1
