"""A program of more loop nests than stay in one function, with all that a nest can use."""

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te

LAYERS = 3


def layers(symbolic: bool) -> tuple[te.Schedule, list[object]]:
    """Products of matrices, with a bias, and a sum along each row that later nests use."""
    n = te.var("n") if symbolic else 5
    A = te.placeholder((n, 7), name="A")
    W = te.placeholder((7, 7), name="W")
    x = A
    for k in range(LAYERS):
        r, q = te.reduce_axis((0, 7), "r"), te.reduce_axis((0, 7), "q")
        y = te.compute((n, 7), lambda i, j: te.sum(x[i, r] * W[r, j], axis=r), name=f"product{k}")
        z = te.compute((n, 7), lambda i, j: te.max(y[i, j], 0) + 1, name=f"positive{k}")
        total = te.compute((n,), lambda i: te.sum(z[i, q], axis=q), name=f"total{k}")
        x = te.compute((n, 7), lambda i, j: z[i, j] / total[i], name=f"scaled{k}")
    return te.create_schedule(x), [A, W, x]


def expected(a: np.ndarray, w: np.ndarray) -> np.ndarray:
    for _ in range(LAYERS):
        z = np.maximum(a @ w, 0) + 1
        a = z / z.sum(axis=1, keepdims=True)
    return a


@pytest.mark.parametrize(("symbolic", "few"), each([False, True], [0, 8]))
def test_equal_layers_are_one_function(symbolic: bool, few: int):
    s, args = layers(symbolic)
    f = teloom.build(s, args, name="f", options={"outline-nests": {"few": few}})
    made = f.source("llvm").count("no_inline")
    assert 0 < made < 4 * LAYERS - 2, "layers behind the first are like each other"
    a, w = np.random.default_rng(0).uniform(-1, 1, (5, 7)), np.eye(7) + 0.1
    for rows in (5, 0, 1) if symbolic else (5,):
        given = a[:rows].astype("float32")
        out = np.full_like(given, -1)
        f(given, w.astype("float32"), out)
        np.testing.assert_allclose(out, expected(given, w), rtol=1e-5)


def test_what_fails_in_a_nest_is_told():
    """A status reaches the caller from a function of a nest; nothing is computed behind it."""
    A = te.placeholder((4,), name="A")
    calls: list[int] = []

    def doubled(given, out):
        calls.append(1)
        if len(calls) == 3:
            raise ValueError("the third")
        out[...] = 2 * given

    x = A
    for k in range(5):
        B = te.compute((4,), lambda i, x=x: x[i] + 1, name=f"B{k}")
        x = te.extern(
            (4,),
            [B],
            lambda ins, outs: te.call_packed(doubled, ins[0], outs[0]),
            name=f"C{k}",
            dtype="float32",
        )
    options = {"outline-nests": {"few": 0}}
    f = teloom.build(te.create_schedule(x), [A, x], options=options, sanitize="")
    a = np.zeros(4, "float32")
    with pytest.raises(teloom.KernelError, match="the third"):
        f.kernel.run([], [a.ctypes.data, a.ctypes.data])
    assert len(calls) == 3


@pytest.mark.parametrize("symbolic", each([False, True]))
def test_nests_beside_shared_and_allocating_ones(symbolic: bool):
    """Rows that threads share, each with memory of its own, stay between nests that are called."""
    n, columns = te.var("n") if symbolic else 3, 300_000
    A = te.placeholder((n, columns), name="A")
    B = te.compute(A.shape, lambda i, j: A[i, j] + 1, name="B")
    C = te.compute(A.shape, lambda i, j: B[i, columns - 1 - j] * 2, name="C")
    D = te.compute(A.shape, lambda i, j: C[i, j] - 3, name="D")
    E = te.compute(A.shape, lambda i, j: D[n - 1 - i, j] + C[i, j], name="E")
    s = te.create_schedule(E)
    s[C].parallel(C.op.axis[0])
    s[B].compute_at(s[C], C.op.axis[0])
    f = teloom.build(s, [A, E], name="f", options={"outline-nests": {"few": 0}})
    assert f.source("standard").count("no_inline") == 2
    assert "reserved" in f.source("standard"), "what threads need is there when the call begins"
    a = np.random.default_rng(1).uniform(-1, 1, (3, columns)).astype("float32")
    out = np.empty_like(a)
    f(a, out)
    c = (a + 1)[:, ::-1] * 2
    np.testing.assert_allclose(out, (c - 3)[::-1] + c, rtol=1e-6, atol=1e-6)
