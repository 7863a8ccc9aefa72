"""Vectorized reduce axes: partial results per lane give what one after the other gives."""

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te

argmax = te.comm_reducer(
    lambda x, y: (te.select(x[1] >= y[1], x[0], y[0]), te.select(x[1] >= y[1], x[1], y[1])),
    lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
    name="argmax",
)

REDUCERS = {
    "sum": (te.sum, np.sum),
    "prod": (te.prod, np.prod),
    "min": (te.min, np.min),
    "max": (te.max, np.max),
}
DTYPES = ("float32", "float64", "float16", "int8", "uint16", "int32", "int64", "uint64")
SIZES = (1, 2, 3, 15, 16, 17, 64, 100, 129)


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Whole numbers, so small that floats add and multiply them exactly."""
    return np.random.default_rng(sum(shape)).integers(1, 3, shape).astype(dtype)


def row_reduction(reducer, rows: int, length, dtype: str, factor: int | None = None):
    """Each row is folded by lanes; with a factor by those of the inner axis of a split."""
    A = te.placeholder((rows, length), dtype, name="A")
    k = te.reduce_axis((0, length), "k")
    C = te.compute((rows,), lambda i: reducer(A[i, k], axis=k), name="C")
    s = te.create_schedule(C.op)
    s[C].vectorize(k if factor is None else s[C].split(k, factor)[1])
    return teloom.build(s, [A, C])


@pytest.mark.parametrize(("name", "dtype", "size"), each([*REDUCERS], DTYPES, SIZES))
def test_of_rows(name: str, dtype: str, size: int):
    reducer, expected = REDUCERS[name]
    a = numbers((3, size), dtype)
    if name == "prod":
        a[:, 5:] = 1
    c = np.empty(3, dtype)
    row_reduction(reducer, 3, size, dtype)(a, c)
    wanted = expected(a, axis=1, dtype=dtype) if name in ("sum", "prod") else expected(a, axis=1)
    np.testing.assert_array_equal(c, wanted)


@pytest.mark.parametrize("factor", [None, 1, 5, 16, 24])
def test_of_a_length_known_at_the_call(factor: int | None):
    sums = row_reduction(te.sum, 2, te.var("n"), "float32", factor)
    for size in (0, 1, 7, 16, 33, 63, 64, 200):
        a = numbers((2, size), "float32")
        c = np.empty(2, "float32")
        sums(a, c)
        np.testing.assert_array_equal(c, a.sum(axis=1))


@pytest.mark.parametrize("size", [1, 9, 64, 83])
def test_of_pairs(size: int):
    A = te.placeholder((4, size), "float32", name="A")
    k = te.reduce_axis((0, size), "k")
    at, most = te.compute((4,), lambda i: argmax((k, A[i, k]), axis=k), name="T")
    s = te.create_schedule(at.op)
    s[at].vectorize(k)
    largest = teloom.build(s, [A, at, most])
    a = np.random.default_rng(size).permuted(np.arange(4.0 * size).reshape(4, size), axis=1)
    a = a.astype("float32")
    i, v = np.empty(4, at.dtype), np.empty(4, "float32")
    largest(a, i, v)
    np.testing.assert_array_equal(i, a.argmax(axis=1))
    np.testing.assert_array_equal(v, a.max(axis=1))


@pytest.mark.parametrize("reducer", [te.any, te.all])
def test_of_truth_values(reducer):
    row = row_reduction(reducer, 64, 37, "bool")
    a = np.random.default_rng(1).random((64, 37)) < np.linspace(0, 1, 64)[:, None]
    c = np.empty(64, "bool")
    row(a, c)
    np.testing.assert_array_equal(c, getattr(np, reducer.__name__)(a, axis=1))


@pytest.mark.parametrize(("rows", "columns", "depth"), [(8, 8, 32), (7, 5, 33), (1, 1, 1)])
def test_of_a_tile(rows: int, columns: int, depth: int):
    A = te.placeholder((rows, depth), "float32", name="A")
    B = te.placeholder((columns, depth), "float32", name="B")
    k = te.reduce_axis((0, depth), "k")
    C = te.compute((rows, columns), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
    s = te.create_schedule(C.op)
    io, jo, ii, ji = s[C].tile(*C.op.axis, 4, 2)
    ko, ki = s[C].split(k, 8)
    s[C].reorder(io, jo, ko, ii, ji, ki)
    s[C].vectorize(ki)
    product = teloom.build(s, [A, B, C])
    a, b = numbers((rows, depth), "float32"), numbers((columns, depth), "float32")
    c = np.empty((rows, columns), "float32")
    product(a, b, c)
    np.testing.assert_array_equal(c, a @ b.T)


def test_of_a_part_and_from_a_start():
    n = te.var("n")
    A = te.placeholder((n, n), "int32", name="A")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((n,), lambda i: te.sum(A[i, k], k, where=k < i, init=A[i, 0]), name="C")
    s = te.create_schedule(C.op)
    s[C].vectorize(k)
    lower = teloom.build(s, [A, C])
    for size in (1, 2, 40):
        a = numbers((size, size), "int32")
        c = np.empty(size, "int32")
        lower(a, c)
        np.testing.assert_array_equal(c, np.tril(a, -1).sum(axis=1) + a[:, 0])
