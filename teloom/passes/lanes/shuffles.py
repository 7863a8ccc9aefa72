"""Vectors made of lanes of other vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from typing import NamedTuple

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Operation, SSAValue

from teloom.analysis.memory.storage import byte_width
from teloom.dialects.upstream.vector import vector_type

Emit = Callable[[Operation], SSAValue]
"""A function that writes an op and returns its result."""


def shuffle(one: SSAValue, other: SSAValue, lanes: Sequence[int], emit: Emit) -> SSAValue:
    """A vector of lanes of `one` and `other`, numbered through both; -1 stands for any value."""
    assert isinstance(one.type, VectorType)
    type = vector_type(one.type.element_type, len(lanes))
    said = {"mask": _mask(tuple(lanes))}
    return emit(
        vector.ShuffleOp.create(operands=(one, other), result_types=(type,), properties=said)
    )


@cache
def _mask(lanes: tuple[int, ...]) -> DenseArrayBase:
    """The lanes as an attribute. It is cached: to make one takes longer than to make the op."""
    return DenseArrayBase.from_list(i64, lanes)


class _Lanes(NamedTuple):
    """Lanes of a result that a vector has, each with the lane in which it has it."""

    vector: SSAValue
    places: Mapping[int, int]


def pick(vectors: Sequence[SSAValue], lanes: Sequence[tuple[int, int]], emit: Emit) -> SSAValue:
    """A vector of lanes of several vectors of one length, which is no longer than the result.

    Each of `lanes` is the number of a vector and the number of a lane in it.
    """
    places = defaultdict[int, dict[int, int]](dict)
    for lane, (number, place) in enumerate(lanes):
        places[number][lane] = place
    parts = [_Lanes(vectors[number], places[number]) for number in sorted(places)]
    if len(parts) == 1 or _length(vectors[0]) < len(lanes):
        pairs = (parts[first : first + 2] for first in range(0, len(parts), 2))
        parts = [_joined_lanes(pair, len(lanes), emit) for pair in pairs]
    return reduce(lambda one, other: _joined_lanes([one, other], len(lanes), emit), parts).vector


def _joined_lanes(parts: Sequence[_Lanes], count: int, emit: Emit) -> _Lanes:
    """What one or two vectors have, as one vector of all lanes."""
    found = [-1] * count
    for number, part in enumerate(parts):
        for lane, place in part.places.items():
            found[lane] = number * _length(part.vector) + place
    value = shuffle(parts[0].vector, parts[-1].vector, found, emit)
    return _Lanes(value, {lane: lane for part in parts for lane in part.places})


def _length(vector: SSAValue) -> int:
    assert isinstance(vector.type, VectorType)
    return vector.type.get_shape()[0]


def transpose(rows: Sequence[SSAValue], emit: Emit) -> list[SSAValue]:
    """The columns of a matrix of rows, both powers of two in number, and no more columns than rows.

    Squares that are below each other are transposed side by side, in joined rows. Blocks off the
    diagonal of a square change places, from halves of it down (Eklundh, "A fast computer method for
    matrix transposing", 1972). Blocks of 16 bytes are transposed by interleaving rows, for which
    machines have an instruction.
    """
    side, count = _length(rows[0]), len(rows)
    rows = [_joined(rows[first::side], emit) for first in range(side)]
    group = min(side, max(1, _INTERLEAVED_BYTES // byte_width(rows[0].type.element_type)))  # pyright: ignore
    size = side // 2
    while size >= group:
        for number in (k for k in range(side) if not k & size):
            one, other = rows[number], rows[number + size]
            upper = [count + k - size if k & size else k for k in range(count)]
            lower = [count + k if k & size else k + size for k in range(count)]
            rows[number] = shuffle(one, other, upper, emit)
            rows[number + size] = shuffle(one, other, lower, emit)
        size //= 2
    blocks = (rows[first : first + group] for first in range(0, side, group))
    return [column for block in blocks for column in _interleave(block, count, emit)]


def _joined(vectors: Sequence[SSAValue], emit: Emit) -> SSAValue:
    """Vectors one behind the other, their number a power of two."""
    if len(vectors) == 1:
        return vectors[0]
    half = len(vectors) // 2
    one, other = _joined(vectors[:half], emit), _joined(vectors[half:], emit)
    return shuffle(one, other, [*range(2 * _length(one))], emit)


_INTERLEAVED_BYTES = 16


def _interleave(rows: list[SSAValue], count: int, emit: Emit) -> list[SSAValue]:
    """Transposes the blocks of as many lanes as there are rows, side by side in `count` lanes."""
    group = len(rows)
    # In each block, the lanes of two rows in turn, of its first half or of its second one.
    first = [k - k % group + k % group // 2 + count * (k % 2) for k in range(count)]
    second = [lane + group // 2 for lane in first]
    for _ in range(group.bit_length() - 1):
        pairs = zip(rows[: group // 2], rows[group // 2 :], strict=True)
        rows = [shuffle(*pair, lanes, emit) for pair in pairs for lanes in (first, second)]
    return rows
