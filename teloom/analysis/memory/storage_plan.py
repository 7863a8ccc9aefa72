"""Storage planning: offsets or slots for buffers, so that no two live at one time overlap.

This is dynamic storage allocation, which is NP-hard: first fit places buffers in some order,
and a short random search tries several orders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple

_ROUNDS = 200
"""Orders that are tried, of a few hundred demands at most."""

_PLACEMENTS = 40_000
"""How many demands all orders together may place, so that a program of thousands takes no longer.

A dozen orders are tried in any case.
"""
EMPTY: Mapping[int, Collection[int]] = MappingProxyType({})


class Lifetime(NamedTuple):
    """A live range: from the first to the last moment at which a buffer is used, both included."""

    first: int
    last: int

    def overlaps(self, other: Lifetime) -> bool:
        return self.first <= other.last and other.first <= self.last

    def hull(self, other: Lifetime) -> Lifetime:
        return Lifetime(min(self.first, other.first), max(self.last, other.last))


def live_together(lives: Sequence[Lifetime]) -> list[list[int]]:
    """For each live range, by its number, the others that overlap it."""
    found: list[list[int]] = [[] for _ in lives]
    alive: list[int] = []
    for k in sorted(range(len(lives)), key=lambda k: lives[k].first):
        alive = [j for j in alive if lives[j].last >= lives[k].first]
        for j in alive:
            found[j].append(k)
        found[k] += alive
        alive.append(k)
    return found


class Demand(NamedTuple):
    """A buffer of `size` units that is live throughout `life`."""

    size: int
    life: Lifetime


InPlace = Mapping[int, Collection[int]]
"""For a demand: the demands that it may alias, from the same offset on, although both are live.

The relation is symmetric. Demands are known by their numbers.
"""


def most_alive(demands: Sequence[Demand], in_place: InPlace = EMPTY) -> int:
    """The highest pressure in units: a lower bound for every plan."""
    near = _near(demands)
    return max((_least(demands, k, near[k], in_place) for k in range(len(demands))), default=0)


def _near(demands: Sequence[Demand]) -> list[list[int]]:
    return live_together([demand.life for demand in demands])


def _least(demands: Sequence[Demand], k: int, near: Sequence[int], in_place: InPlace) -> int:
    """A lower bound of what is needed when k becomes live: all that may alias do, even indirectly.

    `near` are the demands that are live together with k.
    """
    at = demands[k].life.first
    left = {k, *(j for j in near if demands[j].life.first <= at)}
    total = 0
    while left:
        group = [left.pop()]
        for j in group:
            found = left.intersection(in_place.get(j, ()))
            left -= found
            group += found
        total += max(demands[j].size for j in group)
    return total


def place(
    demands: Sequence[Demand],
    order: Sequence[int],
    in_place: InPlace = EMPTY,
    live_with: Sequence[Sequence[int]] | None = None,
) -> list[int]:
    """An offset per demand by first fit: in this order, each at the lowest offset that is free.

    `live_with` is the answer of `live_together`, where it is known already.
    """
    live_with = _near(demands) if live_with is None else live_with
    offsets: dict[int, int] = {}
    for k in order:
        size = demands[k].size
        near = [j for j in live_with[k] if j in offsets]
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
    """The size of a plan in units."""
    ends = (offset + d.size for offset, d in zip(offsets, demands, strict=True))
    return max(ends, default=0)


def plan(demands: Sequence[Demand], in_place: InPlace = EMPTY) -> list[int]:
    """An offset per demand, so that the peak is small.

    No two demands that are live together overlap, except those that may alias: they begin at one
    offset. Without aliases some order is optimal: take an optimal plan and place its demands by
    rising offset; first fit puts none higher than that plan does.
    """
    return _search(demands, in_place, place, peak)


def slots_in_order(
    demands: Sequence[Demand],
    order: Sequence[int],
    in_place: InPlace = EMPTY,
    live_with: Sequence[Sequence[int]] | None = None,
) -> list[int]:
    """A slot per demand, by its number: in this order, each in the slot that grows least.

    Of several slots that need not grow, the largest is taken: it has most room if the size of
    the demand is only an estimate. `live_with` is as in `place`.
    """
    live_with = _near(demands) if live_with is None else live_with
    found: dict[int, int] = {}
    largest: list[int] = []
    for k in order:
        size, partners = demands[k].size, in_place.get(k, ())
        taken = {found[j] for j in live_with[k] if j in found and j not in partners}
        found[k] = min(
            (number for number in range(len(largest)) if number not in taken),
            key=lambda number: (max(0, size - largest[number]), -largest[number]),
            default=len(largest),
        )
        if found[k] == len(largest):
            largest.append(0)
        largest[found[k]] = max(size, largest[found[k]])
    return [found[k] for k in range(len(demands))]


def total_of_slots(demands: Sequence[Demand], slots: Sequence[int]) -> int:
    """The size of all slots together; a slot is as large as its largest demand."""
    largest: dict[int, int] = {}
    for demand, slot in zip(demands, slots, strict=True):
        largest[slot] = max(demand.size, largest.get(slot, 0))
    return sum(largest.values())


def plan_slots(demands: Sequence[Demand], in_place: InPlace = EMPTY) -> list[int]:
    """A slot per demand, by its number, so that all slots together are small.

    All demands of a slot begin at its start. No two of them are live together, except those that
    may alias. So the plan needs no ends of demands: it is right for symbolic sizes, too.
    """
    return _search(demands, in_place, slots_in_order, total_of_slots)


def _search(
    demands: Sequence[Demand],
    in_place: InPlace,
    put: Callable[[Sequence[Demand], Sequence[int], InPlace, Sequence[Sequence[int]]], list[int]],
    total: Callable[[Sequence[Demand], Sequence[int]], int],
) -> list[int]:
    """The best plan that `put` makes of the orders tried.

    The search begins with the largest demand first. Each round moves one to four demands, chosen
    with a fixed seed, so that every run gives the same plan. It ends at the lower bound, or
    after `_ROUNDS` rounds, or fewer if there are many demands.
    """
    order = sorted(range(len(demands)), key=lambda k: (-demands[k].size, demands[k].life.first))
    live_with = _near(demands)
    best = put(demands, order, in_place, live_with)
    least = most_alive(demands, in_place)
    choices = Random(0)
    for k in range(min(_ROUNDS, max(12, _PLACEMENTS // max(1, len(demands))))):
        if total(demands, best) == least:
            break
        other = list(order)
        for _ in range(1 + k % 4):
            moved = other.pop(choices.randrange(len(order)))
            other.insert(choices.randrange(len(order)), moved)
        found = put(demands, other, in_place, live_with)
        if total(demands, found) <= total(demands, best):
            best, order = found, other
    return best


def overlapping(demands: Sequence[Demand], offsets: Sequence[int]) -> list[list[int]]:
    """The demands in groups that are pairwise disjoint in memory; lowest offset first."""
    groups: list[list[int]] = []
    top = 0
    for k in sorted(range(len(demands)), key=lambda k: (offsets[k], -demands[k].size)):
        if not groups or offsets[k] >= top:
            groups.append([])
        groups[-1].append(k)
        top = max(top, offsets[k] + demands[k].size)
    return groups
