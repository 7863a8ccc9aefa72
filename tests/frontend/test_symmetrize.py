"""`symmetrize`: half of a symmetric tensor is computed, and each element copied to both places."""

import numpy as np
import pytest

import teloom
from teloom import ScheduleError, te


def gram(n, terms, dtype="float32"):
    X = te.placeholder((terms, n), dtype, name="X")
    k = te.reduce_axis((0, terms), "k")
    C = te.compute((n, n), lambda i, j: te.sum(X[k, i] * X[k, j], axis=k), name="C")
    return X, C


def distances(n, terms):
    X, k = te.placeholder((n, terms), name="X"), te.reduce_axis((0, terms), "k")

    def square(i, j):
        d = X[i, k] - X[j, k]
        return te.sum(d * d, axis=k)

    return X, te.compute((n, n), square, name="C")


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-9, 9, shape).astype("f4")


def result(s, arguments, *values):
    out = np.full(values[-1], np.nan, "f4")
    teloom.build(s, arguments)(*values[:-1], out)
    return out


def test_the_triangle_computes_and_the_stage_copies():
    _, C = gram(12, 5)
    s = te.create_schedule(C)
    i, j = C.op.axis
    T = s.symmetrize(C, i, j)
    assert (T.name, T.shape, T.dtype) == ("C.triangle", C.shape, "float32")
    assert [axis.name for axis in T.op.axis] == ["i.c", "j.c"]
    assert s[T].leaf_iter_vars == [*T.op.axis, *T.op.reduce_axis]
    assert s[C].leaf_iter_vars == [i, j]
    assert str(s[C].op.body[0]) == "if_then_else((j <= i), C.triangle[i, j], C.triangle[j, i])"
    assert s.schedule_record[-1] == "%C.triangle = schedule.symmetrize %C, %i, %j"


def test_only_the_triangle_is_computed():
    X, C = gram(12, 5)
    s = te.create_schedule(C)
    s.symmetrize(C, *C.op.axis)
    text = str(teloom.lower(s, [X, C], "loop"))
    assert "loop.for %j.c = 0 to %i.c + 1 {" in text


def test_the_other_triangle():
    X, C = gram(12, 5)
    s = te.create_schedule(C)
    s.symmetrize(C, *reversed(C.op.axis))
    x = numbers(5, 12)
    assert "loop.for %j.c = %i.c to 12 {" in str(teloom.lower(s, [X, C], "loop"))
    np.testing.assert_array_equal(result(s, [X, C], x, (12, 12)), x.T @ x)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 16, 33])
@pytest.mark.parametrize("terms", [0, 1, 5])
def test_sizes(n: int, terms: int):
    X, C = gram(n, terms)
    s = te.create_schedule(C)
    s.symmetrize(C, *C.op.axis)
    x = numbers(terms, n)
    np.testing.assert_array_equal(result(s, [X, C], x, (n, n)), x.T @ x)


@pytest.mark.parametrize("n", [5, 32, 45])
def test_both_stages_are_scheduled(n: int):
    X, C = distances(n, 6)
    s = te.create_schedule(C)
    T = s.symmetrize(C, *C.op.axis)
    io, jo, ii, ji = s[T].tile(*T.op.axis, 4, 8)
    s[T].reorder(io, jo, *T.op.reduce_axis, ii, ji)
    s[T].unroll(ii)
    s[T].vectorize(ji)
    s[T].parallel(io, "dynamic")
    *_, row, column = s[C].tile(*C.op.axis, 8, 8)
    s[C].unroll(row)
    s[C].vectorize(column)
    x = numbers(n, 6)
    expected = ((x[:, None] - x[None]) ** 2).sum(-1)
    np.testing.assert_array_equal(result(s, [X, C], x, (n, n)), expected)


def test_sizes_that_the_call_says():
    n, terms = te.size_var("n"), te.size_var("terms")
    X, C = gram(n, terms)
    s = te.create_schedule(C)
    T = s.symmetrize(C, *C.op.axis)
    s[T].vectorize(s[T].split(T.op.axis[1], factor=8)[1])
    f = teloom.build(s, [X, C])
    for shape in [(3, 1), (4, 17), (0, 8)]:
        x, out = numbers(*shape), np.full((shape[1], shape[1]), np.nan, "f4")
        f(x, out)
        np.testing.assert_array_equal(out, x.T @ x)


def test_batches_and_several_results():
    X = te.placeholder((2, 9, 4), name="X")
    k = te.reduce_axis((0, 4), "k")

    def both(b, i, j):
        product = X[b, i, k] * X[b, j, k]
        return te.comm_reducer(
            lambda x, y: (x[0] + y[0], te.max(x[1], y[1])),
            lambda t0, t1: (te.const(0, t0), te.min_value(t1)),
        )((product, te.abs(X[b, i, k] - X[b, j, k])), axis=k)

    total, farthest = te.compute((2, 9, 9), both, name="C")
    s = te.create_schedule(total.op)
    assert len(s.symmetrize(total, *total.op.axis[1:])) == 2
    x = numbers(2, 9, 4)
    outs = [np.empty((2, 9, 9), "f4") for _ in range(2)]
    teloom.build(s, [X, total, farthest])(x, *outs)
    np.testing.assert_array_equal(outs[0], x @ x.transpose(0, 2, 1))
    np.testing.assert_array_equal(outs[1], abs(x[:, :, None] - x[:, None]).max(-1))


def test_an_equation_without_a_reduction():
    X = te.placeholder((20,), name="X")
    C = te.compute((20, 20), lambda i, j: te.exp(X[i] + X[j]), name="C")
    s = te.create_schedule(C)
    s.symmetrize(C, *C.op.axis)
    x = numbers(20) / 4
    np.testing.assert_allclose(result(s, [X, C], x, (20, 20)), np.exp(x[:, None] + x), rtol=1e-6)


def test_readers_read_both_sides():
    X, C = gram(10, 3)
    D = te.compute((10,), lambda i: C[i, 3] + C[3, i], name="D")
    s = te.create_schedule(D)
    s.symmetrize(C, *C.op.axis)
    s[C].compute_inline()
    x = numbers(3, 10)
    np.testing.assert_array_equal(result(s, [X, D], x, (10,)), 2 * (x.T @ x)[3])


def test_a_schedule_is_written_and_read_back():
    X, C = gram(10, 3)
    s = te.create_schedule(C)
    T = s.symmetrize(C, *C.op.axis)
    s[T].vectorize(T.op.axis[1])
    again = te.Schedule.from_json(C.op, s.to_json())
    assert again.schedule_record == s.schedule_record
    x = numbers(3, 10)
    np.testing.assert_array_equal(result(again, [X, C], x, (10, 10)), x.T @ x)


@pytest.mark.parametrize(
    "term",
    [
        lambda X, k, i, j: te.if_then_else(i == j, 0.0, X[k, i] * X[k, j]),
        lambda X, k, i, j: (X[k, i] + X[k, j]) * X[k, (i + j) // 2],
        lambda X, k, i, j: te.power(X[k, i] - X[k, j], 2.0),
        lambda X, k, i, j: X[0, 0] * (X[k, j] * X[k, i]) + (X[k, i] + X[k, j]),
    ],
)
def test_terms_that_are_symmetric(term):
    X, k = te.placeholder((4, 9), name="X"), te.reduce_axis((0, 4), "k")
    C = te.compute((9, 9), lambda i, j: te.sum(term(X, k, i, j), axis=k), name="C")
    plain, half = te.create_schedule(C), te.create_schedule(C)
    half.symmetrize(C, *C.op.axis)
    x = numbers(4, 9)
    expected = result(plain, [X, C], x, (9, 9))
    np.testing.assert_allclose(result(half, [X, C], x, (9, 9)), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (lambda X, k, i, j: X[k, j] * X[0, 0] * X[k, i], r"mulf\(X\[k, j\], X\[0, 0\]\)"),
        (lambda X, k, i, j: X[k, i], r"X\[k, i\]"),
        (lambda X, k, i, j: X[k, i] - X[k, j], r"subf\(X\[k, i\], X\[k, j\]\)"),
        (lambda X, k, i, j: te.if_then_else(i < j, 0.0, X[k, i] * X[k, j]), r"cmpi\(i, j\)"),
        (lambda X, k, i, j: te.max(X[k, i], X[k, j]), r"cmpf\(.*\)"),  # of NaNs it is the first
        (lambda X, k, i, j: X[k, i] * X[k, j] * X[k, (2 * i + j) // 2], r"X\[k, .*\]"),
    ],
)
def test_terms_that_are_not(term, reason: str):
    X, k = te.placeholder((4, 9), name="X"), te.reduce_axis((0, 4), "k")
    C = te.compute((9, 9), lambda i, j: te.sum(term(X, k, i, j), axis=k), name="C")
    s = te.create_schedule(C)
    s.symmetrize(C, *C.op.axis)
    said = rf'cannot symmetrize "C" along i and j: {reason} is another value where i and j change'
    with pytest.raises(ScheduleError, match=said):
        teloom.build(s, [X, C])


def test_refuses():
    _, C = gram(10, 3)
    s = te.create_schedule(C)
    i = C.op.axis[0]
    with pytest.raises(ScheduleError, match="names axis i twice"):
        s.symmetrize(C, i, i)
    with pytest.raises(ScheduleError, match="wants axes, got 3"):
        s.symmetrize(C, i, 3)
    with pytest.raises(ScheduleError, match="two data axes of an equation, got i and k"):
        s.symmetrize(C, i, *C.op.reduce_axis)
    assert s.schedule_record == []
