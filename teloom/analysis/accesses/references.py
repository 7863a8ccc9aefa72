"""The accesses in a block, the loops around them, and the directions of their dependences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from teloom.analysis.memory.shared_bytes import are_same, may_share
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects import loop
from teloom.dialects.interfaces import Access
from teloom.dialects.upstream.accesses import accesses_to


class Around(NamedTuple):
    """An op around an access, and the region of it that the access is in."""

    op: loop.ForOp | loop.IfOp | scf.IfOp
    region: Region


@dataclass(frozen=True, eq=False)
class Reference:
    """An access in a block; `around` is outermost first, `moment` grows in program order.

    A reference is known if the access and all ops around it are. An unknown one may touch any
    element. Where an op around it is not known, as a loop of `scf`, it may do so at any time while
    `unknown`, the op of the block that holds it, runs.
    """

    access: Access
    around: tuple[Around, ...]
    is_known: bool
    moment: int
    unknown: Operation | None = None

    @property
    def loops(self) -> list[loop.ForOp]:
        return [op for op, _ in self.around if isinstance(op, loop.ForOp)]


Pair = tuple[Reference, Reference]


def that_meet(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs of which one writes memory that the other accesses.

    Two views of one memory may meet at any elements: these references become unknown.
    """
    sharing: dict[tuple[SSAValue, SSAValue], bool] = {}
    for first, second in pairs:
        buffers = first.access.buffer, second.access.buffer
        if not (first.access.writes or second.access.writes):
            continue
        if buffers not in sharing:
            sharing[buffers] = may_share(*buffers)
        if sharing[buffers] and are_same(*buffers):
            yield first, second
        elif sharing[buffers]:
            yield replace(first, is_known=False), replace(second, is_known=False)


class Instance(NamedTuple):
    """A reference in one iteration of each loop around it."""

    reference: Reference
    iterations: Mapping[loop.ForOp, int]


def reference_of(access: Access, block: Block, moment: int = 0) -> Reference:
    """The reference of an access that lies in `block`."""
    around: list[Around] = []
    op = access.op
    while op.parent is not block:
        region, parent = op.parent_region(), op.parent_op()
        if region is None or not isinstance(parent, loop.ForOp | loop.IfOp | scf.IfOp):
            return Reference(access, (), False, moment, block.find_ancestor_op_in_block(op))
        around.append(Around(parent, region))
        op = parent
    return Reference(access, tuple(reversed(around)), access.is_known, moment)


def references_to(
    buffer: SSAValue, block: Block, moments: Mapping[Operation, Lifetime]
) -> list[Reference]:
    """The references in `block` that need an element of `buffer`."""
    return [
        reference_of(access, block, moments[access.op].first)
        for access in accesses_to(buffer)
        if access.is_needed
    ]


class Direction(NamedTuple):
    """A dependence direction: how far the second of two instances runs behind the first.

    The distance is 0 in the loops of `same`. In `carrier`, the loop that carries the dependence,
    it is from `least` to `most` iterations; None is no limit. Without a carrier the dependence is
    loop-independent: both instances run in one iteration of every loop around both.
    """

    same: tuple[loop.ForOp, ...]
    carrier: loop.ForOp | None = None
    least: int | None = None
    most: int | None = None

    def holds(self, first: Instance, second: Instance) -> bool:
        def distance(op: loop.ForOp) -> int:
            return second.iterations[op] - first.iterations[op]

        if any(map(distance, self.same)):
            return False
        if self.carrier is None:
            return True
        behind = distance(self.carrier)
        return (self.least is None or self.least <= behind) and (
            self.most is None or behind <= self.most
        )


def directions_before(first: Reference, second: Reference) -> Iterator[Direction]:
    """The directions in which an instance of `first` may run before one of `second`.

    They are those of one run of the block. A loop whose iterations are unordered carries a
    dependence both ways.
    """
    for one, other in ((first, second), (second, first)):
        if one.unknown is not None and one.unknown.is_ancestor(other.access.op):
            yield Direction(())
            return
    same: tuple[loop.ForOp, ...] = ()
    for a, b in zip(first.around, second.around, strict=False):
        if a != b:
            if a.op is b.op:
                return  # an iteration takes one of two branches
            break
        if isinstance(a.op, loop.ForOp):
            yield Direction(same, a.op, least=1)
            if not a.op.kind.data.one_after_another:
                yield Direction(same, a.op, most=-1)
            same = (*same, a.op)
    if first.moment < second.moment:
        yield Direction(same)
