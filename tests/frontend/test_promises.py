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
