"""Schedules by rules of sums over both axes of a matrix: one pass where no cache holds it."""

from dataclasses import replace

import numpy as np
import pytest
from budget import is_chosen

import teloom
from teloom import te

V3 = teloom.target("x86-64-v3")
SMALL = replace(V3, caches=(4096, 65536, 2**20))
"""The caches of a machine, of which the second holds no matrix of these tests."""


def along(A, x, name):
    k = te.reduce_axis((0, A.shape[1]), "k")
    return te.compute((A.shape[0],), lambda i: te.sum(A[i, k] * x[k], axis=k), name=name)


def of_rows(A, x, name):
    r = te.reduce_axis((0, A.shape[0]), "r")
    return te.compute((A.shape[1],), lambda j: te.sum(A[r, j] * x[r], axis=r), name=name)


def inputs(n, m):
    A = te.placeholder((n, m), name="A")
    return A, te.placeholder((m,), name="x"), te.placeholder((n,), name="y")


def reasons_of(*outputs, target=SMALL):
    s = te.create_schedule([one.op for one in outputs])
    return te.auto_schedule(s, target, num_threads=2), s


def run(s, given, results):
    rng = np.random.default_rng(0)
    arrays = [rng.random([int(n) for n in one.shape], dtype="float32") for one in given]
    found = [np.full([int(n) for n in one.shape], 77, "float32") for one in results]
    teloom.build(s, [*given, *results])(*arrays, *found)
    return arrays, found


@pytest.mark.parametrize("n", [261, 512, 700])
def test_sums_that_read_each_other_by_rows_share_a_pass(n):
    A, x, _ = inputs(n, 300)
    z = of_rows(A, along(A, x, "Ax"), "z")
    reasons, s = reasons_of(z)
    assert reasons == [
        "z.rf: threads share the iterations of r.outer",
        "z.rf: parts of 256 rows, of which 8 at a time are added",
        "Ax: computed for each r.inner.outer of z.rf, which reads the same rows",
    ]
    if not is_chosen(n, [261, 512]):
        return
    (a, v), (found,) = run(s, [A, x], [z])
    np.testing.assert_allclose(found, a.T @ (a @ v), rtol=1e-5)


@pytest.mark.parametrize("n", [255, 700])
def test_sums_that_do_not_depend_on_each_other_share_a_pass(n):
    A, x, y = inputs(n, 300)
    z, by_row = of_rows(A, y, "z"), along(A, x, "Ax")
    w = te.compute((n,), lambda i: by_row[i] + y[i], name="w")
    reasons, s = reasons_of(z, w)
    assert "Ax: computed for each r.inner.outer of z.rf, which reads the same rows" in reasons
    (a, v, u), (one, other) = run(s, [A, x, y], [z, w])
    np.testing.assert_allclose(one, u @ a, rtol=1e-5)
    np.testing.assert_allclose(other, a @ v + u, rtol=1e-5)


def test_sums_stay_apart_where_one_needs_all_of_the_other_or_a_cache_holds_the_matrix():
    A, x, y = inputs(300, 300)
    square = te.placeholder((300, 300), name="S")
    z = along(square, of_rows(square, y, "first"), "second")
    assert not any("same rows" in reason for reason in reasons_of(z)[0])
    z = of_rows(square, along(square, along(square, y, "first"), "second"), "third")
    assert sum("same rows" in reason for reason in reasons_of(z)[0]) == 1
    pair = of_rows(A, y, "z"), along(A, x, "Ax")
    assert not any("same rows" in reason for reason in reasons_of(*pair, target=V3)[0])
