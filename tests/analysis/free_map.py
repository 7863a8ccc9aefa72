"""Memory as TVM's storage rewriting gives it out: in whole pieces, a stage after the other.

It shares no code with `storage_plan`, whose plans are measured by it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

RANGE = 16
"""A piece is taken that is up to so many times larger, or smaller, than what is asked for."""


class Use(NamedTuple):
    """A buffer of `size` units, with the first and the last stage that uses it.

    `source`, by its number, is a buffer of the same size that it may be made in place of, if
    that is used for the last time where this one begins.
    """

    size: int
    first: int
    last: int
    type: Hashable = "f32"
    source: int | None = None


@dataclass
class Piece:
    size: int
    type: Hashable


@dataclass
class FreeMap:
    """All pieces of memory, and those that are free at the moment, oldest first."""

    pieces: list[Piece] = field(default_factory=list)
    free: list[Piece] = field(default_factory=list)

    def find(self, size: int, type: Hashable) -> Piece:
        """The least free piece that is as large, else the largest one, which then grows."""
        larger = [p for p in self.free if size <= p.size <= size * RANGE]
        smaller = [p for p in self.free if size // RANGE <= p.size < size and p.type == type]
        if larger:
            found = min(larger, key=lambda p: p.size)
        elif smaller:
            found = max(smaller, key=lambda p: p.size)
        else:
            found = Piece(size, type)
            self.pieces.append(found)
            return found
        self.free.remove(found)
        found.size = max(found.size, size)
        return found


def pieces_of(uses: list[Use]) -> list[int]:
    """The sizes of the pieces that hold the buffers; what they take is their sum."""
    memory = FreeMap()
    given: dict[int, Piece] = {}
    for stage in sorted({at for use in uses for at in (use.first, use.last)}):
        taken: set[int] = set()
        for k, use in enumerate(uses):
            if use.first != stage:
                continue
            source = use.source
            if (
                source is not None
                and source not in taken
                and source in given
                and uses[source].last == stage
                and (given[source].size, given[source].type) == (use.size, use.type)
            ):
                given[k] = given[source]
                taken.add(source)
            else:
                given[k] = memory.find(use.size, use.type)
        memory.free += [
            given[k] for k, use in enumerate(uses) if use.last == stage and k not in taken
        ]
    return [piece.size for piece in memory.pieces]
