"""Divides the body of a loop: the ops that compute given buffers, and the rest (loop fission)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.references import Direction, reference_of, that_meet
from teloom.analysis.memory.shared_bytes import may_share
from teloom.analysis.memory.storage import Allocation
from teloom.dialects import loop, shadow
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.interfaces import Access
from teloom.dialects.upstream.accesses import accesses_of
from teloom.errors import PassError, ScheduleError
from teloom.passes.code.code_motion import only_computes

_COMPUTING_DIALECTS = ("affine", "arith", "math", "scf", "shadow")
"""The dialects whose ops touch no memory except through their operands."""


class BodyParts(NamedTuple):
    """The ops of a loop's body that compute its buffers, and the rest, each in order.

    A pure op can be in both parts.
    """

    ahead: list[Operation]
    rest: list[Operation]


def parts_of(op: loop.ForOp, buffers: Sequence[Allocation], ahead: int) -> BodyParts:
    """Divides the body of `op`, so that `buffers` can be computed some iterations ahead.

    Buffers of the iteration from which they are computed are computed ahead, too. Raises
    ScheduleError for a dependence that this would break, and if the rest uses such a buffer.
    """
    return _Division(op, buffers, ahead).parts()


def buffering(copies: int) -> str:
    """The verb, in messages, for storing so many copies of a stage."""
    return "double-buffer" if copies == 2 else "ring-buffer"


class _Division:
    def __init__(self, op: loop.ForOp, buffers: Sequence[Allocation], ahead: int):
        self.loop, self.distance, self.verb = op, ahead, buffering(1 + ahead)
        self.how_far = "an iteration" if ahead == 1 else f"{ahead} iterations"
        self.body = op.body.block
        self.ops = list(self.body.ops)
        self.buffers = {buffer.memref for buffer in buffers}
        self.accesses = {one: _accesses(one) for one in self.ops}
        assert op.parent is not None
        self.dependences = Dependences(op.parent)

    def parts(self) -> BodyParts:
        ahead = self._ahead()
        rest = self._with_definitions(
            op
            for op in self.ops
            if op not in ahead and _managed(op) not in self.buffers and not _is_by_product(op)
        )
        for op in rest:
            for one in ahead:
                self._check_independent(op, one)
        return BodyParts(ahead, rest)

    def _ahead(self) -> list[Operation]:
        """The backward slice of the buffers: their writers, and those of private buffers they use.

        A private buffer is one that the iteration allocates. The slice is a fixed point.
        """
        wanted, ahead = set(self.buffers), list[Operation]()
        while True:
            writers = (
                op
                for op in self.ops
                if any(one.writes and one.buffer in wanted for one in self.accesses[op])
            )
            found = self._with_definitions([*ahead, *writers])
            own = {
                access.buffer
                for op in found
                for access in self.accesses[op]
                if access.buffer.owner.parent is self.body
            }
            if found == ahead and own <= wanted:
                break
            ahead, wanted = found, wanted | own
        managed = (op for op in self.ops if _managed(op) in wanted - self.buffers)
        return self._with_definitions([*ahead, *managed])

    def _with_definitions(self, ops: Iterable[Operation]) -> list[Operation]:
        """These ops, the ops of the body that define values used in them, and labels, in order."""
        needed = set(ops)
        pending = list(needed)
        while pending:
            op = pending.pop()
            owners = [operand.owner for inner in preorder(op) for operand in inner.operands]
            labels = [label for one in accesses_of(op) for label in shadow.labels_of(one)]
            for owner in [*owners, *labels]:
                if not isinstance(owner, Operation) or owner.parent is not self.body:
                    continue
                if owner not in needed and not isinstance(owner, Allocation):
                    needed.add(owner)
                    pending.append(owner)
        return [op for op in self.ops if op in needed]

    def _check_independent(self, op: Operation, ahead: Operation) -> None:
        """Raises ScheduleError if `op` cannot run after `ahead` of the next iteration."""
        is_behind = self.ops.index(op) > self.ops.index(ahead)
        for access, other in product(self.accesses[op], self.accesses[ahead]):
            buffer = access.buffer
            if not may_share(buffer, other.buffer):
                continue
            name = buffer.name_hint or "a buffer"
            if buffer in self.buffers:
                if not is_behind:
                    raise ScheduleError(
                        f"cannot {self.verb} {name}: it is used before all of it is computed", op
                    )
            elif buffer.owner.parent is self.body:
                raise ScheduleError(
                    f"cannot compute {self.how_far} ahead what is computed from {name}: the loop "
                    f"uses {name} for other things, too; {self.verb} {name} as well",
                    op,
                )
            elif access.writes or other.writes:
                self._check_order(access, other, is_behind)

    def _check_order(self, access: Access, ahead: Access, is_behind: bool) -> None:
        """Raises ScheduleError if `ahead` depends on `access` in a way that would break.

        In the old loop `access` of iteration d runs before `ahead` of the next iterations, in the
        new one after it, for as many as are computed ahead. If `access` stands in front of
        `ahead`, it also runs before `ahead` of d, and that order changes, too. All other orders
        stay.
        """
        block = self.dependences.block
        first, second = reference_of(access, block), reference_of(ahead, block)
        directions = [Direction((), self.loop, 1, self.distance)]
        if not is_behind:
            directions.append(Direction((self.loop,)))
        met = that_meet([(first, second)])
        conflict = self.dependences.conflict((*pair, directions) for pair in met)
        if conflict is None:
            return
        name = access.buffer.name_hint or "a buffer"
        example = f": {conflict.witness.text}" if conflict.witness else ""
        raise ScheduleError(
            f"cannot {self.verb}: what is computed {self.how_far} ahead and the rest of "
            f"the iteration both use {name}, and one of them writes it{example}",
            access.op,
        )


def _accesses(op: Operation) -> list[Access]:
    """The accesses of `op` and of the ops in it; raises PassError if one is unknown."""
    found: list[Access] = []
    for inner in preorder(op):
        accesses = accesses_of(inner)
        needed = [access for access in accesses if access.is_needed]
        found += needed
        known = all(access.is_known for access in needed)
        if not known or not (accesses or _only_computes(inner)):
            raise PassError(
                f"{inner.name} stands in a loop with a stage that is computed ahead; the pass "
                "double-buffer knows memref.load, memref.store, loops, branches and ops that only "
                "compute",
                inner,
            )
    return found


def _is_by_product(op: Operation) -> bool:
    """Whether `op` belongs to the parts that use its value, or that it labels: it has no own."""
    return only_computes(op) or isinstance(op, shadow.LoadedOp)


def _only_computes(op: Operation) -> bool:
    """Whether `op`, which has no accesses, has no effects beyond those of the ops in it."""
    return (
        isinstance(op, loop.ForOp | loop.IfOp | Allocation)
        or only_computes(op)
        or op.name.partition(".")[0] in _COMPUTING_DIALECTS
    )


def _managed(op: Operation) -> SSAValue | None:
    """The buffer that `op` allocates or deallocates, if any."""
    return op.memref if isinstance(op, Allocation | memref.DeallocOp) else None
