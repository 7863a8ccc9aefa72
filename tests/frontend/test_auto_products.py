"""Schedules by rules of products of a tensor with itself, of whole ones and of triangles."""

from dataclasses import replace

import numpy as np
import pytest

import teloom
from teloom import te

V3 = teloom.target("x86-64-v3")


def gram(n, m, first, is_triangle, is_computed):
    """A A', or A' A if `first` is the second dimension; of A or of A less a row."""
    A, row = te.placeholder((n, m), name="A"), te.placeholder((m,), name="row")
    moved = te.compute((n, m), lambda i, j: A[i, j] - row[j], name="moved")
    X = moved if is_computed else A
    extent, terms = (n, m) if first == 0 else (m, n)
    k = te.reduce_axis((0, terms), "k")
    C = te.compute(
        (extent, extent),
        lambda i, j: te.sum(X[i, k] * X[j, k] if first == 0 else X[k, i] * X[k, j], axis=k),
        name="C",
        domain=(lambda i, j: j <= i) if is_triangle else None,
    )
    return [A, row, C] if is_computed else [A, C]


@pytest.mark.parametrize("is_computed", [False, True])
@pytest.mark.parametrize("is_triangle", [False, True])
@pytest.mark.parametrize("first", [0, 1])
def test_products_of_a_tensor_with_itself_read_panels(first, is_triangle, is_computed):
    given = gram(70, 53, first, is_triangle, is_computed)
    s = te.create_schedule(given[-1])
    reasons = te.auto_schedule(s, V3)
    name = "moved" if is_computed else "A.global"
    assert f"{name}: panels of 16 are in the order in which tiles read them" in reasons
    run = teloom.build(s, given)
    rng = np.random.default_rng(0)
    inputs = [rng.random(one.shape, dtype="float32") for one in given[:-1]]
    x = inputs[0] - inputs[1] if is_computed else inputs[0]
    expected = x @ x.T if first == 0 else x.T @ x
    run(*inputs, found := np.zeros(expected.shape, "float32"))
    np.testing.assert_allclose(found, np.tril(expected) if is_triangle else expected, rtol=1e-5)


@pytest.mark.parametrize("is_triangle", [False, True])
def test_products_of_symbolic_extents(is_triangle):
    given = gram(te.var("n"), te.var("m"), 0, is_triangle, False)
    s = te.create_schedule(given[-1])
    te.auto_schedule(s, V3)
    run = teloom.build(s, given)
    for n, m in [(0, 3), (1, 1), (16, 0), (33, 7), (50, 20)]:
        a = np.random.default_rng(0).random((n, m), dtype="float32")
        run(a, found := np.zeros((n, n), "float32"))
        expected = a @ a.T
        np.testing.assert_allclose(found, np.tril(expected) if is_triangle else expected, rtol=1e-5)


def test_terms_of_several_instructions_leave_registers_for_themselves():
    A, B = (te.placeholder((100, 90), "float64", name=name) for name in "AB")
    k = te.reduce_axis((0, 90), "k")

    def both(i, j):
        return te.sum(A[j, k] * B[i, k] + B[j, k] * A[i, k], axis=k)

    C = te.compute((100, 100), both, name="C", domain=lambda i, j: j <= i)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert reasons[0] == "C.global: tiles of 4 x 8 elements of C stay in registers for all terms"
    a, b = np.random.default_rng(0).random((2, 100, 90))
    teloom.build(s, [A, B, C])(a, b, found := np.zeros((100, 100)))
    np.testing.assert_allclose(found, np.tril(b @ a.T + a @ b.T), rtol=1e-12)


def test_a_small_matrix_meets_each_tile_of_the_rows_of_a_large_tensor():
    A, B = te.placeholder((9, 30, 40), name="A"), te.placeholder((40, 37), name="B")
    k = te.reduce_axis((0, 40), "k")
    C = te.compute((9, 30, 37), lambda i, j, n: te.sum(A[i, j, k] * B[k, n], axis=k), name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, replace(V3, caches=(4096, 16384, 2**20)))
    assert reasons[1] == "B.global: panels of 8 are in the order in which tiles read them"
    order = [axis.name for axis in s[C].leaf_iter_vars]
    assert order == ["i", "j.outer", "n.outer", "j.inner", "n.inner"]
    rng = np.random.default_rng(0)
    a, b = rng.random((9, 30, 40), dtype="float32"), rng.random((40, 37), dtype="float32")
    teloom.build(s, [A, B, C])(a, b, found := np.empty((9, 30, 37), "float32"))
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)
