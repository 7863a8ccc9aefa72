"""Vectors made of lanes of other vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Operation, SSAValue

from teloom.analysis.memory.storage import byte_width
from teloom.passes.lanes.values import vector_type

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


def pick(vectors: Sequence[SSAValue], lanes: Sequence[tuple[int, int]], emit: Emit) -> SSAValue:
    """A vector of lanes of several vectors, as long as each of these.

    Each of `lanes` is the number of a vector and the number of a lane in it.
    """
    first, *others = sorted({number for number, _ in lanes})
    value, known = vectors[first], [lane if number == first else -1 for number, lane in lanes]
    if not others:
        return shuffle(value, value, known, emit)
    for other in others:
        known = [
            len(lanes) + lane if number == other else there
            for (number, lane), there in zip(lanes, known, strict=True)
        ]
        value = shuffle(value, vectors[other], known, emit)
        known = [lane if there >= 0 else -1 for lane, there in enumerate(known)]
    return value


def transpose(rows: Sequence[SSAValue], emit: Emit) -> list[SSAValue]:
    """The columns of a matrix of rows, both powers of two in number, and no more columns than rows.

    Squares that are below each other are transposed side by side, in joined rows. Blocks off the
    diagonal of a square change places, from halves of it down (Eklundh, "A fast computer method for
    matrix transposing", 1972). Blocks of 16 bytes are transposed by interleaving rows, for which
    machines have an instruction.
    """
    type = rows[0].type
    assert isinstance(type, VectorType)
    side, count = type.get_shape()[0], len(rows)
    rows = [_joined(rows[first::side], emit) for first in range(side)]
    group = min(side, max(1, _INTERLEAVED_BYTES // byte_width(type.element_type)))
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
    assert isinstance(one.type, VectorType)
    return shuffle(one, other, [*range(2 * one.type.get_shape()[0])], emit)


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
