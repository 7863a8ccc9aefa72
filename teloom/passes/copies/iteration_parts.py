"""What of a loop's body computes given buffers, and what is left for the iteration itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from teloom.analysis.memory.storage import Allocation
from teloom.dialects import loop, shadow
from teloom.dialects.upstream.memref import PrefetchOp
from teloom.errors import PassError, ScheduleError
from teloom.passes.code.code_motion import only_computes

_COMPUTING_DIALECTS = ("affine", "arith", "math", "scf", "shadow")
"""Their ops use no memory but that of their operands."""


class Parts(NamedTuple):
    """The ops of a loop's body that compute its buffers, and those of the rest, in order.

    An op can be of both if it only gives a value.
    """

    ahead: list[Operation]
    rest: list[Operation]


def parts_of(op: loop.ForOp, buffers: Sequence[Allocation]) -> Parts:
    """Divides the body of `op`, so that `buffers` can be computed an iteration ahead.

    What the buffers are computed from inside the iteration is computed with them.
    Raises ScheduleError where the rest of an iteration must run before that, or shares what it
    is computed from.
    """
    return _Division(op, buffers).parts()


class _Division:
    def __init__(self, op: loop.ForOp, buffers: Sequence[Allocation]):
        self.body = op.body.block
        self.ops = list(self.body.ops)
        self.buffers = {buffer.memref for buffer in buffers}
        self.accesses = {one: _accesses(one) for one in self.ops}

    def parts(self) -> Parts:
        ahead = self._ahead()
        rest = self._with_values(
            op
            for op in self.ops
            if op not in ahead and _managed(op) not in self.buffers and not _is_by_product(op)
        )
        for op in rest:
            for one in ahead:
                self._check_apart(op, one)
        return Parts(ahead, rest)

    def _ahead(self) -> list[Operation]:
        """The writers of the buffers, and of what these use that each iteration has for itself."""
        wanted, ahead = set(self.buffers), list[Operation]()
        while True:
            writers = (op for op in self.ops if self.accesses[op].written & wanted)
            found = self._with_values([*ahead, *writers])
            own = {
                buffer
                for op in found
                for buffer in self.accesses[op].all
                if buffer.owner.parent is self.body
            }
            if found == ahead and own <= wanted:
                break
            ahead, wanted = found, wanted | own
        managed = (op for op in self.ops if _managed(op) in wanted - self.buffers)
        return self._with_values([*ahead, *managed])

    def _with_values(self, ops: Iterable[Operation]) -> list[Operation]:
        """These ops, those of the body that give the values in them, and labels, in order."""
        needed = set(ops)
        pending = list(needed)
        while pending:
            op = pending.pop()
            owners = [operand.owner for inner in op.walk() for operand in inner.operands]
            for owner in [*owners, *shadow.labels_of(op)]:
                if not isinstance(owner, Operation) or owner.parent is not self.body:
                    continue
                if owner not in needed and not isinstance(owner, Allocation):
                    needed.add(owner)
                    pending.append(owner)
        return [op for op in self.ops if op in needed]

    def _check_apart(self, op: Operation, ahead: Operation) -> None:
        """ScheduleError where `op` of an iteration cannot run behind `ahead` of the next one."""
        used, used_ahead = self.accesses[op], self.accesses[ahead]
        for buffer in used.all & used_ahead.all:
            name = buffer.name_hint or "a buffer"
            if buffer in self.buffers:
                if self.ops.index(op) <= self.ops.index(ahead):
                    raise ScheduleError(
                        f"cannot double-buffer {name}: it is used before all of it is computed", op
                    )
            elif buffer.owner.parent is self.body:
                raise ScheduleError(
                    f"cannot compute an iteration ahead what is computed from {name}: the loop "
                    f"uses {name} for other things, too; double-buffer {name} as well",
                    op,
                )
            elif buffer in used.written | used_ahead.written:
                raise ScheduleError(
                    f"cannot double-buffer: what is computed an iteration ahead and the rest of "
                    f"the iteration both use {name}, and one of them writes it",
                    op,
                )


class _Accesses(NamedTuple):
    """The buffers that are used, and those of them that are written."""

    all: set[SSAValue]
    written: set[SSAValue]


def _accesses(op: Operation) -> _Accesses:
    found = _Accesses(set(), set())
    for inner in op.walk():
        if isinstance(inner, memref.LoadOp | memref.StoreOp):
            found.all.add(inner.memref)
            if isinstance(inner, memref.StoreOp):
                found.written.add(inner.memref)
        elif not _is_understood(inner):
            raise PassError(
                f"{inner.name} stands in a loop with a double-buffered stage; double-buffer "
                "knows memref.load, memref.store, loops, branches and ops that only compute",
                inner,
            )
    return found


def _is_by_product(op: Operation) -> bool:
    """Whether `op` runs where something else needs its value, or where what it labels runs."""
    return only_computes(op) or isinstance(op, shadow.LoadedOp)


def _is_understood(op: Operation) -> bool:
    if (
        isinstance(op, loop.ForOp | loop.IfOp | PrefetchOp)
        or _managed(op) is not None
        or only_computes(op)
    ):
        return True
    is_computing = op.name.partition(".")[0] in _COMPUTING_DIALECTS
    return is_computing and not any(isinstance(v.type, MemRefType) for v in op.operands)


def _managed(op: Operation) -> SSAValue | None:
    """The buffer that `op` allocates or frees."""
    return op.memref if isinstance(op, Allocation | memref.DeallocOp) else None
