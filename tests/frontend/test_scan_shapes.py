"""Scans of several states with shapes of their own: numbers, schedules, refusals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.frontend.emit.program import build_program

SIZES = [(1, 1, 1), (5, 3, 4), (7, 8, 19), (0, 3, 3), (4, 0, 3), (4, 3, 0), (2, 1, 7)]


class Cells(NamedTuple):
    """Rows, a matrix for each time, and a number for each time, which read one another."""

    X: te.Tensor
    total: te.Tensor
    row: te.Tensor
    H: te.Tensor
    C: te.Tensor
    Z: te.Tensor


def cells_of(m, n, k) -> Cells:
    X = te.placeholder((m, n), name="X")
    h, c = te.placeholder((m, n), name="h"), te.placeholder((m, n, k), name="c")
    z = te.placeholder((m,), name="z")
    first = [
        te.compute((1, n), lambda t, i: X[t, i], name="h0"),
        te.compute((1, n, k), lambda t, i, j: 1.0, name="c0"),
        te.compute((1,), lambda t: 0.5, name="z0"),
    ]
    r, q = te.reduce_axis((0, k), "r"), te.reduce_axis((0, n), "q")
    total = te.compute((m, n), lambda t, i: te.sum(c[t - 1, i, r], axis=r), name="total")
    row = te.compute((m, n), lambda t, i: total[t, i] * 0.1 + X[t, i] + z[t - 1], name="row")
    grid = te.compute((m, n, k), lambda t, i, j: c[t - 1, i, j] / 2 + h[t - 1, i], name="grid")
    one = te.compute((m,), lambda t: te.sum(h[t - 1, q], axis=q), name="one")
    return Cells(X, total, row, *te.scan(first, [row, grid, one], [h, c, z], name="S"))


def expected_cells(x: np.ndarray, k: int) -> list[np.ndarray]:
    m, n = x.shape
    H, C, Z = np.zeros((m, n), "f"), np.zeros((m, n, k), "f"), np.zeros(m, "f")
    for t in range(m):
        H[t] = x[t] if t == 0 else C[t - 1].sum(-1) * np.float32(0.1) + x[t] + Z[t - 1]
        C[t] = 1 if t == 0 else C[t - 1] / 2 + H[t - 1][:, None]
        Z[t] = 0.5 if t == 0 else H[t - 1].sum()
    return [H, C, Z]


def check_cells(s: te.schedule.Schedule, cells: Cells) -> None:
    run = teloom.build(s, [cells.X, cells.H, cells.C, cells.Z])
    rng = np.random.default_rng(0)
    for m, n, k in SIZES:
        x = rng.uniform(size=(m, n)).astype("f")
        found = [np.full(shape, np.nan, "f") for shape in [(m, n), (m, n, k), (m,)]]
        run(x, *found)
        for one, wanted in zip(found, expected_cells(x, k), strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-4)


@pytest.fixture
def cells() -> Cells:
    return cells_of(te.var("m"), te.var("n"), te.var("k"))


def test_states_of_different_shapes(cells):
    assert [len(cells.H.op.axis), cells.Z.shape, cells.C.ndim] == [1, (cells.X.shape[0],), 3]
    check_cells(te.create_schedule(cells.H.op), cells)


def test_with_an_automatic_schedule(cells):
    s = te.create_schedule(cells.H.op)
    assert "row: is inlined in S" in te.auto_schedule(s, "x86-64-v3")
    check_cells(s, cells)


def test_steps_are_scheduled(cells):
    s = te.create_schedule(cells.H.op)
    s[cells.row].compute_inline()
    rows, grids, _ = cells.H.op.updates
    s[cells.total].compute_at(s[rows], rows.op.axis[1])
    outer, inner = s[grids].split(grids.op.axis[2], factor=8)
    s[grids].reorder(outer, grids.op.axis[1], inner)
    s[grids].vectorize(inner)
    s[grids].parallel(outer)
    check_cells(s, cells)


def test_the_interpreter(cells):
    program = build_program([cells.H.op], "f")
    for m, n, k in (sizes for sizes in SIZES if sizes[0]):
        x = np.random.default_rng(1).uniform(size=(m, n)).astype("f")
        for one, wanted in zip(
            interpret(program.module, "f", [x], [m, n, k]), expected_cells(x, k), strict=True
        ):
            np.testing.assert_allclose(one, wanted, rtol=1e-4)


class Batches(NamedTuple):
    """Two states that have time and a batch in common, and what is made of them."""

    X: te.Tensor
    made: te.Tensor
    H: te.Tensor
    C: te.Tensor


def batches_of() -> Batches:
    t, b, n, k = te.var("t"), te.var("b"), 4, 3
    X = te.placeholder((t, b, n), name="X")
    h, c = te.placeholder((t, b, n), name="h"), te.placeholder((t, b, k), name="c")
    h0 = te.compute((2, b, n), lambda t, b, i: X[t, b, i], name="h0")
    c0 = te.compute((2, b, k), lambda t, b, i: 1.0, name="c0")
    r, q = te.reduce_axis((0, k), "r"), te.reduce_axis((0, n), "q")
    h1 = te.compute(
        (t, b, n), lambda t, b, i: te.sum(c[t - 2, b, r] * X[t, b, i], axis=r), name="h1"
    )
    c1 = te.compute((t, b, k), lambda t, b, i: te.sum(h[t - 1, b, q] / 8, axis=q), name="c1")
    H, C = te.scan([h0, c0], [h1, c1], [h, c], name="S")
    made = te.compute((t, b, n), lambda t, b, i: H[t, b, i] + C[t, b, 0], name="made")
    return Batches(X, made, H, C)


def expected_batches(x: np.ndarray) -> np.ndarray:
    H, C = x.copy(), np.ones((*x.shape[:2], 3), "f")
    for t in range(2, len(x)):
        H[t] = C[t - 2].sum(-1, keepdims=True) * x[t]
        C[t] = (H[t - 1] / 8).sum(-1, keepdims=True)
    return H + C[..., :1]


Scheduling = Callable[[te.schedule.Schedule, Batches], object]


def in_tiles(s: te.schedule.Schedule, one: Batches) -> None:
    time, batch = one.H.op.axis
    outer, inner = s[one.H].split(batch, factor=4)
    s[one.H].reorder(outer, time, inner)
    s[one.H].parallel(outer)


def in_its_reader(s: te.schedule.Schedule, one: Batches) -> None:
    time, batch, _ = one.made.op.axis
    s[one.made].reorder(batch, time)
    s[one.H].compute_at(s[one.made], batch)


@pytest.mark.parametrize("scheduling", [in_tiles, in_its_reader], ids=lambda one: one.__name__)
def test_common_axes_are_those_of_the_scan(scheduling: Scheduling):
    one = batches_of()
    s = te.create_schedule(one.made.op)
    scheduling(s, one)
    run = teloom.build(s, [one.X, one.made])
    for shape in [(1, 1, 4), (2, 3, 4), (6, 7, 4), (0, 2, 4), (4, 0, 4)]:
        x = np.random.default_rng(2).uniform(size=shape).astype("f")
        found = np.full(shape, np.nan, "f")
        run(x, found)
        np.testing.assert_allclose(found, expected_batches(x), rtol=1e-4)


def test_a_batch_is_kept_apart():
    one = batches_of()
    axis = one.H.op.axis[1]
    assert te.schedule.ScanFixPointAnalysis(one.H.op) == {axis: 1}


@pytest.mark.parametrize(
    ("scheduling", "words"),
    [
        (lambda s, one: s[one.H].parallel(one.H.op.axis[0]), "idx, which is parallel, have no"),
        (lambda s, one: s[one.H].vectorize(one.H.op.axis[0]), "the outermost, idx, is vectorized"),
        (
            lambda s, one: s[one.H].fold_storage(one.H.op.axis[0]),
            'fold_storage of "S": it is a scan of different shapes, whose elements lie',
        ),
        (
            lambda s, one: s[one.H].compute_inline(),
            'cannot inline "S": it is a scan, whose steps read what is stored of it',
        ),
        (
            lambda s, one: s[one.H.op.updates[0]].compute_inline(),
            'cannot inline "S.h": "S" is a scan of different shapes, which takes a buffer of it',
        ),
        (
            lambda s, one: s[one.H].stream_stores(),
            'cannot stream the stores of "S": it is a scan, whose steps read what earlier',
        ),
        (
            lambda s, one: s[one.H].blockize(one.H.op.axis[1]),
            'cannot make a block of "S" at i1: it is a scan, which only copies; make blocks of',
        ),
        (
            lambda s, one: s.rfactor(one.H, one.H.op.axis[1]),
            'cannot rfactor axis i1 of stage "S": it is a scan, which only copies; rfactor axes',
        ),
        (
            lambda s, one: s[one.made].reverse_compute_inline(),
            'reverse_compute_inline of "made": its producer "S" is a scan, whose steps read it',
        ),
        (
            lambda s, one: s[one.H.op.updates[0]].compute_at(s[one.made], one.made.op.axis[0]),
            'cannot compute "S.h" outside of "S", of which it reads earlier steps; legal places',
        ),
    ],
)
def test_refused_schedules(scheduling: Scheduling, words: str):
    one = batches_of()
    s = te.create_schedule(one.made.op)

    def build() -> None:
        scheduling(s, one)
        teloom.build(s, [one.X, one.made])

    with pytest.raises(teloom.Error) as error:
        build()
    assert words in str(error.value)


def test_a_step_reads_earlier_times():
    m, n = te.var("m"), 4
    s, r = te.placeholder((m,), name="s"), te.placeholder((m, n), name="r")
    one = te.compute((1,), lambda t: 1.0, name="one")
    row = te.compute((1, n), lambda t, i: 1.0, name="row")
    late = te.compute((m,), lambda t: s[t - 1] + r[t, 0], name="late")
    rows = te.compute((m, n), lambda t, i: s[t - 1], name="rows")
    S, R = te.scan([one, row], [late, rows], [s, r], name="S")
    with pytest.raises(teloom.Error, match=r'"late" at \[1\] reads S\[1, 0\] before time 1 of'):
        teloom.lower(te.create_schedule(S.op), [S, R])


def test_steps_are_scheduled_once():
    """A tile of a step is a stage more, in front of the scan."""
    times, k = 4, te.reduce_axis((0, 2), "k")
    W = te.placeholder((2, 2), name="W")
    s, z = te.placeholder((times, 1, 2), name="s"), te.placeholder((times, 1), name="z")
    twice = te.compute((times, 1, 2), lambda t, i, j: s[t - 1, i, j] * 2, name="twice")
    product = te.compute(
        (times, 1, 2), lambda t, i, j: te.sum(twice[t, i, k] * W[k, j], axis=k), name="product"
    )
    more = te.compute((times, 1), lambda t, i: z[t - 1, i] + 1, name="more")
    starts = [te.compute((1, 1, 2), lambda *_: 1.0), te.compute((1, 1), lambda *_: 0.0)]
    results = te.scan(starts, [product, more], [s, z], name="S")
    run = teloom.build([W, *results])
    w, found, counts = np.eye(2, dtype="f"), np.empty((4, 1, 2), "f"), np.empty((4, 1), "f")
    run(w, found, counts)
    np.testing.assert_array_equal(found[:, 0, 1], [1, 2, 4, 8])
    np.testing.assert_array_equal(counts[:, 0], [0, 1, 2, 3])
