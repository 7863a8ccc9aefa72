"""The tiles that suit the registers and caches of a machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd
from typing import NamedTuple

from teloom.analysis.accesses.lane_counts import shorter_vectors
from teloom.analysis.dot_products import (
    BF16,
    Kinds,
    NumberKind,
    has_tiles,
    instruction_for,
    is_turned,
)
from teloom.dialects.target import Target
from teloom.dialects.tile_registers import MOST_ROWS
from teloom.frontend.expr import dtypes

CACHES = 32 * 1024, 512 * 1024, 8 * 2**20
"""The caches that are assumed if a machine does not describe its own."""


PAGE = 4096
"""The bytes of a page of memory."""

LEAST_ROW = 4
"""The least vectors in a part of a row."""

RUN = 16
"""The bytes of a row of an operand that are read at once where it is transposed in registers. Those
of several rows fill a vector: half the code of squares of whole vectors, in little more time."""

LEAST_RUN = 4
"""The least number of elements of a row that are transposed."""


class AccumulatorTile(NamedTuple):
    """A tile of accumulators in registers: rows of vectors."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes

    def share(self, rows: int, columns: int) -> float:
        """The share of its instructions that multiply elements of a matrix.

        Other instructions work on rows and lanes without elements, or load a row and a column;
        three loads count as one product.
        """
        by_rows = rows / (-(-rows // self.rows) * self.rows)
        vectors = -(-columns // self.columns) * self.vectors
        if columns <= self.columns and columns % self.lanes:
            vectors = columns // self.lanes + shorter_vectors(columns, self.lanes)
        by_columns = columns / (vectors * self.lanes)
        return by_rows * by_columns * self._share_of_products

    def share_of_triangle(self, rows: int, columns: int) -> float:
        """The same of a matrix that has elements on and below a diagonal.

        Its rows divide the columns of a tile, so there are as many tiles in a row of tiles as there
        are panels up to it.
        """
        in_a_panel = self.columns // self.rows
        panels, others = divmod(-(-rows // self.rows), in_a_panel)
        tiles = (panels + 1) * (panels * in_a_panel / 2 + others)
        elements, computed = rows * (columns + 1) / 2, tiles * self.rows * self.columns
        return elements / computed * self._share_of_products

    @property
    def _share_of_products(self) -> float:
        products, loads = self.rows * self.vectors, self.rows + self.vectors
        return products / (products + loads / 3)


class Machine:
    """The registers and caches of a target, and how many threads a program runs on.

    If it `may_flush`, instructions may take subnormal numbers for 0.
    """

    def __init__(self, target: Target, threads: int, may_flush: bool = False):
        self.threads, self._may_flush = threads, may_flush
        self.registers = target.vector_registers
        self.caches = target.caches or CACHES
        self.line = target.line_bytes
        self._vector_bytes = target.vector_bytes
        self._target = target

    @property
    def second_cache(self) -> int:
        """The bytes of the second cache, or of the only one."""
        return self.caches[:2][-1]

    def lanes(self, dtype: str) -> int:
        """The numbers in a vector."""
        return max(1, self._vector_bytes // dtypes.of(dtype).bytes)

    def group(self, left: str, right: str, sums: str) -> int | None:
        """How many products of such numbers an instruction adds to each sum of a vector."""
        if (given := _kinds_of(left, right, sums)) is None:
            return None
        kinds = given[::-1] if is_turned(*given) else given
        found = instruction_for(kinds, self._target, self.lanes(sums), self._may_flush)
        return None if found is None else found.group

    def multiplies_tiles(self, left: str, right: str, sums: str) -> bool:
        """Whether it multiplies matrices of such numbers in registers for tiles."""
        kinds = _kinds_of(left, right, sums)
        return kinds is not None and has_tiles(self._target, kinds, self._may_flush)

    def has_masks(self, dtype: str) -> bool:
        """Whether loads of vectors under a mask are fast."""
        return self._target.has_masks(dtypes.of(dtype).bytes)

    def run(self, dtype: str, stride: int | None) -> int:
        """The numbers of a row that are read at once where vectors of rows are transposed.

        Rows are `stride` numbers apart. A whole vector is read where it is not known, or where the
        first cache does not hold all rows until the next numbers are read.
        """
        lanes, bytes = self.lanes(dtype), dtypes.of(dtype).bytes
        room = 0 if stride is None else self.room(stride * bytes)
        is_held = room is None or room >= lanes
        return min(lanes, max(LEAST_RUN, RUN // bytes)) if is_held else lanes

    def room(self, stride: int) -> int | None:
        """How many lines the first cache holds that are `stride` bytes, whole lines, apart.

        Addresses that differ by a page are in one set, as in all caches that are virtually indexed.
        """
        if stride % self.line:
            return None
        sets = PAGE // self.line
        return sets // gcd(sets, stride // self.line) * max(1, self.caches[0] // PAGE)

    def lines(self, dtype: str, strides: Iterable[int | None]) -> int:
        """How many lines, so many numbers apart, are in lanes: all are in the first cache at once.

        The number is a power of two, as that of all lanes is.
        """
        bytes = dtypes.of(dtype).bytes
        rooms = (self.room(stride * bytes) for stride in strides if stride is not None)
        held = min((room for room in rooms if room is not None), default=self.lanes(dtype))
        return min(self.lanes(dtype), 1 << (max(held, LEAST_RUN).bit_length() - 1))

    def tile(
        self,
        dtype: str,
        rows: int,
        columns: int,
        most_rows: int | None = None,
        is_fused: bool = True,
        results: int = 1,
    ) -> AccumulatorTile:
        """The tile that fills the registers, beside a row of vectors and one number.

        It is no larger than `rows` x `columns`, and divides the rows as evenly as can be.
        """
        lanes = self.lanes(dtype)
        vectors = max(1, min(self.registers // 8, -(-columns // lanes)))
        most = self._most_rows(vectors, is_fused, results)
        return AccumulatorTile(even(rows, min(most, most_rows or most)), vectors, lanes)

    def _most_rows(self, vectors: int, is_fused: bool, results: int = 1) -> int:
        """The most rows of a tile of so many vectors, beside a row of vectors and one number.

        If terms are added by an instruction of their own, they take as many registers as results.
        Each of several `results` has a tile of its own.
        """
        most = (self.registers - 1 - vectors) // vectors
        rows = most if is_fused else min(most, self.registers // 2 // vectors)
        return max(1, rows // results)

    def widest(self, dtype: str, rows: int) -> AccumulatorTile:
        """The widest tile of so many rows, beside a row of vectors and one number."""
        return AccumulatorTile(rows, max(1, (self.registers - 1) // (rows + 1)), self.lanes(dtype))

    def dividing_tiles(
        self, dtype: str, is_fused: bool, results: int = 1
    ) -> Iterator[AccumulatorTile]:
        """The tiles whose rows divide their columns, each with the most rows for its vectors.

        Tiles of a triangle then end where it does: those on its diagonal are whole rows of others.
        """
        lanes = self.lanes(dtype)
        for vectors in range(1, max(1, self.registers // 8) + 1):
            most = self._most_rows(vectors, is_fused, results)
            rows = next(rows for rows in range(most, 0, -1) if vectors * lanes % rows == 0)
            yield AccumulatorTile(rows, vectors, lanes)

    def row(self, dtypes_of_results: Sequence[str], columns: int, rows: int) -> AccumulatorTile:
        """A part of each of some rows of results: as much of it as half of the first cache holds.

        The longer it is, the longer are the lines of memory that are read one after the other.
        Threads have several parts, which are no shorter than what prefetchers follow.
        """
        dtype = dtypes_of_results[0]
        lanes = self.lanes(dtype)
        parts = -(-self.threads // max(1, rows))
        bytes = lanes * sum(dtypes.of(one).bytes for one in dtypes_of_results)
        most = min(self.caches[0] // 2 // bytes, -(-columns // (lanes * parts)))
        return self._line(dtype, columns, max(LEAST_ROW, most))

    def chains(self, dtype: str, columns: int, are_lines: bool) -> AccumulatorTile:
        """A row of results that is folded together: each vector waits for its last term.

        If terms are no lines of memory, one vector is put together at a time.
        """
        return self._line(dtype, columns, self.registers // 4 if are_lines else 1)

    def matrix_tile(self, rows: int, columns: int) -> AccumulatorTile:
        """The tile in at most four registers for tiles with which these elements take least time.

        A product of registers takes as long as two loads of them.
        """
        side = MOST_ROWS
        shapes = ((2, 2), (1, 4), (4, 1), (1, 3), (3, 1), (1, 2), (2, 1), (1, 1))

        def work(shape: tuple[int, int]) -> int:
            high, wide = shape
            tiles = -(-max(1, rows) // (side * high)) * -(-max(1, columns) // (side * wide))
            return tiles * (2 * high * wide + high + wide)

        high, wide = min(shapes, key=work)
        return AccumulatorTile(min(max(1, rows), side * high), wide, side)

    def dots(self, rows: int, most: int) -> tuple[int, int]:
        """How many rows meet how many others, `most` at most, where lanes fold dot products.

        Three of four registers hold sums. Rows that fit are taken together, as each of them is
        read again for the next others.
        """
        together = even(rows, self.registers * 3 // 8)
        return together, min(most, self.registers * 3 // 4 // together)

    def _line(self, dtype: str, columns: int, most: int) -> AccumulatorTile:
        """A row of at most so many vectors, which divide the columns as evenly as can be."""
        lanes = self.lanes(dtype)
        return AccumulatorTile(1, even(-(-columns // lanes), most), lanes)

    def product_tile(
        self,
        dtype: str,
        rows: int,
        columns: int,
        most: int | None,
        is_fused: bool,
        is_whole: bool = False,
        results: int = 1,
    ) -> AccumulatorTile:
        """The tile of a product with the greatest `share` of work on elements.

        It has `most` rows at most. If tiles should be whole, their columns divide those that there
        are, if those of any tile do.
        """
        lanes, rows, columns = self.lanes(dtype), max(1, rows), max(1, columns)
        widest = max(1, min(self.registers // 8, -(-columns // lanes)))
        widths = [*range(widest, 0, -1)]
        dividing = [count for count in widths if columns % (count * lanes) == 0]
        if is_whole and dividing:
            widths = dividing
        tiles = (self.tile(dtype, rows, count * lanes, most, is_fused, results) for count in widths)
        return max(tiles, key=lambda tile: tile.share(rows, columns))


def even(extent: int, most: int) -> int:
    """The factor for tiles of an axis that are as even as can be, of at most so many iterations."""
    return -(-extent // max(1, -(-extent // most))) or 1


def _kinds_of(left: str, right: str, sums: str) -> Kinds | None:
    """The kinds of the factors of instructions, if there are some that add to such sums."""
    first, second = map(_kind_of, (left, right))
    if first is None or second is None:
        return None
    return (first, second) if sums == ("float32" if first.is_float else "int32") else None


def _kind_of(dtype: str) -> NumberKind | None:
    """The kind of the factors of instructions, if numbers of a dtype are such."""
    info = dtypes.of(dtype)
    if info.kind == dtypes.FLOAT:
        return BF16 if dtype == "bfloat16" else None
    return NumberKind(info.bits, info.kind == dtypes.UINT)
