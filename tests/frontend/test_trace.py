"""`te.trace`: a function of Python hears of values when they are computed."""

from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.errors import KernelError

A = te.placeholder((10,), name="A")


def split(s: te.Schedule, tensor: te.Tensor) -> tuple[te.IterVar, te.IterVar]:
    return s[tensor].split(tensor.op.axis[0], factor=4)


@pytest.mark.parametrize(
    "schedule",
    [
        lambda s, B, C: None,
        lambda s, B, C: s[B].compute_inline(),
        lambda s, B, C: s[B].vectorize(split(s, B)[1]),
        lambda s, B, C: s[B].unroll(split(s, B)[1]),
        lambda s, B, C: s[B].parallel(split(s, B)[0]),
        lambda s, B, C: s[B].compute_at(s[C], split(s, C)[0]),
        lambda s, B, C: s.cache_write(B, "local"),
    ],
    ids=["default", "inline", "vectorize", "unroll", "parallel", "compute_at", "cache_write"],
)
def test_every_element_is_traced(schedule):
    heard: list[tuple[Any, ...]] = []
    B = te.compute(
        (10,), lambda i: te.trace([i, A[i], A[i] > 4, A[i] + 1], lambda *all: heard.append(all))
    )
    C = te.compute((10,), lambda i: B[i] * 2, name="C")
    s = te.create_schedule(C)
    schedule(s, B, C)
    a = np.arange(10, dtype="float32") / 2
    teloom.build(s, [A, C])(a, found := np.empty(10, "float32"))
    np.testing.assert_array_equal(found, 2 * (a + 1))
    wanted = [(k, x, x > 4, x + 1) for k, x in enumerate(a)]
    assert sorted(heard) == wanted
    heard.clear()
    program = s.program
    (interpreted,) = interpret(program.module, "main", [a], externals=program.externals)
    np.testing.assert_array_equal(interpreted, found)
    assert heard == wanted


def test_values_are_printed_by_default(capsys):
    n = te.var("n")
    X = te.placeholder((n,), "uint8", name="X")
    k = te.reduce_axis((0, n), "k")
    S = te.compute((), lambda: te.sum(te.trace([k, X[k]]).astype("int32"), axis=k), name="S")
    x = np.array([250, 7], "uint8")
    teloom.build([X, S], auto=False)(x, found := np.empty((), "int32"))
    assert found == 257
    assert capsys.readouterr().out == "[0, 250]\n[1, 7]\n"


def test_only_the_chosen_value_is_traced():
    heard: list[float] = []
    B = te.compute(
        (10,), lambda i: te.if_then_else(A[i] > 2, te.trace([A[i]], heard.append), 0.0), name="B"
    )
    a = np.array([1, 5, 2, 3, 0, 0, 0, 0, 9, 2], "float32")
    teloom.build([A, B], auto=False)(a, found := np.empty(10, "float32"))
    np.testing.assert_array_equal(found, np.where(a > 2, a, 0))
    assert heard == [5, 3, 9]


def test_results_in_stages_of_their_own_are_traced():
    heard: list[float] = []
    one, two = te.compute(
        (10,), lambda i: (te.trace([A[i] + 1], heard.append), A[i] * 2), name="both"
    )
    s = te.create_schedule(one.op)
    s.fission_results(one)
    a = np.arange(10, dtype="float32")
    results = [np.empty(10, "float32") for _ in range(2)]
    teloom.build(s, [A, one, two])(a, *results)
    np.testing.assert_array_equal(results, [a + 1, a * 2])
    assert set(heard) == set(a + 1)


def test_the_gradient_of_what_is_traced():
    B = te.compute((10,), lambda i: te.exp(te.trace([i, A[i] * 2], lambda *all: None)), name="B")
    H = te.placeholder((10,), name="H")
    (by_a,) = te.gradient(B, [A], head=H)
    a, h = np.linspace(-1, 1, 10, dtype="float32"), np.arange(10, dtype="float32")
    teloom.build([A, H, by_a])(a, h, found := np.empty(10, "float32"))
    np.testing.assert_allclose(found, 2 * h * np.exp(2 * a), rtol=1e-5)


def test_what_points_of_an_update_write_is_traced():
    heard: list[tuple[Any, ...]] = []
    r = te.reduce_axis((1, 4), "r")
    U = te.update(
        A, r, lambda U, r: (r, te.trace([r, U[r - 1] + U[r]], lambda *all: heard.append(all)))
    )
    teloom.build([A, U], auto=False)(np.ones(10, "float32"), np.empty(10, "float32"))
    assert heard == [(1, 2.0), (2, 3.0), (3, 4.0)]


def test_an_action_that_raises_stops_the_program():
    def refuse(value: float) -> None:
        if value == 3:
            raise ValueError("three")

    B = te.compute((10,), lambda i: te.trace([A[i]], refuse), name="B")
    f = teloom.build([A, B], auto=False)
    with pytest.raises(KernelError, match="refuse, which traces, raised: ValueError: three"):
        f(np.arange(10, dtype="float32"), np.empty(10, "float32"))


U64 = te.placeholder((4,), "uint64", name="U64")
NO_LIST: Any = A[0]
NO_FUNCTION: Any = "printed"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.trace([]), "a list of values, of which the last is its own, got []"),
        (lambda: te.trace(NO_LIST), "trace wants a list of values"),
        (lambda: te.trace([A[0]], NO_FUNCTION), "of Python as its action, got 'printed'"),
        (lambda: te.trace(["x"]), "'x' of type str is not a scalar expression"),
        (
            lambda: te.create_schedule(te.compute((4,), lambda i: te.trace([U64[i]])).op),
            "trace gets a uint64, which Python is not passed; cast it",
        ),
        (
            lambda: te.comm_reducer(lambda x, y: te.trace([x + y]), lambda t: te.const(0, t))(
                A[0], te.reduce_axis((0, 2))
            ),
            "the combiner of reduce uses trace([(x + y)]); it may compute with its two",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
