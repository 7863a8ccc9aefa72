"""How the arguments of a call become those of the `te.func`."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret, te_func
from teloom.frontend.call.calls import callable_module

n, m = te.var("n"), te.var("m")
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[i] + 1, name="B")
C = te.compute((n,), lambda i: B[i] * 2, name="C")
unused = te.placeholder((m, 2), "uint8", name="unused")


def order(args) -> list[int] | None:
    func = te_func(callable_module(te.create_schedule(C), args, "f"), "f")
    return None if func.order is None else list(func.order.get_values())


def test_order():
    assert order([A, C]) is None  # the usual one
    assert order([C, A]) == [2, 1]
    assert order([C, n, A]) == [2, 0, 1]


def test_an_intermediate_tensor_becomes_a_result():
    module = callable_module(te.create_schedule(C), [B, A, C], "f")
    assert order([B, A, C]) == [3, 1, 2]
    a = np.arange(3, dtype=np.float32)
    found = interpret(module, "f", [a], [3])
    np.testing.assert_array_equal(found[0], (a + 1) * 2)
    np.testing.assert_array_equal(found[1], a + 1)


def test_an_unused_placeholder_stays_an_argument():
    func = te_func(callable_module(te.create_schedule(C), [unused, A, C], "f"), "f")
    assert [size.name_hint for size in func.sizes] == ["n", "m"]
    assert [tensor.name_hint for tensor in func.tensors] == ["A", "unused"]
    assert order([unused, A, C]) == [3, 2, 4]


def test_names_with_numbers_of_arguments_that_come_with_a_call():
    """Nothing reads `y_3`; `m_2` is an argument of the call, and `n_1` is read of `x_1`."""
    n, m = te.var("n_1"), te.var("m_2")
    x, y = te.placeholder((n,), name="x_1"), te.placeholder((4, m), name="y_3")
    z = te.compute((n,), lambda i: x[i] + 1, name="z_5")
    run = teloom.build(te.create_schedule(z), [m, y, x, z])
    a, b = np.arange(3, dtype="float32"), np.empty(3, "float32")
    with pytest.raises(teloom.CallError, match="argument y_3 has dtype float64"):
        run(7, np.zeros((4, 7)), a, b)
    with pytest.raises(teloom.CallError, match="size m_2 is 'seven'"):
        run("seven", np.zeros((4, 7), "float32"), a, b)
    run(7, np.zeros((4, 7), "float32"), a, b)
    np.testing.assert_array_equal(b, a + 1)


def test_the_schedule_keeps_its_module():
    schedule = te.create_schedule(C)
    schedule[B].compute_inline()
    before = str(schedule)
    module = callable_module(schedule, [A, B, C], "f")
    assert str(schedule) == before
    assert "schedule.sequence @schedule on @f" in str(module)
    assert "schedule.compute_inline" in str(module)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([A], "the output C is not among the arguments"),
        ([C], "the program reads A, which is not among the arguments"),
        (
            [n, te.placeholder((n,), name="A"), C],
            "the program reads A, which is not among the arguments; argument 1 is another tensor "
            "of that name",
        ),
        (
            [A, te.placeholder((n,), name="C")],
            "the output C is not among the arguments; argument 1 is another tensor of that name",
        ),
        ([A, C, A], "argument 2, A, is listed twice"),
        ([A, C, 3], "argument 2 is 3, which is no tensor and no te.var"),
        (
            [A, C, te.compute((4,), lambda i: 1, name="D")],
            "argument 2, D, is not computed by this schedule",
        ),
        (
            [A, C, te.compute((), lambda: 1, name="D")],
            "argument 2, D, is not computed by this schedule",
        ),
    ],
)
def test_refuses(args, words: str):
    with pytest.raises(teloom.Error) as error:
        callable_module(te.create_schedule(C), args, "f")
    assert words in str(error.value)


def test_a_size_without_a_shape_must_be_an_argument():
    D = te.compute((4,), lambda i: i + m, name="D")
    with pytest.raises(teloom.Error, match="the size m stands in no argument's shape; list it"):
        callable_module(te.create_schedule(D), [D], "f")
    with pytest.raises(teloom.Error, match="list it among the arguments; argument 0 is another"):
        callable_module(te.create_schedule(D), [te.var("m"), D], "f")
    callable_module(te.create_schedule(D), [m, D], "f").verify()
