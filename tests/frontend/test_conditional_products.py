"""Products of which a condition leaves out elements, or terms, without a schedule."""

import numpy as np
import pytest
from budget import pairs

import teloom
from teloom import te

TARGETS = ["x86-64-v3", "x86-64-v4"]


def product(n, m, terms, condition, is_inside):
    A, B = te.placeholder((n, terms), name="A"), te.placeholder((terms, m), name="B")
    M = te.placeholder((n, m), "bool", name="M")
    k = te.reduce_axis((0, terms), "k")

    def element(i, j):
        term, where = A[i, k] * B[k, j], condition(M, i, j, k)
        if is_inside:
            return te.sum(te.if_then_else(where, term, 0.0), axis=k)
        return te.sum(term, axis=k, where=where)

    return [A, B, M, te.compute((n, m), element, name="C")]


CONDITIONS = {
    "data": (lambda M, i, j, k: M[i, j], lambda m, i, j, k: m[:, :, None]),
    "triangle": (lambda M, i, j, k: j <= i, lambda m, i, j, k: j <= i),
    "band": (
        lambda M, i, j, k: te.all(k >= i - 2, k <= j),
        lambda m, i, j, k: (k >= i - 2) & (k <= j),
    ),
}


@pytest.mark.parametrize(
    ("kind", "is_inside", "is_symbolic", "target"),
    pairs([*CONDITIONS], (False, True), (False, True), TARGETS),
)
def test_what_a_condition_leaves_out_is_not_added(kind, is_inside, is_symbolic, target):
    condition, holds = CONDITIONS[kind]
    shape = [te.size_var(name) for name in "nmt"] if is_symbolic else (37, 50, 20)
    given = product(*shape, condition, is_inside)
    s = te.create_schedule(given[-1])
    te.auto_schedule(s, target)
    run = teloom.build(s, given)
    rng = np.random.default_rng(0)
    for n, m, terms in [(37, 50, 20), (1, 17, 3), (8, 64, 0)] if is_symbolic else [shape]:
        a = rng.integers(-9, 9, (n, terms)).astype("f4")
        b = rng.integers(-9, 9, (terms, m)).astype("f4")
        mask = rng.integers(0, 2, (n, m)).astype(bool)
        i, j, k = np.ogrid[:n, :m, :terms]
        expected = np.where(holds(mask, i, j, k), a[:, None, :] * b.T, 0).sum(2)
        run(a, b, mask, found := np.empty((n, m), "f4"))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["data", "triangle"])
def test_lanes_of_a_product_are_not_computed_one_by_one(kind, target):
    given = product(37, 50, 20, CONDITIONS[kind][0], False)
    s = te.create_schedule(given[-1])
    te.auto_schedule(s, target, num_threads=1)
    text = str(teloom.lower(s, given, level="standard", target=target))
    products = [line for line in text.splitlines() if "arith.mulf" in line]
    assert products
    assert all(": vector<" in line for line in products)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [1, 13, 40])
def test_a_border_around_the_products_of_a_window(size, target):
    X = te.placeholder((3, size, size), name="X")
    W = te.placeholder((5, 3, 3, 3), name="W")
    c, y, x = (te.reduce_axis((0, 3), name) for name in "cyx")

    def element(o, i, j):
        down, across = i + y - 1, j + x - 1
        inside = te.all(down >= 0, down < size, across >= 0, across < size)
        product = X[c, down, across] * W[o, c, y, x]
        return te.sum(te.if_then_else(inside, product, 0.0), axis=[c, y, x])

    C = te.compute((5, size, size), element, name="C")
    s = te.create_schedule(C)
    te.auto_schedule(s, target)
    rng = np.random.default_rng(0)
    a, w = (rng.integers(-9, 9, one.shape).astype("f4") for one in (X, W))
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(a, [(0, 0), (1, 1), (1, 1)]), (3, 3), (1, 2)
    )
    teloom.build(s, [X, W, C])(a, w, found := np.empty((5, size, size), "f4"))
    np.testing.assert_array_equal(found, np.einsum("cijyx,ocyx->oij", windows, w))
