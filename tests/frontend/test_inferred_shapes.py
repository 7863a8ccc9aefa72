"""Stages without a shape: it is what their readers read, in coordinates of their own."""

import numpy as np
import pytest

import teloom
from teloom import te

n, m = te.var("n"), te.var("m")
A = te.placeholder((n, m), name="A")


def padded(i, j):
    return te.if_then_else(te.all(i >= 0, i < n, j >= 0, j < m), A[i, j], 0.0)


def blur():
    P = te.compute(None, padded, name="P")
    B = te.compute(None, lambda y, x: P[y - 1, x] + P[y, x] + P[y + 1, x], name="B")
    C = te.compute((n, m), lambda y, x: B[y, x - 1] + B[y, x] + B[y, x + 2], name="C")
    return P, B, C


def test_chains_of_them():
    P, B, C = blur()
    s = te.create_schedule(C)
    text = teloom.lower(s, [A, C], level="te")
    assert '"P" (%i = -1 to %n + 1, %j = -1 to %m + 2) : tensor<?x?xf32>' in str(text)
    assert '"B" (%y = %n, %x = -1 to %m + 2) : tensor<?x?xf32>' in str(text)
    _, xo, _, xi = s[C].tile(*C.op.axis, 8, 8)
    s[C].vectorize(xi)
    for stage in (B, P):
        s[stage].compute_at(s[C], xo)
    f = teloom.build(s, [A, C], name="blur")
    for shape in [(9, 12), (1, 1), (0, 4)]:
        a = np.random.default_rng(0).integers(0, 9, shape).astype("float32")
        f(a, c := np.full(shape, np.nan, "float32"))
        p = np.pad(a, ((1, 1), (1, 2)))
        b = p[:-2] + p[1:-1] + p[2:]
        np.testing.assert_array_equal(c, b[:, :-3] + b[:, 1:-2] + b[:, 3:])


def test_constant_shapes_and_several_readers():
    T = te.compute(None, lambda *at: at[0] * 10 + at[1], name="T", varargs_names=["i", "j"])
    k = te.reduce_axis((0, 3), "k")
    R = te.compute((4,), lambda i: te.sum(T[i + k, 7], axis=k), name="R")
    C = te.compute((5, 2), lambda i, j: T[i - 2, 8 - j] + R[te.min(i, 3)], name="C")
    s = te.create_schedule(C)
    assert '"T" (%i = -2 to 6, %j = 7 to 9) : tensor<8x2xi32>' in str(s.module)
    assert (str(T.shape), str(T)) == ("(?, ?)", "Tensor(shape=[?, ?], dtype=int32, name=T)")
    teloom.build(s, [C])(c := np.empty((5, 2), "int32"))
    i, j = np.indices((5, 2))
    r = np.array([sum((i + k) * 10 + 7 for k in range(3)) for i in range(4)])
    np.testing.assert_array_equal(c, (i - 2) * 10 + 8 - j + r[np.minimum(i, 3)])


def test_refusals():
    P, _, _ = blur()
    with pytest.raises(teloom.Error, match="'P' is an output, so no reader says its shape"):
        te.create_schedule(P)
    at = te.placeholder((n,), "int32", name="at")
    C = te.compute((n,), lambda i: P[at[i], 0], name="C")
    with pytest.raises(teloom.Error, match="what is read of 'P' has no bounds, so it has no shape"):
        te.create_schedule(C)
    near = te.compute((n,), lambda i: P[te.bounded(at[i], 0, 4), 0], name="near")
    assert '"P" (%i = 4, %j = 1)' in str(te.create_schedule(near).module)
    with pytest.raises(teloom.Error, match=r"has no shape, and \*at says no number of axes"):
        te.compute(None, lambda *at: at[0], name="Q")
