"""Equations that have a part of the elements of their shape: triangles, bands, diagonals."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import InterpretError, interpret

n, w = te.var("n"), te.var("w")
A = te.placeholder((n, n), "float64", name="A")
B = te.placeholder((n, n), "float64", name="B")
x = te.placeholder((n,), "float64", name="x")

NOTHING = 77.0


def lower(i, j):
    return j <= i


def band(i, j):
    return [i - j <= 2, te.all(j - i <= 1, j - i > -3)]


def product(i, j):
    k = te.reduce_axis((j, i + 1), "k")
    return te.sum(A[i, k] * B[k, j], axis=k)


def products():
    """Lower times lower, in rows of a cache, with columns in vectors; threads have rows."""
    C = te.compute((n, n), product, name="C", domain=lower)
    s = te.create_schedule(C)
    cache = s.cache_write(C, "local")
    io, ii = s[C].split(C.op.axis[0], 4)
    s[C].parallel(io)
    s[cache].compute_at(s[C], ii)
    (_, j), (k,) = cache.op.axis, cache.op.reduce_axis
    s[cache].reorder(k, j)
    s[cache].vectorize(j)
    return s, [A, B, C], lambda a, b: np.tril(np.tril(a) @ np.tril(b)), np.tril_indices


def rows_of_bands():
    """A band, which is a temporary in rows of its reader, and the reader in another band."""
    T = te.compute((n, n), lambda i, j: A[i, j] * 2, name="T", domain=band)
    D = te.compute((n, n), lambda i, j: T[i, j] + B[j, i], name="D", domain=band)
    s = te.create_schedule(D)
    s[D].vectorize(D.op.axis[1])
    s[T].compute_at(s[D], D.op.axis[0])

    def where(size):
        i, j = np.indices((size, size))
        return np.nonzero((i - j <= 2) & (j - i <= 1))

    return s, [A, B, D], lambda a, b: 2 * a + b.T, where


def partial_sums():
    """Partial results of a triangle, at every other diagonal, with an epilogue as their start."""

    def row(i, j):
        k = te.reduce_axis((0, n), "k")
        return te.sum(A[i, k] * B[k, j], axis=k)

    def where(i, j):
        return [(i + j) % 2 == 0, i >= j]

    S = te.compute((n, n), row, name="S", domain=where)
    E = te.compute((n, n), lambda i, j: S[i, j] + A[j, i], name="E", domain=where)
    s = te.create_schedule(E)
    s[S].fuse_reduction_epilogue(s[E])
    outer, _ = s[S].split(S.op.reduce_axis[0], 4)
    s.rfactor(S, outer)

    def of_numpy(size):
        i, j = np.indices((size, size))
        return np.nonzero(((i + j) % 2 == 0) & (i >= j))

    return s, [A, B, E], lambda a, b: a @ b + a.T, of_numpy


@pytest.mark.parametrize("program", [products, rows_of_bands, partial_sums])
def test_numbers(program):
    """Elements are those of NumPy, and what the array has elsewhere stays."""
    s, tensors, expected, where = program()
    f = teloom.build(s, tensors, name="parts")
    for size in (0, 1, 2, 5, 13):
        a, b = np.random.default_rng(size).random((2, size, size))
        f(a, b, found := np.full((size, size), NOTHING))
        full = np.full((size, size), NOTHING)
        full[where(size)] = expected(a, b)[where(size)]
        np.testing.assert_allclose(found, full)
        (result,) = interpret(s.module, "main", [a, b], [size])
        full[full == NOTHING] = 0
        np.testing.assert_allclose(result, full)


def test_bands_of_any_width():
    """The width of a band is a size, and its matrix times a vector runs through it alone."""
    M = te.compute((n, n), lambda i, j: A[i, j] * 2, name="M", domain=lambda i, j: [i - j <= w])

    def times(i):
        k = te.reduce_axis((0, n), "k")
        return te.sum(te.if_then_else(i - k <= w, M[i, k], 0.0) * x[k], axis=k)

    y = te.compute((n,), times, name="y", domain=lambda i: i >= 1)
    f = teloom.build(te.create_schedule(y), [n, w, A, x, y], name="banded")
    for size, width in ((0, 0), (1, 3), (7, 0), (7, 2), (9, 20)):
        a, v = np.random.default_rng(size).random((2, size, size))
        v = v[:1].reshape(-1)
        f(size, width, a, v, found := np.full(size, NOTHING))
        np.testing.assert_allclose(found[1:], 2 * np.triu(a, -width)[1:] @ v)
        assert (found[:1] == NOTHING).all()


def test_a_scalar_for_some_sizes():
    """A domain over sizes alone: the only element is there, or not."""
    last = te.compute((), lambda: x[2], name="last", domain=lambda: n >= 3)
    y = te.compute((n,), lambda i: x[i] + te.if_then_else(n >= 3, last[()], 0.0), name="y")
    s = te.create_schedule(y)
    f = teloom.build(s, [x, y], name="scalar")
    for size in (0, 2, 3, 5):
        v = np.arange(1.0, size + 1)
        f(v, found := np.empty(size))
        np.testing.assert_array_equal(found, v + (3 if size >= 3 else 0))
        np.testing.assert_array_equal(interpret(s.module, "main", [v], [size])[0], found)


def test_reads_outside():
    """Elements outside of the domain are refused, also of a stage that is inlined."""
    L = te.compute((n, n), lambda i, j: A[i, j] * 2, name="L", domain=lower)
    C = te.compute((n, n), lambda i, j: L[j, i] + 1, name="C")
    words = r'stage "C" at \[1, 0\] reads L\[0, 1\], but L has elements only where i - j >= 0'
    for inlined in (False, True):
        s = te.create_schedule(C)
        if inlined:
            s[L].compute_inline()
        with pytest.raises(teloom.Error, match=words):
            teloom.lower(s, [A, C])
    with pytest.raises(InterpretError, match=r"%L has no element \[0, 1\] in its domain"):
        interpret(te.create_schedule(C).module, "main", [np.ones((2, 2))], [2])


def test_reads_that_data_says_are_outside():
    K = te.placeholder((n,), "int32", name="K")
    L = te.compute((n, n), lambda i, j: A[i, j] * 2, name="L", domain=lower)
    C = te.compute((n,), lambda i: L[i, K[i]], name="C")
    words = r'stage "C" at \[0\] reads L\[0, 1\], but L has elements only where i - j >= 0'
    with pytest.raises(teloom.Error, match=words):
        teloom.lower(te.create_schedule(C), [A, K, C])


def test_inlined_where_it_is_read():
    """What a reader that is a triangle, too, and an update read, is inside."""
    L = te.compute((n, n), lambda i, j: A[i, j] * 2, name="L", domain=lower)

    def rows(i):
        k = te.reduce_axis((0, i + 1), "k")
        return te.sum(L[i, k], axis=k)

    R = te.compute((n,), rows, name="R")
    i = te.reduce_axis((0, n), "i")
    j = te.reduce_axis((0, i + 1), "j")
    U = te.update(R, (i, j), lambda h, i, j: ((j,), h[j] + L[i, j]), name="U")
    s = te.create_schedule(U)
    s[L].compute_inline()
    a = np.random.default_rng(0).random((6, 6))
    teloom.build(s, [A, U], name="inlined")(a, found := np.empty(6))
    np.testing.assert_allclose(found, 2 * np.tril(a).sum(1) + 2 * np.tril(a).sum(0))


def test_commands_that_want_boxes():
    S = te.compute((8, 8), lambda i, j: A[i, j], name="S", domain=lower)
    s = te.create_schedule(S)
    s[S].blockize(S.op.axis[1])
    with pytest.raises(teloom.Error, match="its domain is no box"):
        teloom.lower(s, [A, S])
    P = te.compute(
        (n, n), lambda i, j: te.if_then_else(i < n - 1, A[i, j], 0.0), name="P", domain=lower
    )
    s = te.create_schedule(P)
    s[P].decompose_padding()
    with pytest.raises(teloom.Error, match="its domain is no box"):
        teloom.lower(s, [A, P])
    R = te.compute((n, n), product, name="R", domain=lower)
    E = te.compute((n, n), lambda i, j: R[i, j] + A[i, j], name="E", domain=lambda i, j: j < i)
    s = te.create_schedule(E)
    s[R].fuse_reduction_epilogue(s[E])
    with pytest.raises(teloom.Error, match="its domain is another"):
        teloom.lower(s, [A, B, E])


def test_caches_have_the_domain():
    S = te.compute((n, n), lambda i, j: A[i, j], name="S", domain=lower)
    C = te.compute((n, n), lambda i, j: S[i, j], name="C", domain=lower)
    s = te.create_schedule(C)
    copy = s.cache_read(S, "shared", [C])
    written = s.cache_write(C, "local")
    assert [str(one) for one in copy.op.domain] == ["(ax1 <= ax0)"]
    assert [str(one) for one in written.op.domain] == ["(j.c <= i.c)"]
    text = str(teloom.lower(s, [A, C], level="schedule"))
    assert text.count("where (") == 4
    assert te.explain(s, "maps").count("0 <= j <= i") >= 4


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (lambda i, j: i * j <= 4, r"\(\(i \* j\) <= 4\) is no comparison of affine"),
        (
            lambda i, j: te.any(i < j, j < i),
            "give one condition after the other in place of",
        ),
        (lambda i, j: A[i, j] > 0, "is no comparison of affine expressions of the axes of 'X'"),
        (lambda i: i > 0, "the domain of 'X' has 1 parameters for 2 axes"),
        (lambda i, j: i, "the condition i is int32, not bool"),
        (7, "wants a function of its axes"),
    ],
)
def test_no_domains(domain, words):
    with pytest.raises(teloom.Error, match=words):
        te.compute((n, n), lambda i, j: A[i, j], name="X", domain=domain)


def test_no_domain_without_a_shape():
    with pytest.raises(teloom.Error, match="'X' is an equation without a shape, which has no"):
        te.compute(None, lambda i, j: A[i, j], name="X", domain=lower)
