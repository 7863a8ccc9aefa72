"""The accesses in a block with the loops around them, and how two may follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

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
    """An access in a block; `around` is outermost first, `moment` grows in the order of the text.

    It is not known if the access is not, or an op around it: then it may be to any element at
    any time.
    """

    access: Access
    around: tuple[Around, ...]
    is_known: bool
    moment: int

    @property
    def loops(self) -> list[loop.ForOp]:
        return [op for op, _ in self.around if isinstance(op, loop.ForOp)]


class Instance(NamedTuple):
    """A reference in one iteration of each loop around it."""

    reference: Reference
    iterations: Mapping[loop.ForOp, int]


def reference_of(access: Access, block: Block, moment: int = 0) -> Reference:
    """An access in `block`."""
    around: list[Around] = []
    op = access.op
    while op.parent is not block:
        region, parent = op.parent_region(), op.parent_op()
        if region is None or not isinstance(parent, loop.ForOp | loop.IfOp | scf.IfOp):
            return Reference(access, (), False, moment)
        around.append(Around(parent, region))
        op = parent
    return Reference(access, tuple(reversed(around)), access.is_known, moment)


def references_to(
    buffer: SSAValue, block: Block, moments: Mapping[Operation, Lifetime]
) -> list[Reference]:
    """All that need an element of `buffer`."""
    return [
        reference_of(access, block, moments[access.op].first)
        for access in accesses_to(buffer)
        if access.is_needed
    ]


class Way(NamedTuple):
    """How the instances of two references lie to each other.

    In the loops of `same` both are in one iteration; in `other`, if there is one, the second
    is from `least` to `most` iterations behind the first, where None is any number.
    """

    same: tuple[loop.ForOp, ...]
    other: loop.ForOp | None = None
    least: int | None = None
    most: int | None = None

    def holds(self, first: Instance, second: Instance) -> bool:
        def steps(op: loop.ForOp) -> int:
            return second.iterations[op] - first.iterations[op]

        if any(map(steps, self.same)):
            return False
        if self.other is None:
            return True
        behind = steps(self.other)
        return (self.least is None or self.least <= behind) and (
            self.most is None or behind <= self.most
        )


def ways_before(first: Reference, second: Reference) -> Iterator[Way]:
    """How an instance of `first` may run before one of `second`, in one run of the block."""
    same: tuple[loop.ForOp, ...] = ()
    for a, b in zip(first.around, second.around, strict=False):
        if a != b:
            if a.op is b.op:
                return  # of two branches an iteration takes one
            break
        if isinstance(a.op, loop.ForOp):
            yield Way(same, a.op, least=1)
            if not a.op.kind.data.one_after_another:
                yield Way(same, a.op, most=-1)
            same = (*same, a.op)
    if first.moment < second.moment:
        yield Way(same)
