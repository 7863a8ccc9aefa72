"""Where buffers lie in one piece of memory, so that no two that live together overlap."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

_ROUNDS = 200
EMPTY: Mapping[int, Collection[int]] = MappingProxyType({})


class Lifetime(NamedTuple):
    """From the first to the last moment at which a buffer is used, both included."""

    first: int
    last: int

    def overlaps(self, other: Lifetime) -> bool:
        return self.first <= other.last and other.first <= self.last

    def hull(self, other: Lifetime) -> Lifetime:
        return Lifetime(min(self.first, other.first), max(self.last, other.last))


class Demand(NamedTuple):
    """A buffer of `size` units that is needed throughout `life`."""

    size: int
    life: Lifetime


InPlace = Mapping[int, Collection[int]]
"""Of a demand, by its number: those that it may begin with, though they live together.

If one has another, that one has it too.
"""


def most_alive(demands: Sequence[Demand], in_place: InPlace = EMPTY) -> int:
    """The most units that are needed at one moment: no plan takes fewer."""
    moments = {demand.life.first for demand in demands}
    return max((_least(demands, at, in_place) for at in moments), default=0)


def _least(demands: Sequence[Demand], at: int, in_place: InPlace) -> int:
    """What is needed at a moment if all begin together that others may begin with."""
    left = {k for k, d in enumerate(demands) if d.life.first <= at <= d.life.last}
    total = 0
    while left:
        group = [left.pop()]
        for k in group:
            found = left.intersection(in_place.get(k, ()))
            left -= found
            group += found
        total += max(demands[k].size for k in group)
    return total


def place(demands: Sequence[Demand], order: Sequence[int], in_place: InPlace = EMPTY) -> list[int]:
    """An offset per demand: in this order, each where it fits and nothing is lower."""
    offsets: dict[int, int] = {}
    for k in order:
        size, life = demands[k]
        near = [j for j in offsets if demands[j].life.overlaps(life)]
        taken = sorted((offsets[j], offsets[j] + demands[j].size) for j in near)
        lowest = 0
        for begin, end in taken:
            if lowest + size <= begin:
                break
            lowest = max(lowest, end)
        partners = [j for j in near if j in in_place.get(k, ())]
        others = [j for j in near if j not in partners]
        for at in sorted({offsets[j] for j in partners}):
            apart = [*others, *(j for j in partners if offsets[j] != at)]
            if at < lowest and all(
                offsets[j] + demands[j].size <= at or at + size <= offsets[j] for j in apart
            ):
                lowest = at
        offsets[k] = lowest
    return [offsets[k] for k in range(len(demands))]


def peak(demands: Sequence[Demand], offsets: Sequence[int]) -> int:
    """The units that a plan takes."""
    ends = (offset + d.size for offset, d in zip(offsets, demands, strict=True))
    return max(ends, default=0)


def plan(demands: Sequence[Demand], in_place: InPlace = EMPTY) -> list[int]:
    """An offset per demand, so that the peak is small, and none that live together overlap,
    but those that may and then begin together.

    If none may, some order of `place` gives the least peak: that of the offsets of a best
    plan.
    """
    return _search(demands, in_place, place, peak)


def slots_in_order(
    demands: Sequence[Demand], order: Sequence[int], in_place: InPlace = EMPTY
) -> list[int]:
    """A slot per demand, by its number: in this order, each where the slot grows least.

    If several need not grow, it is the largest: it has most room for a demand of which the
    size is an estimate.
    """
    slots: list[list[int]] = []
    found = [0] * len(demands)
    for k in order:
        size, life = demands[k]
        partners = in_place.get(k, ())
        largest: dict[int, int] = {
            number: max(demands[j].size for j in slot)
            for number, slot in enumerate(slots)
            if all(j in partners or not demands[j].life.overlaps(life) for j in slot)
        }
        found[k] = min(
            largest,
            key=lambda number: (max(0, size - largest[number]), -largest[number]),
            default=len(slots),
        )
        if found[k] == len(slots):
            slots.append([])
        slots[found[k]].append(k)
    return found


def total_of_slots(demands: Sequence[Demand], slots: Sequence[int]) -> int:
    """The units that all slots take, each those of its largest demand."""
    largest: dict[int, int] = {}
    for demand, slot in zip(demands, slots, strict=True):
        largest[slot] = max(demand.size, largest.get(slot, 0))
    return sum(largest.values())


def plan_slots(demands: Sequence[Demand], in_place: InPlace = EMPTY) -> list[int]:
    """A slot per demand, by its number, so that all together are small.

    In a slot all begin together; none live together there but those that may. So nobody
    needs to know at which offset a demand ends.
    """
    return _search(demands, in_place, slots_in_order, total_of_slots)


def _search(
    demands: Sequence[Demand],
    in_place: InPlace,
    put: Callable[[Sequence[Demand], Sequence[int], InPlace], list[int]],
    total: Callable[[Sequence[Demand], Sequence[int]], int],
) -> list[int]:
    """What `put` gives for the order of demands that takes the fewest units of those tried.

    The search begins with the largest first and moves one to four at a time, the same ones
    in every run, until no plan can be better or it has tried often enough.
    """
    order = sorted(range(len(demands)), key=lambda k: (-demands[k].size, demands[k].life.first))
    best = put(demands, order, in_place)
    least = most_alive(demands, in_place)
    choices = Random(0)
    for k in range(_ROUNDS):
        if total(demands, best) == least:
            break
        other = list(order)
        for _ in range(1 + k % 4):
            moved = other.pop(choices.randrange(len(order)))
            other.insert(choices.randrange(len(order)), moved)
        found = put(demands, other, in_place)
        if total(demands, found) <= total(demands, best):
            best, order = found, other
    return best


def overlapping(demands: Sequence[Demand], offsets: Sequence[int]) -> list[list[int]]:
    """The demands in groups, of which no two have a unit in common; lowest offset first."""
    groups: list[list[int]] = []
    top = 0
    for k in sorted(range(len(demands)), key=lambda k: (offsets[k], -demands[k].size)):
        if not groups or offsets[k] >= top:
            groups.append([])
        groups[-1].append(k)
        top = max(top, offsets[k] + demands[k].size)
    return groups
