"""Where buffers lie in one piece of memory, so that no two that live together overlap."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

_ROUNDS = 200


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


def most_alive(demands: Sequence[Demand]) -> int:
    """The most units that are needed at one moment: no plan takes fewer."""
    moments = {demand.life.first for demand in demands}
    return max(
        (sum(d.size for d in demands if d.life.first <= at <= d.life.last) for at in moments),
        default=0,
    )


def place(demands: Sequence[Demand], order: Sequence[int]) -> list[int]:
    """An offset per demand: in this order, each in the lowest gap that it fits."""
    offsets: dict[int, int] = {}
    for k in order:
        size, life = demands[k]
        taken = sorted(
            (offset, offset + demands[j].size)
            for j, offset in offsets.items()
            if demands[j].life.overlaps(life)
        )
        lowest = 0
        for begin, end in taken:
            if lowest + size <= begin:
                break
            lowest = max(lowest, end)
        offsets[k] = lowest
    return [offsets[k] for k in range(len(demands))]


def peak(demands: Sequence[Demand], offsets: Sequence[int]) -> int:
    """The units that a plan takes."""
    ends = (offset + d.size for offset, d in zip(offsets, demands, strict=True))
    return max(ends, default=0)


def plan(demands: Sequence[Demand]) -> list[int]:
    """An offset per demand, so that none that live together overlap, and the peak is small.

    Some order of `place` gives the least peak: that of the offsets of a best plan. The
    search begins with the largest first and moves one at a time, the same ones in every
    run, until no plan can be better or it has tried often enough.
    """
    order = sorted(range(len(demands)), key=lambda k: (-demands[k].size, demands[k].life.first))
    best = place(demands, order)
    least = most_alive(demands)
    choices = Random(0)
    for _ in range(_ROUNDS):
        if peak(demands, best) == least:
            break
        other = list(order)
        moved = other.pop(choices.randrange(len(order)))
        other.insert(choices.randrange(len(order)), moved)
        offsets = place(demands, other)
        if peak(demands, offsets) <= peak(demands, best):
            best, order = offsets, other
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
