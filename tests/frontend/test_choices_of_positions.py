"""Subscripts that are one of several sums of axes: choices of `index` values."""

import time

import numpy as np
import pytest

import teloom
from teloom import te

CHOICES = {"select": te.select, "if_then_else": te.if_then_else}


def reflected(choose, i, n, width):
    """The position of an element of a row that goes on beyond both ends, as in a mirror."""
    at = i - width
    return choose(at >= n, 2 * (n - 1) - at, choose(at < 0, -at, at))


def rows(choose, n, m):
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m + 6), lambda i, j: A[i, reflected(choose, j, m, 3)], name="B")
    return A, B


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize(("n", "m"), [(1, 4), (7, 61), (3, 4096)])
def test_rows_with_mirrors(name, n, m):
    A, B = rows(CHOICES[name], n, m)
    a = np.random.default_rng(m).standard_normal((n, m)).astype("float32")
    for target in ("native", "x86-64-v3"):
        teloom.build([A, B], target=target)(a, b := np.zeros((n, m + 6), "float32"))
        np.testing.assert_array_equal(b, np.pad(a, [(0, 0), (3, 3)], "reflect"))


@pytest.mark.parametrize("name", CHOICES)
def test_rows_of_any_size(name):
    m = te.var("m")
    A, B = rows(CHOICES[name], 5, m)
    run = teloom.build([A, B])
    for size in (4, 17, 100):
        a = np.random.default_rng(size).standard_normal((5, size)).astype("float32")
        run(a, b := np.zeros((5, size + 6), "float32"))
        np.testing.assert_array_equal(b, np.pad(a, [(0, 0), (3, 3)], "reflect"))


def test_most_of_a_row_is_vectors_from_memory():
    A, B = rows(te.select, 5, 4096)
    s = te.create_schedule(B)
    assert "arith.select %" in (text := str(teloom.lower(s, [A, B], level="te")))
    assert "index_cast" not in text
    s[B].vectorize(B.op.axis[1])
    text = str(teloom.lower(s, [A, B], level="standard", target="x86-64-v3"))
    row = text[text.index("scf.for", text.index("scf.for") + 1) :]
    assert "vector.load %A" in row


def test_one_of_two_elements_of_data():
    """What is read is no position: `if_then_else` reads only what it gives."""
    n = 10
    A, P = te.placeholder((n,), name="A"), te.placeholder((n,), "int32", name="P")

    def place(i):
        return te.if_then_else(i < n, P[te.min(i, n - 1)], i - n)

    B = te.compute((n + 5,), lambda i: A[place(i)], name="B")
    a, at = np.arange(n, dtype="float32"), np.arange(n, dtype="int32")[::-1].copy()
    teloom.build([A, P, B])(a, at, b := np.zeros(n + 5, "float32"))
    np.testing.assert_array_equal(b, [*a[::-1], *a[:5]])


def test_a_long_chain():
    """As many choices as a table has entries take as long as it is long."""
    n = 600
    A = te.placeholder((n,), name="A")

    def place(i):
        found = i
        for k in range(n):
            found = te.select(i.equal(k), (k * 7) % n, found)
        return found

    B = te.compute((n,), lambda i: A[place(i)], name="B")
    begin = time.perf_counter()
    run = teloom.build([A, B], auto=False)
    assert time.perf_counter() - begin < 20
    run(np.arange(n, dtype="float32"), b := np.zeros(n, "float32"))
    np.testing.assert_array_equal(b, np.arange(n) * 7 % n)
