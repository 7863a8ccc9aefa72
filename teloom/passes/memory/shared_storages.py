"""Storages: pieces of memory, each with the allocations of a block that share it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from math import prod
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.index.values import index_value
from teloom.analysis.memory.storage import (
    Allocation,
    boundary_of,
    buffer_bytes,
    byte_width,
)
from teloom.analysis.memory.storage_plan import (
    Demand,
    Lifetime,
    live_together,
    overlapping,
    plan,
    plan_slots,
)
from teloom.analysis.stages.threads import can_hand_over
from teloom.dialects import loop
from teloom.dialects.syntax.scopes import is_tagged, scope_of_buffer
from teloom.dialects.target import target_of
from teloom.passes.code.code_motion import can_compute_before, computation

USUAL_SIZE = 1000
"""The estimate of a symbolic size when a plan is chosen; any estimate gives a right plan."""


class PlacedAllocation(NamedTuple):
    """An allocation in a storage, at the offset `line`.

    Offsets count lines of `line_bytes`. `moment` is the position of the allocation in the program.
    A buffer that is `in_registers` takes no memory.
    """

    alloc: Allocation
    free: memref.DeallocOp | None
    moment: int
    in_registers: bool
    line_bytes: int
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
    def bytes(self) -> int:
        """The size; only for a buffer of constant size."""
        size = buffer_bytes(self.alloc.memref)
        assert size is not None
        return size

    @property
    def end(self) -> int:
        """The end in the storage, in bytes; only for a buffer of constant size."""
        return self.line * self.line_bytes + self.bytes


@dataclass(frozen=True)
class Storage:
    """One piece of memory, and the allocations in it, in program order.

    Only storages of one `kind` can share. It is None for flat buffers of constant size, which
    are bytes. For buffers of several dimensions it is their type and the computations of their
    symbolic sizes.
    """

    parts: tuple[PlacedAllocation, ...]
    kind: Hashable
    life: Lifetime

    @property
    def bytes(self) -> int:
        return max(part.end for part in self.parts)

    @property
    def is_on_stack(self) -> bool:
        return isinstance(self.parts[0].alloc, memref.AllocaOp)

    @property
    def has_constant_size(self) -> bool:
        return not self.parts[0].alloc.dynamic_sizes

    @property
    def sharing_key(self) -> Hashable:
        """The key that two storages must have in common to share memory."""
        first = self.parts[0]
        alone = first.alloc if first.in_registers else None
        return self.kind, self.is_on_stack, first.scope, first.line_bytes, alone

    @property
    def is_merged(self) -> bool:
        """Whether it is merged with all of its scope into one allocation, even if disjoint."""
        return self.kind is None and is_tagged(self.parts[0].scope)

    @property
    def demand(self) -> Demand:
        """The demand in lines; symbolic sizes are estimated."""
        bytes = max(_usual_bytes(part.alloc) for part in self.parts) if self.kind else self.bytes
        return Demand(-(-bytes // self.parts[0].line_bytes), self.life)

    @property
    def sizes(self) -> Iterator[SSAValue]:
        """The symbolic sizes of all parts."""
        return chain.from_iterable(part.alloc.dynamic_sizes for part in self.parts)

    @staticmethod
    def joined(storages: Sequence[Storage]) -> Storage:
        """One piece of memory for all parts of these storages, which are of one kind."""
        parts = sorted((part for one in storages for part in one.parts), key=lambda p: p.moment)
        life = reduce(Lifetime.hull, (one.life for one in storages))
        return Storage(tuple(parts), storages[0].kind, life)

    def moved(self, lines: int) -> Storage:
        parts = tuple(part._replace(line=part.line + lines) for part in self.parts)
        return Storage(parts, self.kind, self.life)

    def can_leave(self, op: Operation) -> bool:
        """Whether it can be hoisted in front of `op`, the op around its block."""
        first = self.parts[0]
        if self.has_constant_size and is_tagged(first.scope) and not self.is_merged:
            return False  # hoisted, it would be live for longer in a memory that may have a limit
        if isinstance(op, loop.IfOp):
            return self.has_constant_size  # a symbolic size may be huge where the condition fails
        if not isinstance(op, loop.ForOp) or not can_hand_over(first.scope, op.kind.data):
            return False
        return all(can_compute_before(size, op) for size in self.sizes)


def _usual_bytes(op: Allocation) -> int:
    """The bytes of a buffer, if every size is `USUAL_SIZE`."""
    type = op.memref.type
    known = prod(extent for extent in type.get_shape() if extent != DYNAMIC_INDEX)
    numbers = (index_value(size, _usual) for size in op.dynamic_sizes)
    sizes = (USUAL_SIZE if number is None else max(0, number) for number in numbers)
    return max(1, prod(sizes)) * known * byte_width(type.element_type)


def _usual(value: SSAValue) -> int | None:
    return USUAL_SIZE if isinstance(value.owner, Block) else None


def shared(
    storages: Sequence[Storage], block: Block, in_place: Callable[[Storage, Storage], bool]
) -> list[Storage]:
    """The storages of `block`, after those with disjoint live ranges were joined.

    `in_place` tells whether two may alias although their live ranges overlap.
    """
    kinds: defaultdict[Hashable, list[Storage]] = defaultdict(list)
    for storage in storages:
        kinds[storage.sharing_key].append(storage)
    found: list[Storage] = []
    for alike in kinds.values():
        if alike[0].kind is None:
            found += _with_offsets(alike, in_place)
        else:
            for sized in _sized_together(alike, block):
                found += _in_slots(sized, in_place)
    return found


def _with_offsets(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> Iterator[Storage]:
    """Joins storages of constant size, each at its offset.

    Groups that are disjoint in memory stay separate allocations: LLVM then knows that they do
    not alias.
    """
    demands = [storage.demand for storage in storages]
    lines = plan(demands, _pairs(storages, in_place))
    groups = overlapping(demands, lines)
    if storages[0].is_merged:
        groups = [list(chain.from_iterable(groups))]
    for group in groups:
        first = lines[group[0]]
        yield Storage.joined([storages[k].moved(lines[k] - first) for k in group])


def _sized_together(storages: Sequence[Storage], block: Block) -> Iterable[list[Storage]]:
    """Groups storages of symbolic size by what is known at the first allocation.

    A shared allocation stands there, so its size must be computable there. A size known only
    later shares with those computed in the same way: they are equal to it.
    """
    place = block.find_ancestor_op_in_block(storages[0].parts[0].alloc)
    assert place is not None
    groups: defaultdict[Hashable, list[Storage]] = defaultdict(list)
    for storage in storages:
        is_known = all(can_compute_before(size, place) for size in storage.sizes)
        groups[None if is_known else tuple(map(computation, storage.sizes))].append(storage)
    return groups.values()


def _in_slots(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> Iterable[Storage]:
    """Joins storages of symbolic size; all parts of one begin at its start."""
    slots = plan_slots([storage.demand for storage in storages], _pairs(storages, in_place))
    found: defaultdict[int, list[Storage]] = defaultdict(list)
    for slot, storage in zip(slots, storages, strict=True):
        found[slot].append(storage)
    return map(Storage.joined, found.values())


def _pairs(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> dict[int, set[int]]:
    """For each storage, by its number, the others that may alias it; the relation is symmetric."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for k, others in enumerate(live_together([storage.life for storage in storages])):
        for j in others:
            if k not in found[j] and in_place(storages[k], storages[j]):
                found[k].add(j)
                found[j].add(k)
    return found


def line_bytes(op: Allocation, scope: str) -> int:
    """The alignment of a buffer in the memory of its scope; it is the unit of storage plans."""
    return boundary_of(op) if is_tagged(scope) else max(target_of(op).alignment, boundary_of(op))
