"""Tiles whose extent or number is known at the call."""

import re

import numpy as np
import pytest

import teloom
from teloom import te

N, T, U = te.size_var("n"), te.size_var("t"), te.size_var("u")


def row_sums(extent):
    """Twice the sums of rows, and what they are computed from."""
    A = te.placeholder((N, 5), "int32", name="A")
    k = te.reduce_axis((0, 5), "k")
    B = te.compute((N, 5), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((extent,), lambda i: te.sum(B[i, k], axis=k), name="C")
    return te.create_schedule(C), A, B, C


def test_any_tiles_at_the_call():
    s, A, B, C = row_sums(N // 2)
    (i, k) = (*C.op.axis, *C.op.reduce_axis)
    outer, inner = s[C].split(i, factor=T)
    parts, each = s[C].split(inner, nparts=U)
    middle, last = s[C].split(k, factor=T, tail="guard")
    s[C].reorder(outer, middle, parts, each, last)
    s[B].compute_at(s[C], middle)
    tiles = s[B].tile(*B.op.axis, T, U)
    s[B].unroll(s[B].split(s[B].fuse(*tiles[:2]), factor=2)[1])
    s[C].parallel(outer)
    found = s[C].relations[0]
    assert (found.factor, found.nparts) == (T, None)
    built = teloom.build(s, [A, T, U, C])
    for n in (0, 1, 2, 9):
        a = np.arange(5 * n, dtype="int32").reshape(n, 5)
        for t, u in ((1, 1), (2, 3), (7, 20)):
            c = np.zeros(n // 2, "int32")
            built(a, t, u, c)
            np.testing.assert_array_equal(c, 2 * a.sum(1)[: n // 2])
    with pytest.raises(teloom.Error, match=r"split of axis .* of . by t, which must be"):
        built(a, 0, 1, c)


def test_tiles_of_sums_of_sizes():
    s, A, B, C = row_sums(N)
    (i, k) = (*C.op.axis, *C.op.reduce_axis)
    outer, inner = s[C].split(i, factor=2 * T + U - 1)
    parts, each = s[C].split(inner, nparts=3 * U)
    middle, last = s[C].split(k, factor=T + 1)
    s[C].reorder(outer, middle, parts, each, last)
    s[B].compute_at(s[C], parts)
    tiles = s[B].tile(*B.op.axis, T + U, U * 2)
    s[B].fuse(*tiles[:2])
    s[C].parallel(outer)
    assert [str(one.factor) for one in s[C].relations] == ["(((t * 2) + u) - 1)", "None", "(t + 1)"]
    assert str(s[C].relations[1].nparts) == "(u * 3)"
    assert str(te.infer_bounds(s)[each].extent)
    built = teloom.build(s, [A, T, U, C])
    for n in (0, 1, 2, 9, 30):
        a = np.arange(5 * n, dtype="int32").reshape(n, 5)
        for t, u in ((1, 1), (2, 3), (7, 20), (0, 2)):
            c = np.zeros(n, "int32")
            built(a, t, u, c)
            np.testing.assert_array_equal(c, 2 * a.sum(1))
    for (t, u), axis, words in (((0, 1), "i", "t * 2 + u - 1"), ((1, 0), "i.inner", "u * 3")):
        words = f"split of axis {axis} of C by {words}, which must be at least 1"
        with pytest.raises(teloom.Error, match=re.escape(words)):
            built(a, t, u, c)


def test_a_size_is_listed_among_the_arguments():
    s, A, _, C = row_sums(N)
    s[C].split(C.op.axis[0], nparts=T)
    with pytest.raises(teloom.Error, match="the size t stands in no argument's shape; list it"):
        teloom.build(s, [A, C])


def test_other_numbers_are_no_sizes():
    s, A, _, C = row_sums(N)
    with pytest.raises(teloom.ScheduleError, match="offset of shift"):
        s[C].shift(C.op.axis[0], T)
    for factor in (T * U, T // 2, N % T, A[0, 0], C.op.axis[0] + T, T - T):
        words = (
            f"factor of split must be an integer, or a sum of sizes times constants, got {factor!r}"
        )
        with pytest.raises(teloom.ScheduleError, match=re.escape(words)):
            s[C].split(C.op.reduce_axis[0], factor=factor)
    _, inner = s[C].split(C.op.reduce_axis[0], factor=T)
    with pytest.raises(teloom.ScheduleError, match="is known at the call, so no equation can have"):
        s.rfactor(C, inner)


@pytest.mark.parametrize(
    "extent", [lambda n: n // 2, lambda n: (2 * n + 1) // 3, lambda n: n - n % 4]
)
def test_extents_with_divisions(extent):
    s, A, B, C = row_sums(extent(N))
    cached = s.cache_write(C, "local")
    (i,), (own,) = C.op.axis, cached.op.axis
    outer, inner = s[C].split(s[C].shift(i, 3), factor=4)
    s[cached].compute_at(s[C], outer)
    s[C].vectorize(inner)
    partial = s.rfactor(cached, cached.op.reduce_axis[0])
    s[partial].compute_at(s[cached], s[cached].reverse(own))
    s[B].fuse(*B.op.axis)
    built = teloom.build(s, [A, C])
    for n in (1, 7, 12):
        a = np.arange(5 * n, dtype="int32").reshape(n, 5)
        c = np.zeros(extent(n), "int32")
        built(a, c)
        np.testing.assert_array_equal(c, 2 * a.sum(1)[: len(c)])
