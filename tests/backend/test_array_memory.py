"""Where the elements of arrays are: every one counted, beside what is computed."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teloom.backend.call.array_memory import (
    address,
    bytes_before,
    bytes_reached,
    element_strides,
    laid_out,
    overlaps_itself,
)

axes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=4)


def strided(axes: list[tuple[int, int]]) -> np.ndarray:
    shape, strides = [extent for extent, _ in axes], [2 * stride for _, stride in axes]
    return np.lib.stride_tricks.as_strided(np.zeros(200, np.int16), shape, strides)


def positions(array: np.ndarray) -> list[int]:
    """In elements, of every element."""
    points = itertools.product(*map(range, array.shape))
    strides = [stride // array.itemsize for stride in array.strides]
    return [sum(c * s for c, s in zip(point, strides, strict=True)) for point in points]


@given(axes)
def test_elements_meet_exactly_where_two_are_at_one_position(axes: list[tuple[int, int]]):
    array = strided(axes)
    found = positions(array)
    assert overlaps_itself(array) == (len(set(found)) < len(found))


@given(axes)
def test_bytes_reached(axes: list[tuple[int, int]]):
    array = strided(axes)
    assert bytes_reached(array) == (max(positions(array), default=-1) + 1) * array.itemsize


@given(axes, st.integers(0, 5), st.sampled_from([1, 2, 64, 4096]))
def test_laid_out(axes: list[tuple[int, int]], offset: int, alignment: int):
    strides = tuple(stride for _, stride in axes)
    values = np.full([extent for extent, _ in axes], 7, np.int16)
    view = laid_out(values, strides, offset, alignment)
    np.testing.assert_array_equal(view, values)
    assert bytes_before(view) == 2 * offset
    assert (address(view) - 2 * offset) % alignment == 0
    known = [stride if extent > 1 and view.size else None for extent, stride in axes]
    assert list(element_strides(view)) == known


def test_the_memory_is_that_of_the_array_which_owns_it():
    memory = np.zeros((8, 10), np.float32)
    row = memory[3:6, 2:].T[1:]
    assert bytes_before(memory) == 0
    assert bytes_before(row) == 4 * (3 * 10 + 3)
    assert bytes_before(np.broadcast_to(memory[2], (5, 10))) == 4 * 20
    assert bytes_before(np.frombuffer(memory.data[2:], np.float32)) == 0


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(8)[::-1], "the negative stride -8 on axis 0"),
        (np.zeros(4, "i2,i4")["f1"], "stride 6 on axis 0, no multiple of its 4-byte elements"),
    ],
)
def test_strides_that_no_buffer_has(array: np.ndarray, words: str):
    with pytest.raises(ValueError, match=words):
        element_strides(array)
