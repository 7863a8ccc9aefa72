"""Tensor intrinsics as steps of a scan: code that runs at each time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

N = 8


def product(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    c[...] = a @ b


def vector_times_matrix() -> te.TensorIntrin:
    x, w = te.placeholder((N,), name="x"), te.placeholder((N, N), name="w")
    k = te.reduce_axis((0, N), "k")
    y = te.compute((N,), lambda j: te.sum(x[k] * w[k, j], axis=k), name="y")
    return te.decl_tensor_intrin(
        y.op,
        lambda ins, outs: te.call_packed(product, *ins, *outs),
        name="product",
        default_buffer_params={"offset_factor": 1},
    )


class Cell(NamedTuple):
    """Rows that are the row before, times a matrix, plus what is new."""

    X: te.Tensor
    W: te.Tensor
    product: te.Tensor
    added: te.Tensor
    rows: te.Tensor
    doubled: te.Tensor


def cell(before: int = -1) -> Cell:
    m = te.var("m")
    X, W = te.placeholder((m, N), name="X"), te.placeholder((N, N), name="W")
    S = te.placeholder((m, N), name="S")
    first = te.compute((1, N), lambda t, i: X[t, i], name="first")
    intrin = vector_times_matrix()
    step = te.compute((m, N), lambda t: intrin(S[t + before, 0:N], W[0:N, 0:N]), name="step")
    added = te.compute((m, N), lambda t, i: step[t, i] + X[t, i], name="added")
    rows = te.scan(first, added, S, name="rows")
    doubled = te.compute((m, N), lambda t, i: rows[t, i] * 2, name="doubled")
    return Cell(X, W, step, added, rows, doubled)


@pytest.mark.parametrize(
    "schedule",
    [
        lambda s, p: None,
        lambda s, p: s[p.product].compute_at(s[p.added], p.added.op.axis[0]),
        lambda s, p: s[p.added].vectorize(s[p.added].split(p.added.op.axis[1], factor=4)[1]),
        lambda s, p: s[p.rows].parallel(p.rows.op.axis[1]),
        lambda s, p: s[p.rows].compute_at(s[p.doubled], p.doubled.op.axis[0]),
        lambda s, p: s[p.rows].unroll(s[p.rows].split(p.rows.op.axis[0], factor=2)[1]),
        lambda s, p: s.cache_read(p.X, "local", [p.added]),
        lambda s, p: s.cache_write(p.product, "local"),
    ],
    ids=[
        "default",
        "compute_at",
        "vectorize",
        "parallel",
        "in_reader",
        "unroll",
        "cache_read",
        "cache_write",
    ],
)
def test_code_is_a_step(schedule: Callable[[te.Schedule, Cell], Any]):
    p = cell()
    assert te.schedule.ScanGetBody(p.rows.op) == [p.product.op, p.added.op, p.rows.op]
    s = te.create_schedule(p.doubled)
    schedule(s, p)
    run = teloom.build(s, [p.X, p.W, p.doubled])
    rng = np.random.default_rng(0)
    w = rng.integers(-1, 2, (N, N)).astype("float32")
    for count in (0, 1, 2, 5):
        x = rng.integers(-4, 5, (count, N)).astype("float32")
        run(x, w, found := np.empty_like(x))
        wanted = x.copy()
        for t in range(1, count):
            wanted[t] += wanted[t - 1] @ w
        np.testing.assert_array_equal(found, 2 * wanted)
        if count == 0:
            continue  # the interpreter evaluates the init, whose elements are not there
        program = s.program
        (interpreted,) = interpret(program.module, "main", [x, w], [count], program.externals)
        np.testing.assert_array_equal(interpreted, found)


@pytest.mark.parametrize(
    ("before", "schedule", "words"),
    [
        (0, lambda s, p: None, "a step can read earlier times only"),
        (1, lambda s, p: None, 'stage "step" at [1] takes rows[2, 0], but axis 0 of rows runs'),
        (-2, lambda s, p: None, 'stage "step" at [1] takes rows[-1, 0], but axis 0 of rows runs'),
        (
            -1,
            lambda s, p: s[p.rows].reorder(*reversed(p.rows.op.axis)),
            "the schedule at (i1 = 1, idx = 0), which is later",
        ),
        (
            -1,
            lambda s, p: s[p.rows].tile(*p.rows.op.axis, 2, 4),
            'stage "step" at [1] reads rows[0, 4], at (idx.outer = 0, i1.outer = 0, idx.inner = 1)',
        ),
    ],
)
def test_refuses(before: int, schedule: Callable[[te.Schedule, Cell], Any], words: str):
    p = cell(before)
    s = te.create_schedule(p.rows)
    schedule(s, p)
    with pytest.raises(teloom.Error) as error:
        teloom.lower(s, [p.X, p.W, p.rows])
    assert words in str(error.value)
