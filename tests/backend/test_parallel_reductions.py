"""Reductions along a parallel axis: the numbers of serial ones, for any number of threads."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.driver.function import Function

THREADS = (1, 2, 7)
SHAPES = ((0, 3), (3, 0), (1, 1), (5, 17), (64, 7), (130, 33))

n, m = te.var("n"), te.var("m")


def results(function: Function, arrays: Sequence[np.ndarray], *like: np.ndarray):
    """What it computes, which is the same for all numbers of threads."""
    found: list[list[np.ndarray]] = []
    for count in THREADS:
        with teloom.num_threads(count):
            outputs = [np.full_like(one, 7) for one in like]
            function(*arrays, *outputs)
            found.append(outputs)
    for outputs in found[1:]:
        assert [one.tobytes() for one in outputs] == [one.tobytes() for one in found[0]]
    return found[0]


def rows_first(s, C) -> None:
    s[C].reorder(C.op.reduce_axis[0], C.op.axis[0])
    s[C].parallel(C.op.reduce_axis[0])
    s[C].vectorize(C.op.axis[0])


def tiles(s, C) -> None:
    outer, inner = s[C].split(C.op.axis[0], nparts=3)
    rows, row = s[C].split(C.op.reduce_axis[0], 4)
    s[C].reorder(rows, outer, row, inner)
    s[C].parallel(rows, chunk="dynamic")


def lanes(s, C) -> None:
    rows, row = s[C].split(C.op.reduce_axis[0], nparts=5)
    s[C].parallel(rows)
    s[C].vectorize(row)


@pytest.mark.parametrize("schedule", [rows_first, tiles, lanes])
def test_sums_of_columns(schedule: Callable):
    A, D = te.placeholder((n, m), name="A"), te.placeholder((m,), name="D")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((m,), lambda j: te.sum(A[k, j], axis=k, init=D[j]), name="C")
    s = te.create_schedule(C)
    schedule(s, C)
    sums = teloom.build(s, [A, D, C], name="sums")
    for shape in SHAPES:
        a = np.random.default_rng(0).integers(-9, 9, shape).astype("float32")
        d = np.arange(shape[1], dtype="float32")
        (c,) = results(sums, [a, d], d)
        np.testing.assert_array_equal(c, a.sum(0) + d)


def test_the_first_of_the_largest_of_a_fused_axis():
    """A combiner that takes the first of two equal ones: chunks keep the order of the terms."""
    A = te.placeholder((n, m), "int32", name="A")
    k, l = te.reduce_axis((0, n), "k"), te.reduce_axis((0, m), "l")  # noqa: E741

    def larger(x, y):
        is_first = x[1] >= y[1]
        return te.select(is_first, x[0], y[0]), te.select(is_first, x[1], y[1])

    def nothing(where, what):
        return te.const(-1, where), te.min_value(what)

    largest = te.comm_reducer(larger, nothing, name="largest")
    where, most = te.compute((), lambda: largest((k * m + l, A[k, l]), axis=[k, l]), name="C")
    s = te.create_schedule(where.op)
    s[where].parallel(s[where].split(s[where].fuse(k, l), 3)[0])
    find = teloom.build(s, [A, where, most], name="find")
    for shape in SHAPES:
        a = np.random.default_rng(1).integers(0, 5, shape).astype("int32")
        at, value = results(find, [a], np.zeros((), where.dtype), np.zeros((), "int32"))
        if a.size:
            assert (at, value) == (a.argmax(), a.max())
        else:
            assert (at, value) == (-1, np.iinfo("int32").min)


def test_products_in_tiles_with_what_they_read():
    """Partial results of a tile; what is computed in a chunk's iterations is each thread's."""
    A, B = te.placeholder((n, m), name="A"), te.placeholder((m, n), name="B")
    k = te.reduce_axis((0, m), "k")
    more = te.compute((n, m), lambda i, j: A[i, j] + 1, name="more")
    C = te.compute((n, n), lambda i, j: te.sum(more[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 8)
    ko, ki = s[C].split(k, 4)
    s[C].reorder(ko, io, jo, ki, ii, ji)
    s[more].compute_at(s[C], io)
    s[C].unroll(ii)
    s[C].vectorize(ji)
    s[C].parallel(ko)
    s[C].parallel(io)
    multiply = teloom.build(s, [A, B, C], name="multiply")
    for rows, inner in SHAPES:
        random = np.random.default_rng(2)
        a = random.integers(-9, 9, (rows, inner)).astype("float32")
        b = random.integers(-9, 9, (inner, rows)).astype("float32")
        (c,) = results(multiply, [a, b], np.zeros((rows, rows), "float32"))
        np.testing.assert_array_equal(c, (a + 1) @ b)
