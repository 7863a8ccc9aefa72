"""The loads and stores of a buffer inside one block, and which of two may run first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects import loop


class Around(NamedTuple):
    """An op around an access, and the region of it that the access is in."""

    op: loop.ForOp | loop.IfOp | scf.IfOp
    region: Region


@dataclass(frozen=True)
class Access:
    """A load or store; `around` is outermost first, `moment` grows in the order of the text."""

    op: memref.LoadOp | memref.StoreOp
    around: tuple[Around, ...]
    moment: int

    @property
    def is_store(self) -> bool:
        return isinstance(self.op, memref.StoreOp)

    @property
    def indices(self) -> Sequence[SSAValue]:
        return self.op.indices


def accesses_of(
    buffer: SSAValue, block: Block, moments: Mapping[Operation, Lifetime]
) -> list[Access] | None:
    """All that load or store an element of `buffer`; None where an op around is not known."""
    found: list[Access] = []
    for use in buffer.uses:
        if not isinstance(use.operation, memref.LoadOp | memref.StoreOp):
            continue
        around = _around(use.operation, block)
        if around is None:
            return None
        found.append(Access(use.operation, around, moments[use.operation].first))
    return found


def _around(op: Operation, block: Block) -> tuple[Around, ...] | None:
    found: list[Around] = []
    while op.parent is not block:
        region, parent = op.parent_region(), op.parent_op()
        if region is None or not isinstance(parent, loop.ForOp | loop.IfOp | scf.IfOp):
            return None
        found.append(Around(parent, region))
        op = parent
    return tuple(reversed(found))


class Before(NamedTuple):
    """A way in which one instance of an access may run before one of another.

    In the loops of `same` both are in one iteration; in `other`, if there is one, they are
    in different iterations, the first in an earlier one if those are `ordered`.
    """

    same: tuple[loop.ForOp, ...]
    other: loop.ForOp | None
    ordered: bool


def ways_before(first: Access, second: Access) -> Iterator[Before]:
    """How an instance of `first` may run before one of `second`, in one run of the block."""
    same: tuple[loop.ForOp, ...] = ()
    for a, b in zip(first.around, second.around, strict=False):
        if a != b:
            if a.op is b.op:
                return  # of two branches an iteration takes one
            break
        if isinstance(a.op, loop.ForOp):
            yield Before(same, a.op, a.op.kind.data.one_after_another)
            same = (*same, a.op)
    if first.moment < second.moment:
        yield Before(same, None, True)
