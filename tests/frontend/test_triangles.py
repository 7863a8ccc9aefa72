"""Reduce axes whose bounds are over other axes, beside NumPy and beside the interpreter."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

n = te.var("n")
A = te.placeholder((n, n), "float64", name="A")
B = te.placeholder((n, n), "float64", name="B")


def lower_product(i, j):
    k = te.reduce_axis((0, i + 1), "k")
    return te.sum(A[i, k] * B[k, j], axis=k)


def scheduled():
    """Both, the first in tiles of a cache, the second with its rows of A computed in its loops."""
    C = te.compute((n, n), lower_product, name="C")
    twice = te.compute((n, n), lambda i, j: A[i, j] * 2, name="twice")

    def sums(i):
        k = te.reduce_axis((i // 2, n), "k")
        m = te.reduce_axis((k, n - i), "m")
        return te.max(twice[k, m], axis=[k, m])

    D = te.compute((n,), sums, name="D")
    s = te.create_schedule([C, D])
    cache = s.cache_write(C, "local")
    _, jo, _, ji = s[C].tile(*C.op.axis, 4, 8)
    s[C].vectorize(ji)
    s[cache].compute_at(s[C], jo)
    (i, j), (k,) = cache.op.axis, cache.op.reduce_axis
    s[cache].reorder(k, i, j)
    s[cache].vectorize(j)
    (i,), (k, m) = D.op.axis, D.op.reduce_axis
    s[D].parallel(i)
    ko, ki = s[D].split(k, 4)
    s[D].reorder(ko, m, ki)
    s[twice].compute_at(s[D], ko)
    return s, C, D


def test_numbers():
    s, C, D = scheduled()
    f = teloom.build(s, [A, B, C, D], name="triangles")
    for size in (0, 1, 2, 5, 8, 13):
        a, b = np.random.default_rng(size).random((2, size, size))
        c, d = np.full((size, size), np.nan), np.full(size, np.nan)
        f(a, b, c, d)
        np.testing.assert_allclose(c, np.tril(a) @ b)
        expected = np.full(size, -np.inf)
        for i in range(size):
            rows = [2 * a[k, k : size - i] for k in range(i // 2, size)]
            expected[i] = max((row.max() for row in rows if row.size), default=-np.inf)
        np.testing.assert_array_equal(d, expected)
        results = interpret(s.module, "main", [a, b], [size])
        np.testing.assert_allclose(c, results[0])
        np.testing.assert_array_equal(d, results[1])


def test_bounds_over_other_axes_alone():
    """A reduce axis is made where the axes are that its bounds are over."""
    outside = []
    te.compute((4,), lambda i: outside.append(i) or A[i, i], name="other")
    k = te.reduce_axis((0, outside[0] + 1), "k")
    with pytest.raises(teloom.Error, match="'S' uses axis i, which is not one of its axes"):
        te.compute((4,), lambda i: te.sum(A[i, k], axis=k), name="S")
    m = te.reduce_axis((0, k), "m")
    with pytest.raises(teloom.Error, match="'S' uses axis k, which is not one of its axes"):
        te.compute((4,), lambda i: te.sum(A[i, m], axis=m), name="S")
    S = te.compute((4,), lambda i: te.sum(A[i, i], axis=te.reduce_axis((0, i * i))), name="S")
    with pytest.raises(teloom.Error, match=r"is not affine in its axes and sizes; .*by where="):
        teloom.lower(te.create_schedule(S), [A, S])


def test_a_tile_of_what_a_band_reads_at_remainders():
    """The places that the tile needs are said by their own remainders: bounds follow from these."""
    size = 7
    P = te.placeholder((2 * size + 60,), "int64", name="P")
    moved = te.compute(P.shape, lambda i: P[i] + 1, name="moved")

    def band(i):
        k = te.reduce_axis((i - 1, i), "k")
        return te.sum(te.if_then_else(i + 2 * k + 4 >= 0, moved[i % 4 + k + 50], 0), axis=k)

    S = te.compute((size + 2,), band, name="S")
    D = te.compute((size,), lambda i: S[i] * 2, name="D")
    s = te.create_schedule(D)
    outer, _ = s[D].split(D.op.axis[0], factor=2)
    s[S].compute_at(s[D], outer)
    s[moved].compute_at(s[D], outer)
    p = np.arange(2 * size + 60) ** 2 % 101
    teloom.build(s, [P, D])(p, d := np.full(size, -1))
    wanted = [(p[i % 4 + i + 49] + 1) * 2 if 3 * i + 2 >= 0 else 0 for i in range(size)]
    np.testing.assert_array_equal(d, wanted)
