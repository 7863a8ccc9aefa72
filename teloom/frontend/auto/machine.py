"""What a machine's registers and caches say about tiles."""

from __future__ import annotations

from typing import NamedTuple

from teloom.dialects.target import Target
from teloom.frontend.expr import dtypes

CACHES = 32 * 1024, 512 * 1024, 8 * 2**20
"""The caches of a machine that does not say."""


class Tile(NamedTuple):
    """A tile of accumulators in registers: rows of vectors."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes


class Machine:
    """The registers and caches of a target."""

    def __init__(self, target: Target):
        self.registers = target.vector_registers
        self.caches = target.caches or CACHES
        self._vector_bytes = target.vector_bytes

    def lanes(self, dtype: str) -> int:
        """The numbers in a vector."""
        return max(1, self._vector_bytes // dtypes.of(dtype).bytes)

    def tile(self, dtype: str, rows: int, columns: int, most_rows: int | None = None) -> Tile:
        """The tile that fills the registers, beside a row of vectors and one number.

        It is no larger than `rows` x `columns`, and divides the rows as evenly as can be.
        """
        lanes = self.lanes(dtype)
        vectors = max(1, min(self.registers // 8, -(-columns // lanes)))
        most = max(1, (self.registers - 1 - vectors) // vectors)
        return Tile(even(rows, min(most, most_rows or most)), vectors, lanes)


def even(extent: int, most: int) -> int:
    """The factor for tiles of an axis that are as even as can be, of at most so many iterations."""
    return -(-extent // max(1, -(-extent // most))) or 1
