"""`te.bounded`: a gather needs the promised part of a tensor, and gives the same numbers."""

import numpy as np
import pytest

from teloom import Error, build, lower, te


def gathered(lower, upper, dtype="int32"):
    A = te.placeholder((8, 99), name="A")
    at = te.placeholder((8,), dtype, name="at")
    B = te.compute((8, 99), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((8,), lambda i: B[i, te.bounded(at[i], lower(i), upper(i)) * 2 + 1], name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    return s, [A, at, C], B


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "int16", "uint32"])
def test_computes_what_the_promise_leaves(dtype):
    s, args, B = gathered(lambda i: i, lambda i: i + 16, dtype)
    column = te.infer_bounds(s)[B.op.axis[1]]
    assert (str(column.min), column.extent) == ("((i * 2) + 1)", 31)
    a = np.random.default_rng(0).uniform(-1, 1, (8, 99)).astype("float32")
    i = (np.arange(8) + np.array([0, 15, 3, 9, 1, 0, 15, 7])).astype(dtype)
    c = np.empty(8, "float32")
    build(s, args)(a, i, c)
    np.testing.assert_array_equal(c, a[np.arange(8), i.astype(int) * 2 + 1] * 2)


def clamped(at, x, k):
    return te.max(te.min(te.bounded(at[x], 2 * x - 3, 2 * x + 1) + k, 99), 0)


def swapped(at, x, k):
    return te.min(te.max(99 - te.bounded(at[x], 2 * x - 3, 2 * x + 1) - k, 0), 99)


def beside(at, x, k):
    few = te.max(te.min(at[x], 1), 0)
    return te.max(te.bounded(at[x], 2 * x - 3, 2 * x + 1), 0) + few


@pytest.mark.parametrize(
    ("subscript", "extent"),
    [(clamped, 6), (swapped, 6), (beside, 5)],
    ids=["clamped", "swapped", "beside"],
)
def test_a_promise_is_kept_in_arithmetic(subscript, extent):
    A = te.placeholder((100,), name="A")
    at = te.placeholder((50,), "int32", name="at")
    B = te.compute((100,), lambda i: A[i] * 2, name="B")
    k = te.reduce_axis((0, 3), "k")
    C = te.compute((50,), lambda x: te.sum(B[subscript(at, x, k)], axis=k), name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    assert te.infer_bounds(s)[B.op.axis[0]].extent == extent
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, 100).astype("float32")
    i = (np.arange(50) * 2 + rng.integers(-3, 1, 50)).astype("int32")
    c = np.empty(50, "float32")
    build(s, [A, at, C])(a, i, c)
    sums = i[:, None] + np.arange(3)
    elements = {
        clamped: np.clip(sums, 0, 99),
        swapped: np.clip(99 - sums, 0, 99),
        beside: (np.maximum(i, 0) + np.clip(i, 0, 1))[:, None] + 0 * sums,
    }
    np.testing.assert_allclose(c, 2 * a[elements[subscript]].sum(1), rtol=1e-5)


def test_is_a_number_like_others():
    A = te.placeholder((5,), "int32", name="A")
    B = te.compute((5,), lambda i: te.bounded(A[i], 0, 10) * 3, name="B")
    b = np.empty(5, "int32")
    build(te.create_schedule(B), [A, B])(np.arange(5, dtype="int32"), b)
    np.testing.assert_array_equal(b, np.arange(5) * 3)


def test_refuses_floats():
    A = te.placeholder((5,), name="A")
    with pytest.raises(Error, match=r"bounded wants integers, A\[0\] is float32"):
        te.bounded(A[0], 0, 5)


def test_refuses_bounds_from_data():
    A = te.placeholder((5,), "int32", name="A")
    B = te.compute((5,), lambda i: te.bounded(A[i], 0, A[i] + 1), name="B")
    with pytest.raises(Error, match=r"must be affine in axes and sizes, \(A\[i\] \+ 1\) is not"):
        lower(te.create_schedule(B), [A, B])


def test_a_write_that_no_data_can_reach_needs_nothing():
    n, m = te.var("n"), te.var("m")
    B = te.placeholder((m,), "int32", name="B")
    at = te.placeholder((n,), "int32", name="at")
    k = te.reduce_axis((0, m), "k")
    total = te.compute((), lambda: te.sum(B[k], axis=k), name="total")
    zero = te.compute((m,), lambda j: te.const(0, "int32"), name="zero")

    def added(h, p):
        j = te.bounded(at[p], 0, m)
        return (j,), h[j] + total[()]

    h = te.update(zero, (te.reduce_axis((0, n), "p"),), added, name="h")
    run = build(te.create_schedule(h), [n, m, B, at, h])
    for rows, columns in (0, 0), (0, 3), (2, 1), (5, 3):
        b = np.arange(columns, dtype="int32") + 1
        i = np.arange(rows, dtype="int32") % max(columns, 1)
        found, expected = np.empty(columns, "int32"), np.zeros(columns, "int32")
        np.add.at(expected, i, b.sum())
        run(rows, columns, b, i, found)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("choose", [te.select, te.if_then_else])
def test_a_broken_promise_of_what_is_not_used_leaves_the_rest(choose):
    A, at = (te.placeholder((8,), "int32", name=name) for name in ("A", "at"))
    twice = te.compute((8,), lambda i: A[i] * 2, name="twice")
    other = te.compute((8,), lambda i: A[i] + 100, name="other")
    C = te.compute(
        (8,), lambda i: choose(i > 0, twice[te.bounded(at[i], 0, i)], other[i]), name="C"
    )
    a, c = np.arange(8, dtype="int32"), np.empty(8, "int32")
    before = np.maximum(a - 1, 0)
    build(te.create_schedule(C), [A, at, C])(a, before, c)
    np.testing.assert_array_equal(c, np.where(a > 0, 2 * before, 100))
