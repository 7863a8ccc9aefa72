"""Scans of states with different numbers of initial steps: numbers, schedules, refusals."""

import numpy as np
import pytest
from budget import is_chosen
from differences import Differences, checked

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.frontend.emit.program import build_program

F64 = "float64"


def coupled(times, n, starts=(1, 2)) -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    """Two states that read each other: `a` of one time before, and `b` of two."""
    X = te.placeholder((times, n), F64, name="X")
    a, b = (te.placeholder((times, n), F64, name=name) for name in "ab")
    first = [
        te.compute((starts[0], n), lambda t, i: X[t, i] * 2, name="a0"),
        te.compute((starts[1], n), lambda t, i: X[t, i] + 1, name="b0"),
    ]
    product = te.compute((times, n), lambda t, i: a[t - 1, i] * b[t - 1, i], name="product")
    a1 = te.compute((times, n), lambda t, i: 0.2 * product[t, i] + X[t, i], name="a1")
    b1 = te.compute((times, n), lambda t, i: b[t - 2, i] + a[t - 1, n - 1 - i] / 2, name="b1")
    return X, *te.scan(first, [a1, b1], [a, b], name="S")


def expected(x: np.ndarray, starts=(1, 2)) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.zeros((2, *x.shape))
    for t in range(len(x)):
        a[t] = x[t] * 2 if t < starts[0] else 0.2 * a[t - 1] * b[t - 1] + x[t]
        b[t] = x[t] + 1 if t < starts[1] else b[t - 2] + a[t - 1, ::-1] / 2
    return a, b


SIZES = [(0, 3), (1, 2), (2, 3), (3, 1), (7, 5), (6, 0)]


def check(s: te.schedule.Schedule, X: te.Tensor, A: te.Tensor, B: te.Tensor) -> None:
    run = teloom.build(s, [X, A, B])
    for shape in SIZES:
        x = np.random.default_rng(0).random(shape)
        found = np.full((2, *shape), np.nan)
        run(x, *found)
        np.testing.assert_allclose(found, expected(x), rtol=1e-12)


def test_different_numbers_of_initial_steps():
    X, A, B = coupled(te.var("times"), te.var("n"))
    check(te.create_schedule(A.op), X, A, B)


def test_the_axes_of_space_are_those_of_the_scan():
    X, A, B = coupled(te.var("times"), te.var("n"))
    assert len(A.op.axis) == 2
    s = te.create_schedule(A.op)
    _, i = A.op.axis
    outer, inner = s[A].split(i, factor=4)
    s[A].vectorize(inner)
    s[A].parallel(outer)
    for step in A.op.updates:
        s[step].compute_inline()
    check(s, X, A, B)


def test_with_an_automatic_schedule():
    X, A, B = coupled(te.var("times"), te.var("n"))
    s = te.create_schedule(A.op)
    te.auto_schedule(s, "x86-64-v3")
    check(s, X, A, B)


def test_only_the_last_times_are_stored():
    times = 9
    X, A, B = coupled(times, 4)
    last = te.compute((4,), lambda i: A[times - 1, i] + B[times - 1, i], name="last")
    s = te.create_schedule(last)
    s[A].fold_storage(A.op.axis[0])
    run = teloom.build(s, [X, last])
    x, found = np.random.default_rng(0).random((times, 4)), np.empty(4)
    run(x, found)
    np.testing.assert_allclose(found, sum(expected(x))[-1], rtol=1e-12)


def test_the_interpreter():
    _, A, _ = coupled(te.var("times"), te.var("n"))
    program = build_program([A.op], "f")
    for shape in [(2, 2), (3, 1), (7, 5)]:
        x = np.random.default_rng(1).random(shape)
        found = interpret(program.module, "f", [x], [*shape])
        np.testing.assert_allclose(found, expected(x), rtol=1e-12)


def test_numbers_that_are_sizes():
    times, n, more = te.var("times"), te.var("n"), te.var("more")
    X, A, B = coupled(times, n, (1, more + 2))
    run = teloom.build([X, A, B, more])
    for extra in (0, 1, 3, 9):
        x, found = np.random.default_rng(0).random((7, 3)), np.empty((2, 7, 3))
        run(x, *found, extra)
        np.testing.assert_allclose(found, expected(x, (1, extra + 2)), rtol=1e-12)


@pytest.mark.parametrize("starts", [(1, 2), (3, 2)])
def test_gradients(starts: tuple[int, int]):
    times, n = te.var("times"), te.var("n")
    X, A, B = coupled(times, n, starts)
    made = te.compute((times, n), lambda t, i: A[t, i] * B[t, i], name="made")
    run = Differences([made], [X], [], auto=starts == (1, 2))
    for shape in [(0, 3), (1, 2), (2, 3), (3, 1), (7, 5)]:
        run.check([np.random.default_rng(0).random(shape)], shape=shape)
    if not is_chosen(starts, [(1, 2)]):
        return
    x, a, _ = coupled(5, 3, starts)
    checked(a, [x], auto=False)


def test_a_step_reads_what_there_is():
    X, A, B = coupled(4, 3, (2, 1))
    with pytest.raises(teloom.Error, match=r'"b1" at \[1, 0\] reads S\[-1, 0\]'):
        teloom.lower(te.create_schedule(A.op), [X, A, B])


def test_gradients_of_numbers_that_are_sizes():
    _, A, _ = coupled(4, 3, (1, te.var("more")))
    with pytest.raises(teloom.Error, match=r"whose states have .* initial steps; these must be"):
        te.gradient(A, [A.op.inits[0]])
