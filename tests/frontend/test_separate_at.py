"""`separate_at`: the same numbers by several loops."""

import numpy as np
import pytest

import teloom
from teloom import te


def bordered(size, change):
    """Sums of neighbours, where both are there."""
    A = te.placeholder((size, 3), name="A")
    B = te.compute(
        (size, 3),
        lambda i, j: te.if_then_else(
            te.all(i >= 2, i < size - 2), A[i - 2, j] + A[i + 2, j], A[i, j]
        ),
        name="B",
    )
    s = te.create_schedule(B)
    change(s[B], *B.op.axis)
    return teloom.build(s, [A, B])


def check(f, size: int) -> None:
    a = np.random.default_rng(size).random((size, 3), "float32")
    b = np.empty_like(a)
    f(a, b)
    expected = a.copy()
    if size > 4:
        expected[2:-2] = a[:-4] + a[4:]
    np.testing.assert_array_equal(b, expected)


def ends(stage, i, j):
    stage.separate_at(i, 2)
    stage.separate_at(i, 11)


def twice_the_same(stage, i, j):
    ends(stage, i, j)
    stage.separate_at(i, 2)


def on_threads(stage, i, j):
    stage.separate_at(i, 2)
    stage.parallel(i)


def lanes(stage, i, j):
    stage.reorder(j, i)
    stage.vectorize(i)
    ends(stage, i, j)


def tiles(stage, i, j):
    outer, _ = stage.split(i, factor=4)
    stage.separate_at(outer, 1)


@pytest.mark.parametrize("change", [ends, twice_the_same, on_threads, lanes, tiles])
def test_the_same_numbers(change):
    f = bordered(te.size_var("n"), change)
    for size in (1, 2, 3, 5, 11, 12, 13, 64):
        check(f, size)
    check(bordered(13, change), 13)


def test_terms_of_a_sum():
    A, k = te.placeholder((5, 9), name="A"), te.reduce_axis((0, 9), "k")
    B = te.compute((5,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B)
    s[B].separate_at(k, 4)
    text = str(teloom.lower(s, [A, B], level="loop"))
    assert "loop.for %k = 0 to 4" in text
    assert "loop.for %k_1 = 4 to 9" in text
    a, b = np.random.default_rng(0).random((5, 9), "float32"), np.empty(5, "float32")
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_allclose(b, a.sum(1), rtol=1e-6)


def test_a_loop_that_is_split_later():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1, name="B")
    s = te.create_schedule(B)
    s[B].separate_at(B.op.axis[0], 3)
    s[B].split(B.op.axis[0], factor=4)
    message = 'axis i is separated at 3, and then .*; loops of "B": i.outer, i.inner'
    with pytest.raises(teloom.ScheduleError, match=message):
        teloom.lower(s, [A, B])
    with pytest.raises(teloom.ScheduleError, match="point of separate_at must be an integer"):
        te.create_schedule(B)[B].separate_at(B.op.axis[0], "middle")
