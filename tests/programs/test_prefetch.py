"""What a loop prefetches changes no number, and is there in the machine code."""

import numpy as np
import pytest
from budget import each
from programs.sizes import extents, known

from teloom import ScheduleError, build, te

SIZES = [(0, 0), (0, 5), (1, 1), (3, 0), (7, 33), (65, 129)]


def product(n, k):
    A = te.placeholder((n, k), name="A")
    x = te.placeholder((k,), name="x")
    T = te.compute((n, k), lambda i, j: A[i, j] * 2, name="T")
    r = te.reduce_axis((0, k), "r")
    y = te.compute((n,), lambda i: te.sum(T[i, r] * x[r], axis=r), name="y")
    return A, x, T, y, te.create_schedule(y)


def tiled(s, A, x, T, y):
    io, ii = s[y].split(y.op.axis[0], factor=8)
    ro, ri = s[y].split(y.op.reduce_axis[0], factor=32)
    s[y].reorder(io, ro, ii, ri)
    s[y].prefetch(T, ro, 1)
    s[y].prefetch(T, ri, 16)
    s[y].prefetch(x, ro, 2)
    s[T].prefetch(A, T.op.axis[0], 2)


def inside(s, A, x, T, y):
    io, ii = s[y].split(y.op.axis[0], factor=4)
    s[T].compute_at(s[y], io)
    s[T].storage_align(T.op.axis[0], 32, 1)
    s[y].prefetch(A, io, 1)
    s[y].prefetch(T, ii, 1)
    s[y].unroll(ii)


def rolled(s, A, x, T, y):
    s[T].compute_at(s[y], y.op.axis[0])
    s[T].store_root()
    s[T].fold_storage(T.op.axis[0])
    s[y].prefetch(T, y.op.axis[0], 1)
    s[y].prefetch(A, y.op.axis[0], 0)


def laid_out(s, A, x, T, y):
    s[T].transform_layout(lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, j % 4])
    s[y].prefetch(T, y.op.axis[0], 3)


def ahead_twice(s, A, x, T, y):
    s[T].compute_at(s[y], y.op.axis[0])
    s[T].double_buffer()
    s[T].prefetch(A, T.op.axis[1], 8)
    s[y].prefetch(T, y.op.reduce_axis[0], 8)


SCHEDULES = [tiled, inside, rolled, laid_out, ahead_twice]


@pytest.mark.parametrize(
    ("schedule", "sizes"),
    [*each(SCHEDULES, known(SIZES)), *((schedule, SIZES) for schedule in SCHEDULES)],
)
def test_agrees_with_numpy(schedule, sizes):
    A, x, T, y, s = product(*extents(sizes, "n", "k"))
    schedule(s, A, x, T, y)
    kernel = build(s, [A, x, y])
    for n, k in sizes:
        a = np.random.default_rng(n).integers(-9, 9, (n, k)).astype("float32")
        b = np.arange(k, dtype="float32")
        c = np.full(n, np.nan, "float32")
        kernel(a, b, c)
        np.testing.assert_array_equal(c, 2 * a @ b)


def test_is_in_the_machine_code():
    A, x, T, y, s = product(64, 64)
    s[y].prefetch(T, y.op.axis[0], 1)
    kernel = build(s, [A, x, y])
    assert "call void @llvm.prefetch.p0(ptr" in kernel.source("llvm-ir")
    assert "prefetcht0" in kernel.source("asm")


def test_of_one_result_of_several():
    A = te.placeholder((64,), name="A")
    B0, B1 = te.compute((64,), lambda i: (A[i] + 1, A[i] * 2), name="B")
    C = te.compute((64,), lambda i: B0[i] - B1[i], name="C")
    s = te.create_schedule(C)
    s[C].prefetch(B1, C.op.axis[0], 16)
    assert "schedule.prefetch %C, %B result 1 at %i offset 16" in str(s)
    a, c = np.arange(64, dtype="float32"), np.empty(64, "float32")
    build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, 1 - a)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (lambda A, y: ("A", y.op.axis[0], 1), "prefetch wants a tensor, got 'A'"),
        (lambda A, y: (A, "i", 1), "prefetch of stage y wants an axis for var, got 'i'"),
        (lambda A, y: (A, y.op.axis[0], 1.5), "offset of prefetch must be an integer, got 1.5"),
        (lambda A, y: (A, y.op.axis[0], -1), "prefetch at axis i with offset -1: it must be in"),
    ],
)
def test_refuses(arguments, words):
    A, _, _, y, s = product(8, 8)
    with pytest.raises(ScheduleError, match=words):
        s[y].prefetch(*arguments(A, y))
