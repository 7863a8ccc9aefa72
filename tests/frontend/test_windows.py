"""Stages that are stored further out than they are computed, against NumPy."""

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te

SHAPES = [(0, 4), (1, 1), (1, 5), (7, 3), (33, 17), (64, 64)]


def blurred(a: np.ndarray) -> np.ndarray:
    rows = a[:, :-2] + a[:, 1:-1] + a[:, 2:]
    return rows[:-2] + rows[1:-1] + rows[2:]


def blur(h, w):
    A = te.placeholder((h + 2, w + 2), "int64", name="A")
    B = te.compute((h + 2, w), lambda i, j: A[i, j] + A[i, j + 1] + A[i, j + 2], name="B")
    C = te.compute((h, w), lambda y, x: B[y, x] + B[y + 1, x] + B[y + 2, x], name="C")
    return A, B, C, te.create_schedule(C)


def check(kernel, h: int, w: int) -> None:
    a = np.random.default_rng(h).integers(-9, 9, (h + 2, w + 2))
    c = np.full((h, w), -1)
    kernel(a, c)
    np.testing.assert_array_equal(c, blurred(a))


def rolled(s, B, C):
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].rolling_buffer()


def rolled_in_rows(s, B, C):
    s[B].compute_at(s[C], C.op.axis[1])
    s[B].rolling_buffer()


def strips(s, B, C):
    outer, inner = s[C].split(C.op.axis[0], factor=8)
    s[C].vectorize(C.op.axis[1])
    s[B].compute_at(s[C], inner)
    s[B].store_at(s[C], outer)
    s[B].fold_storage(B.op.axis[0])
    s[B].split(B.op.axis[0], factor=2)
    s[B].vectorize(B.op.axis[1])


def larger(s, B, C):
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].store_root()
    s[B].fold_storage(B.op.axis[0], factor=4)
    s[C].unroll(C.op.axis[0])


SCHEDULES = [rolled, rolled_in_rows, strips, larger]


@pytest.mark.parametrize(
    ("schedule", "shape"),
    [*each(SCHEDULES, SHAPES), *each(SCHEDULES, SHAPES, turn=1)],
)
def test_sizes(schedule, shape):
    """`test_any_size` has all shapes of each."""
    A, B, C, s = blur(*shape)
    schedule(s, B, C)
    check(teloom.build(s, [A, C]), *shape)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_any_size(schedule):
    A, B, C, s = blur(te.var("h"), te.var("w"))
    schedule(s, B, C)
    kernel = teloom.build(s, [A, C])
    for shape in SHAPES:
        check(kernel, *shape)


def chain() -> tuple[te.schedule.Schedule, list[te.Tensor]]:
    """Three sums of three rows each, one of the other."""
    tensors = [te.placeholder((38, 5), "int64", name="A")]
    for rows in (36, 34, 32):

        def window(i, j, T=tensors[-1]):
            return T[i, j] + T[i + 1, j] * 2 + T[i + 2, j]

        tensors.append(te.compute((rows, 5), window, name="T"))
    return te.create_schedule(tensors[-1]), tensors


def all_at_the_last(s, first, second, last):
    s[first].compute_at(s[last], last.op.axis[0])
    s[second].compute_at(s[last], last.op.axis[0])


def each_at_the_next(s, first, second, last):
    s[second].compute_at(s[last], last.op.axis[0])
    s[first].compute_at(s[second], second.op.axis[0])


@pytest.mark.parametrize(
    ("place", "rows"),
    [
        # The first iteration needs three rows of the second stage at once, and five of the first.
        (all_at_the_last, [5, 3]),
        (each_at_the_next, [3, 3]),
    ],
)
def test_rolling_through_a_chain(place, rows):
    s, (A, first, second, last) = chain()
    place(s, first, second, last)
    for stage in (first, second):
        s[stage].store_root()
        s[stage].fold_storage(stage.op.axis[0])
    costs = te.explain(s)[:2]
    assert [cost.redundancy for cost in costs] == [1.0, 1.0]
    assert [cost.stored for cost in costs] == [count * 5 * 8 for count in rows]
    a = np.random.default_rng(0).integers(-9, 9, (38, 5))
    c = np.zeros((32, 5), np.int64)
    teloom.build(s, [A, last])(a, c)
    for _ in range(3):
        a = a[:-2] + 2 * a[1:-1] + a[2:]
    np.testing.assert_array_equal(c, a)


def test_a_reduction_keeps_what_it_has_summed():
    A = te.placeholder((9, 4), "int64", name="A")
    k = te.reduce_axis((0, 4), name="k")
    B = te.compute((9,), lambda i: te.sum(A[i, k], axis=k), name="B")
    C = te.compute((7,), lambda i: B[i] * B[i + 2], name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    s[B].rolling_buffer()
    a = np.arange(36).reshape(9, 4)
    c = np.zeros(7, np.int64)
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a.sum(1)[:-2] * a.sum(1)[2:])


def test_what_is_computed_whole_is_computed_once_while_it_is_stored():
    """An update, and code of others, which counts how often it is called, in tiles of rows."""
    calls = []

    def negative(source, target):
        calls.append(len(source))
        np.negative(source, out=target)

    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n,), name="A")
    j = te.reduce_axis((1, n), "j")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    U = te.update(B, (j,), lambda u, j: ((j,), u[j] + u[j - 1]), name="U")
    E = te.extern((n,), [U], lambda ins, outs: te.call_packed(negative, *ins, *outs), name="E")
    C = te.compute((m, n), lambda y, x: U[x] * y + E[x], name="C")
    s = te.create_schedule(C)
    yo, yi = s[C].split(C.op.axis[0], factor=3)
    s[U].compute_at(s[C], yi)
    s[U].store_root()
    s[E].compute_at(s[C], yi)
    s[E].store_at(s[C], yo)
    function = teloom.build(s, [A, C])
    for rows, columns in ((0, 4), (1, 1), (7, 9), (6, 0)):
        calls.clear()
        a = np.random.default_rng(rows).integers(-9, 9, columns).astype("f4")
        c = np.full((rows, columns), np.nan, "f4")
        function(a, c)
        u = np.cumsum(2 * a)
        assert np.array_equal(c, u * np.arange(rows)[:, None] - u)
        assert len(calls) == -(-rows // 3)
