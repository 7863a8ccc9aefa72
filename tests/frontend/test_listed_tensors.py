"""Which tensors a caller passes: intermediate ones, and not all of the outputs."""

from collections.abc import Callable

import numpy as np
import pytest

import teloom
from teloom import te


def chain(n: object):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    C = te.compute((n,), lambda i: B[i] * 2, name="C")
    return A, B, C


def attached(s: te.Schedule, B: te.Tensor, C: te.Tensor):
    outer, _ = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], outer)


@pytest.mark.parametrize(
    "place", [lambda s, B, C: None, lambda s, B, C: s[B].compute_inline(), attached]
)
def test_an_intermediate_tensor_is_written(place: Callable[..., object]):
    A, B, C = chain(te.var("n"))
    s = te.create_schedule(C)
    place(s, B, C)
    run = teloom.build(s, [A, B, C])
    for length in (0, 1, 7, 12):
        a = np.arange(length, dtype="float32")
        b, c = np.empty_like(a), np.empty_like(a)
        run(a, b, c)
        np.testing.assert_array_equal(b, a + 1)
        np.testing.assert_array_equal(c, 2 * b)


def test_both_tensors_of_an_inlined_stage():
    A = te.placeholder((7,), name="A")
    B0, B1 = te.compute((7,), lambda i: (A[i] + 1, A[i] * 2), name="B")
    C = te.compute((7,), lambda i: B0[i] * B1[i], name="C")
    s = te.create_schedule(C)
    s[C].split(C.op.axis[0], factor=2)
    s[B0].compute_inline()
    a = np.arange(7, dtype="float32")
    b0, b1, c = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    teloom.build(s, [A, B1, B0, C])(a, b1, b0, c)
    np.testing.assert_array_equal([b0, b1, c], [a + 1, a * 2, (a + 1) * a * 2])


def test_an_inlined_triangle():
    A = te.placeholder((5, 5), name="A")
    B = te.compute((5, 5), lambda i, j: A[i, j] + 1, name="B", domain=lambda i, j: [j <= i])
    C = te.compute((5,), lambda i: B[i, 0], name="C")
    s = te.create_schedule(C)
    s[B].compute_inline()
    a = np.arange(25, dtype="float32").reshape(5, 5)
    b, c = np.zeros_like(a), np.empty(5, "float32")
    teloom.build(s, [A, B, C])(a, b, c)
    np.testing.assert_array_equal(b, np.tril(a + 1))


def argmax(x, y):
    better = x[1] >= y[1]
    return te.select(better, x[0], y[0]), te.select(better, x[1], y[1])


@pytest.mark.parametrize("passed", [0, 1])
def test_one_of_two_results_of_a_reduction(passed: int):
    A, k = te.placeholder((4, 9), name="A"), te.reduce_axis((0, 9), "k")
    reducer = te.comm_reducer(argmax, lambda i, v: (te.const(-1, i), te.min_value(v)), "argmax")
    results = te.compute((4,), lambda i: reducer((k.var, A[i, k]), axis=k), name="T")
    s = te.create_schedule(results[passed])
    _, inner = s[results[0]].split(k, factor=4)
    s.rfactor(results[0], inner)
    a = np.random.default_rng(0).random((4, 9), "float32")
    found = np.empty(4, results[passed].dtype)
    teloom.build(s, [A, results[passed]])(a, found)
    np.testing.assert_array_equal(found, [a.argmax(1), a.max(1)][passed])


def test_an_output_that_another_reads_may_be_left_out():
    A, B, C = chain(8)
    s = te.create_schedule([B, C])
    a, c = np.arange(8, dtype="float32"), np.empty(8, "float32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, 2 * (a + 1))


def test_what_only_a_missing_output_needs_is_not_computed():
    A, B, C = chain(8)
    D = te.compute((8,), lambda i: C[i] - A[i], name="D")
    s = te.create_schedule([B, D])
    s[D].split(D.op.axis[0], factor=3)
    s[C].compute_inline()
    assert "arith.subf" not in str(teloom.lower(s, [A, B], level="loop"))
    a, b = np.arange(8, dtype="float32"), np.empty(8, "float32")
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b, a + 1)
    with pytest.raises(teloom.Error, match="the output B or D is not among the arguments"):
        teloom.build(s, [A])


def test_an_attached_tensor_that_is_computed_in_part_is_refused():
    A = te.placeholder((9,), name="A")
    B = te.compute((9,), lambda i: A[i] + 1, name="B")
    C = te.compute((8,), lambda i: B[i] * 2, name="C")
    s = te.create_schedule(C)
    attached(s, B, C)
    with pytest.raises(teloom.ScheduleError, match=r"nothing computes B\[8\], which is an output"):
        teloom.lower(s, [A, B, C])
