"""The order of the elements along an axis, which is stable: by radix sort, or by counting.

A radix sort, in code of its own (`te.extern`), sorts by one digit after another, the last one
first: n steps for each digit in which elements differ, with memory for two keys and two positions
of each element. Of few elements, the place of each one is the number of those that stand before
it: n * n comparisons, all at once. Positions are int32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.dtypes import bits_of, is_float, is_integer
from teloom.topi.points import Place, each_line, over_buffers
from teloom.topi.tag import INJECTIVE

DIGIT_BITS = 8
BUCKETS = 2**DIGIT_BITS
"""The values that a digit can have."""

FEW_PER_BIT = 2
"""The most elements, for each bit of one, of which each is compared with each."""


def sorted_positions(
    operator: str,
    data: te.Tensor,
    along: int,
    ascending: bool,
    valid_count: te.Tensor | None = None,
    first: int | None = None,
) -> te.Tensor:
    """The positions of the elements along an axis, in the order of the elements.

    NaN counts as greater than every number, and -0.0 as 0.0. With `valid_count`, integers by the
    position on axis 0, only so many elements are sorted, and the others keep their place. With
    `first`, there may be only so many positions.
    """
    extent = data.shape[along]
    if isinstance(extent, int) and extent <= FEW_PER_BIT * bits_of(data.dtype):
        return _by_counting(operator, data, along, ascending, valid_count)

    @over_buffers
    def body(ib: Any, given: Any, *others: Any) -> None:
        *counts, found = others

        def sort_line(place: Place) -> None:
            sorting = _Sorting(ib, data.dtype, extent)
            end = ib.allocate("int64", (), name="end")
            end[()] = te.multiply(extent, 1).astype("int64")
            if counts:
                first_position, *_ = place(0)
                end[()] = _valid(counts[0][first_position], extent)
                with ib.for_range(end[()], extent, "k", dtype="int64") as k:
                    found[place(k)] = k.astype("int32")
            sorting.read(end, lambda k: ordered_bits(given[place(k)], ascending))
            if first is not None:
                sorting.keep_first(end, first)
            sorting.sort(end)
            with ib.for_range(0, end[()] if first is None else first, "k", dtype="int64") as k:
                found[place(k)] = sorting.position(k)

        each_line(ib, data.shape, along, sort_line)

    shape = [first if k == along and first is not None else one for k, one in enumerate(data.shape)]
    inputs = [data] if valid_count is None else [data, valid_count]
    return te.extern(shape, inputs, body, name=f"{operator}_order", dtype="int32")


def _valid(count: Any, extent: Any) -> Any:
    """How many elements of a line are sorted."""
    return te.max(te.min(count.astype("int64"), te.multiply(extent, 1).astype("int64")), 0)


def _by_counting(
    operator: str, data: te.Tensor, along: int, ascending: bool, valid_count: te.Tensor | None
) -> te.Tensor:
    """The positions, where each element counts those that stand before it."""
    extent = data.shape[along]
    keys = te.compute(
        data.shape, lambda *at: ordered_bits(data(*at), ascending), f"{operator}_keys", INJECTIVE
    )
    other = te.reduce_axis((0, extent), "other")

    def stands_before(*at: Any) -> Any:
        k = at[along]
        key, another = keys(*at), keys(*(other if n == along else one for n, one in enumerate(at)))
        found = (another < key) | ((another == key) & (other < k))
        if valid_count is not None:
            end = _valid(valid_count(at[0]), extent)
            found = te.select((k < end) & (other < end), found, other < k)
        return found.astype("int32")

    places = te.compute(
        data.shape, lambda *at: te.sum(stands_before(*at), axis=other), f"{operator}_places"
    )

    @over_buffers
    def body(ib: Any, given: Any, found: Any) -> None:
        def set_line(place: Place) -> None:
            with ib.for_range(0, extent, "k") as k:
                found[place(given[place(k)])] = k

        each_line(ib, data.shape, along, set_line)

    return te.extern(data.shape, [places], body, name=f"{operator}_order", dtype="int32")


def is_before(x: Any, y: Any, ascending: bool = True) -> Any:
    """Whether an element stands before another one that is not equal to it."""
    first, second = (x, y) if ascending else (y, x)
    less = first < second
    return less | ~te.isnan(first) & te.isnan(second) if is_float(first.dtype) else less


def ordered_bits(value: Any, ascending: bool = True) -> Any:
    """An unsigned integer that is less than another one's where a value stands before another."""
    bits = bits_of(value.dtype)
    unsigned = f"uint{bits}"
    if is_float(value.dtype):
        found = te.select(value == 0, te.const(0, unsigned), te.reinterpret(unsigned, value))
        sign = te.const(1 << bits - 1, unsigned)
        found = te.select((found & sign) != 0, ~found, found | sign)
        found = te.select(te.isnan(value), te.max_value(unsigned), found)
    elif is_integer(value.dtype) and not value.dtype.startswith("u"):
        found = te.reinterpret(unsigned, value) ^ te.const(1 << bits - 1, unsigned)
    else:
        found = value.astype(unsigned)
    return found if ascending else ~found


def _digit(key: Any, number: Any) -> Any:
    """Digit `number` of a key, the last one first."""
    digit = key >> te.multiply(number, DIGIT_BITS).astype(key.dtype)
    return (digit & te.const(BUCKETS - 1, key.dtype)).astype("int32")


class _Sorting:
    """Keys with their positions, in two halves of memory: one is read, the other one written."""

    def __init__(self, ib: Any, dtype: str, extent: Any):
        bits = bits_of(dtype)
        self._ib, self._extent = ib, extent
        self._digits = bits // DIGIT_BITS
        self._keys = ib.allocate(f"uint{bits}", (2 * extent,), name="keys")
        self._positions = ib.allocate("int32", (2 * extent,), name="positions")
        self._places = ib.allocate("int32", (self._digits, BUCKETS), name="places")
        self._half = ib.allocate("int64", (), name="half")

    def position(self, k: Any) -> Any:
        """The position of the element that stands at place `k`."""
        return self._positions[self._half[()] + k]

    def read(self, end: Any, key: Callable[[Any], Any]) -> None:
        """Begins with elements in the order of their positions."""
        self._half[()] = 0
        with self._ib.for_range(0, end[()], "k", dtype="int64") as k:
            self._keys[k] = key(k)
            self._positions[k] = k.astype("int32")

    def keep_first(self, end: Any, first: int) -> None:
        """Keeps elements of which the first digit is that of one of the `first`, or less."""
        ib, last = self._ib, self._digits - 1
        self._count(end, [last])
        seen, most = (ib.allocate("int32", (), name=name) for name in ("seen", "most"))
        seen[()] = 0
        most[()] = 0
        with ib.for_range(0, BUCKETS, "bucket") as bucket, ib.if_scope(seen[()] < first):
            seen[()] = seen[()] + self._places[last, bucket]
            most[()] = bucket
        kept = ib.allocate("int64", (), name="kept")
        kept[()] = 0
        with ib.for_range(0, end[()], "k", dtype="int64") as k:
            key = ib.let("key", self._keys[k])
            with ib.if_scope(_digit(key, last) <= most[()]):
                self._keys[kept[()]] = key
                self._positions[kept[()]] = self._positions[k]
                kept[()] = kept[()] + 1
        end[()] = kept[()]

    def sort(self, end: Any) -> None:
        """Sorts by each digit in which elements differ."""
        ib = self._ib
        self._count(end, range(self._digits))
        with ib.for_range(0, self._digits, "digit") as digit, ib.if_scope(end[()] > 1):
            bucket = _digit(self._keys[self._half[()]], digit)
            with ib.if_scope(self._places[digit, bucket] < end[()].astype("int32")):
                self._sort_by(digit, end)

    def _count(self, end: Any, numbers: Sequence[int]) -> None:
        """Counts the keys that have each value of these digits."""
        ib, places = self._ib, self._places
        with ib.for_range(0, BUCKETS, "bucket") as bucket:
            for number in numbers:
                places[number, bucket] = 0
        with ib.for_range(0, end[()], "k", dtype="int64") as k:
            key = ib.let("key", self._keys[k])
            for number in numbers:
                bucket = ib.let("bucket", _digit(key, number))
                places[number, bucket] = places[number, bucket] + 1

    def _sort_by(self, digit: Any, end: Any) -> None:
        """Sorts by one digit, of which the values are counted, into the other half."""
        ib, places = self._ib, self._places
        begin = ib.allocate("int32", (), name="begin")
        begin[()] = 0
        with ib.for_range(0, BUCKETS, "bucket") as bucket:
            count = ib.let("count", places[digit, bucket])
            places[digit, bucket] = begin[()]
            begin[()] = begin[()] + count
        here = ib.let("here", self._half[()])
        there = ib.let("there", te.multiply(self._extent, 1).astype("int64") - here)
        with ib.for_range(0, end[()], "k", dtype="int64") as k:
            key = ib.let("key", self._keys[here + k])
            bucket = ib.let("bucket", _digit(key, digit))
            place = ib.let("place", places[digit, bucket])
            places[digit, bucket] = place + 1
            self._keys[there + place] = key
            self._positions[there + place] = self._positions[here + k]
        self._half[()] = there
