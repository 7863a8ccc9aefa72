"""Pieces of memory, and which of the allocations of one block lie in the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, permutations
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    MemRefType,
)
from xdsl.ir import Operation

from teloom.analysis.storage import BUFFER_ALIGNMENT, Allocation, boundary_of, buffer_bytes
from teloom.analysis.storage_plan import Demand, Lifetime, overlapping, plan
from teloom.analysis.threads import can_hand_over
from teloom.dialects import loop
from teloom.dialects.scopes import is_in_registers, is_tagged, scope_of_buffer
from teloom.passes.code_motion import is_known_outside

TINY_BYTES = 4
"""Up to so many bytes a buffer shares with none: it may as well be a register."""

ALONE_BYTES = 4096
"""Up to so many bytes a buffer on the stack shares with none: twice what all vector registers
of a machine hold. LLVM keeps those in registers whose every index it knows."""


class Part(NamedTuple):
    """An allocation that lies in a storage, from `line` on.

    A line has as many bytes as the buffer is aligned to, in untagged scopes at least 64.
    `moment` is where it stands in the program.
    """

    alloc: Allocation
    free: memref.DeallocOp | None
    moment: int
    line: int = 0

    @property
    def type(self) -> MemRefType:
        return self.alloc.memref.type

    @property
    def scope(self) -> str:
        scope = scope_of_buffer(self.type)
        assert scope is not None
        return scope

    @property
    def line_bytes(self) -> int:
        return line_bytes(self.alloc, self.scope)

    @property
    def bytes(self) -> int:
        """Its size, if that is constant."""
        size = buffer_bytes(self.alloc.memref)
        assert size is not None
        return size

    @property
    def end(self) -> int:
        """Where it ends in the storage, in bytes, if its size is constant."""
        return self.line * self.line_bytes + self.bytes


@dataclass(frozen=True)
class Storage:
    """One piece of memory, and the allocations that lie in it, in program order.

    `kind` tells apart what cannot share: None where all sizes are constant, else how the
    one symbolic size is computed, and the type of the elements.
    """

    parts: tuple[Part, ...]
    kind: Hashable
    life: Lifetime

    @property
    def bytes(self) -> int:
        return max(part.end for part in self.parts)

    @property
    def is_on_stack(self) -> bool:
        return isinstance(self.parts[0].alloc, memref.AllocaOp)

    @property
    def company(self) -> Hashable:
        """What those have in common that may share memory."""
        first = self.parts[0]
        least = ALONE_BYTES if self.is_on_stack else TINY_BYTES
        is_small = self.kind is None and first.bytes <= least and not is_tagged(first.scope)
        alone = first.alloc if is_small or is_in_registers(first.scope) else None
        return self.kind, self.is_on_stack, first.scope, first.line_bytes, alone

    @property
    def is_merged(self) -> bool:
        """Whether it is one allocation with the others of its scope, overlapping or not."""
        return self.kind is None and is_tagged(self.parts[0].scope)

    @property
    def demand(self) -> Demand:
        """What it takes in lines, or counted in storages of its own symbolic size."""
        lines = 1 if self.kind is not None else -(-self.bytes // self.parts[0].line_bytes)
        return Demand(lines, self.life)

    def join(self, other: Storage) -> Storage:
        parts = sorted((*self.parts, *other.parts), key=lambda part: part.moment)
        return Storage(tuple(parts), self.kind, self.life.hull(other.life))

    def moved(self, lines: int) -> Storage:
        parts = tuple(part._replace(line=part.line + lines) for part in self.parts)
        return Storage(parts, self.kind, self.life)

    def can_leave(self, op: Operation) -> bool:
        """Whether it may as well lie in front of `op`, which is around it."""
        if isinstance(op, loop.IfOp):
            return self.kind is None  # a size may be enormous where its condition fails
        first = self.parts[0]
        if not isinstance(op, loop.ForOp) or not can_hand_over(first.scope, op.kind.data):
            return False
        return all(is_known_outside(size, op) for size in first.alloc.dynamic_sizes)


def shared(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> list[Storage]:
    """The storages of one block, when those that are not needed together share memory.

    `in_place` says whether two that are needed together may begin together.
    """
    kinds: defaultdict[Hashable, list[Storage]] = defaultdict(list)
    for storage in storages:
        kinds[storage.company].append(storage)
    found: list[Storage] = []
    for alike in kinds.values():
        demands = [storage.demand for storage in alike]
        lines = plan(demands, _pairs(alike, in_place))
        groups = overlapping(demands, lines)
        if alike[0].is_merged:
            groups = [list(chain.from_iterable(groups))]
        for group in groups:
            first = lines[group[0]]
            found.append(reduce(Storage.join, (alike[k].moved(lines[k] - first) for k in group)))
    return found


def _pairs(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> dict[int, set[int]]:
    """Of each storage, by its number, the others that may begin with it."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for (k, a), (j, b) in permutations(enumerate(storages), 2):
        if k not in found[j] and in_place(a, b):
            found[k].add(j)
            found[j].add(k)
    return found


def line_bytes(op: Allocation, scope: str) -> int:
    """What a buffer begins at a multiple of, in the memory of its scope."""
    return boundary_of(op) if is_tagged(scope) else max(BUFFER_ALIGNMENT, boundary_of(op))
