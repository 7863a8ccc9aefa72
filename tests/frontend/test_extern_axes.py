"""Externs whose code runs at each point of their first axes: alone, and as steps of scans."""

from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.frontend.emit.program import build_program

m, n = te.var("m"), te.var("n")
X, S = te.placeholder((m, n), name="X"), te.placeholder((m, n), name="S")
FIRST = te.compute((1, n), lambda t, i: X[t, i], name="first")
SHAPES = [(0, 3), (1, 3), (5, 4), (4, 0)]


def halve_and_add(before: np.ndarray, new: np.ndarray, out: np.ndarray) -> None:
    assert before.shape == new.shape == out.shape == (out.size,)
    out[...] = before / 2 + new


def statements(ins: Any, outs: Any, t: Any) -> Any:
    ib = te.ir_builder.create()
    before, new, out = map(ib.buffer_ptr, [*ins, *outs])
    with ib.for_range(0, n, "i") as i:
        out[i] = before[i] * 0.5 + new[i]
    return ib.get()


CALLED = te.extern(
    (m, n),
    lambda t: [S[t - 1, 0:n], X[t]],
    lambda ins, outs, t: te.call_packed(halve_and_add, *ins, *outs),
    name="called",
)
STATED = te.extern((m, n), lambda t: [S[t - 1], X[t]], statements, name="stated")


def decayed(x: np.ndarray) -> np.ndarray:
    found = x.copy()
    for t in range(1, len(x)):
        found[t] = found[t - 1] / 2 + x[t]
    return found


@pytest.mark.parametrize("step", [CALLED, STATED], ids=["called", "stated"])
def test_times_that_code_reads_are_not_folded(step: te.Tensor):
    H = te.scan(FIRST, step, S, name="H")
    D = te.compute((n,), lambda i: te.if_then_else(m > 0, H[m - 1, i] * 2, 0.0), name="D")
    s = te.create_schedule(D)
    s[H].fold_storage(H.op.axis[0])
    with pytest.raises(teloom.ScheduleError, match="takes row-major memory; cache_read gives it"):
        teloom.build(s, [X, D])


@pytest.mark.parametrize("step", [CALLED, STATED], ids=["called", "stated"])
def test_code_as_a_step(step: te.Tensor):
    H = te.scan(FIRST, step, S, name="H")
    D = te.compute((m, n), lambda t, i: H[t, i] * 2, name="D")
    s = te.create_schedule(D)
    if step is STATED:
        s[H].compute_at(s[D], D.op.axis[0])
    run = teloom.build(s, [X, D])
    program = build_program([D.op], "f")
    for shape in SHAPES:
        x = np.random.default_rng(0).uniform(size=shape).astype("f")
        run(x, found := np.full(shape, np.nan, "f"))
        np.testing.assert_allclose(found, 2 * decayed(x), rtol=1e-6)
        if shape[0]:
            (said,) = interpret(program.module, "f", [x], shape, program.externals)
            np.testing.assert_allclose(said, found, rtol=1e-6)


def test_a_step_that_reads_all_earlier_times():
    def mean(earlier: np.ndarray, out: np.ndarray, time: int) -> None:
        assert len(earlier) == time
        out[...] = earlier.mean(0) + 1

    step = te.extern(
        (m, n),
        lambda t: S[0:t],
        lambda ins, outs, t: te.call_packed(mean, *ins, *outs, t),
        name="mean",
    )
    H = te.scan(FIRST, step, S, name="H")
    x = np.arange(12, dtype="f").reshape(4, 3)
    teloom.build([X, H])(x, found := np.empty_like(x))
    for t in range(1, 4):
        x[t] = x[:t].mean(0) + 1
    np.testing.assert_allclose(found, x, rtol=1e-6)


def test_points_are_scheduled():
    """Several outputs with a slice of each at a point; the order of the points is free."""

    def parts(row: np.ndarray, low: np.ndarray, total: np.ndarray) -> None:
        low[...] = row.min(0)
        total[...] = row.sum()

    Y = te.placeholder((m, 3, n), name="Y")
    low, total = te.extern(
        [(m, n), (m,)],
        lambda i: Y[i],
        lambda ins, outs, i: te.call_packed(parts, *ins, *outs),
        name="parts",
    )
    assert [one.shape for one in (low, total)] == [(m, n), (m,)]
    s = te.create_schedule(low.op)
    _, inner = s[low].split(low.op.axis[0], 4)
    s[low].unroll(inner)
    y = np.random.default_rng(1).uniform(size=(6, 3, 5)).astype("f")
    found = np.empty((6, 5), "f"), np.empty(6, "f")
    teloom.build(s, [Y, low, total])(y, *found)
    np.testing.assert_array_equal(found[0], y.min(1))
    np.testing.assert_allclose(found[1], y.sum((1, 2)), rtol=1e-6)


def none(ins: Any, outs: Any, *axes: Any) -> Any:
    return te.call_packed(halve_and_add, *ins, *outs)


AXIS = te.reduce_axis((0, 3), "q")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.extern((m, n), lambda: [S], none, "C"), "of 'C' are a function of 0 axes; it"),
        (
            lambda: te.extern([(m, n), (n, m)], lambda t: [S], none, "C"),
            "the first axes of the outputs of 'C' are [m] and [n]; at each point",
        ),
        (lambda: te.extern((m,), lambda t: [S[t, 0, 0]], none, "C"), "3 subscripts for the 2 axes"),
        (lambda: te.extern((m,), lambda t: [S[AXIS]], none, "C"), "'C' uses axis q, which is not"),
        (
            lambda: te.extern(
                (m,), lambda t: [S], lambda i, o, t: te.call_packed(print, AXIS, *o), "C"
            ),
            "'C' gets q, which is no number in an extern; pass a buffer",
        ),
        (
            lambda: (
                te.create_schedule(
                    te.scan(FIRST, te.extern((m, n), [S], none, "C"), S, name="H")
                ).module
            ),
            "C depends on the state of H, which has only the elements of earlier steps, but is an "
            "extern of all times; code that runs at each time gets its inputs as a function of it",
        ),
        (
            lambda: te.infer_bounds(
                te.create_schedule(
                    te.scan(FIRST, te.extern((m, n), lambda t: [S], none, "C"), S, name="H")
                )
            ),
            'stage "C" at [1] reads H[1, 0] before time 1 of H is computed',
        ),
    ],
)
def test_refuses(make: Any, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
