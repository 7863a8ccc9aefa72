"""What `lower` and `build` take in place of one schedule: tensors, IR, several programs."""

from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.driver.lowering import LEVELS

n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[i] + 1, name="B")
C = te.compute((n,), lambda i: B[i] * 2, name="C")


def schedule() -> te.Schedule:
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], outer)
    s[C].vectorize(inner)
    return s


@pytest.fixture
def a() -> np.ndarray:
    return np.arange(7, dtype="float32")


def result(function, a: np.ndarray, backwards: bool = False) -> np.ndarray:
    out = np.empty_like(a)
    function(*((out, a) if backwards else (a, out)))
    return out


def test_tensors_are_the_arguments_in_order(a: np.ndarray):
    np.testing.assert_array_equal(result(teloom.build([A, C]), a), 2 * (a + 1))
    np.testing.assert_array_equal(result(teloom.build([C, A]), a, True), 2 * (a + 1))
    np.testing.assert_array_equal(result(teloom.build(C, [C, A]), a, True), 2 * (a + 1))


def test_listed_tensors_may_be_intermediate_and_sizes(a: np.ndarray):
    b, c = np.empty_like(a), np.empty_like(a)
    teloom.build([A, B, C, n])(a, b, c, 7)
    np.testing.assert_array_equal([b, c], [a + 1, 2 * (a + 1)])


def test_several_programs(a: np.ndarray):
    ir = teloom.lower(schedule(), [C, A], level="te")
    functions = teloom.build({"twice": (schedule(), [A, C]), "more": [A, B], "back": ir})
    assert list(functions) == ["twice", "more", "back"]
    assert functions["back"].name == "back"
    np.testing.assert_array_equal(result(functions["twice"], a), 2 * (a + 1))
    np.testing.assert_array_equal(result(functions["more"], a), a + 1)
    np.testing.assert_array_equal(result(functions["back"], a, True), 2 * (a + 1))


@pytest.mark.parametrize("level", LEVELS)
def test_a_module_of_several_functions(a: np.ndarray, level: str):
    """Also where one allocates memory and the other calls nothing."""
    module = teloom.lower({"twice": (schedule(), [A, C]), "more": [A, B]}, level=level)
    functions = teloom.build(module)
    np.testing.assert_array_equal(result(functions["twice"], a), 2 * (a + 1))
    np.testing.assert_array_equal(result(functions["more"], a), a + 1)
    alone = teloom.compile(str(module), "more")
    np.testing.assert_array_equal(result(alone, a), a + 1)


def test_a_module_of_one_function(a: np.ndarray):
    module = teloom.lower(schedule(), [A, C], level="loop")
    text = str(module)
    np.testing.assert_array_equal(result(teloom.build(module), a), 2 * (a + 1))
    assert "llvm.func" in str(teloom.lower(module, level="llvm"))
    assert str(module) == text


def test_programs_may_call_the_same_function(a: np.ndarray):
    def one(name: str):
        D = te.extern((n,), [A], lambda ins, outs: te.call_packed(add, ins[0], outs[0]), name)
        return [A, D]

    def add(x: np.ndarray, y: np.ndarray) -> None:
        y[:] = x + 1

    functions = teloom.build({"f": one("D"), "g": one("E")})
    np.testing.assert_array_equal(result(functions["g"], a), a + 1)


def test_a_function_without_a_schedule(a: np.ndarray):
    module = te.create_prim_func([C, A])
    assert [op.name for op in module.ops] == ["te.func"]
    np.testing.assert_array_equal(result(teloom.build(module), a, True), 2 * (a + 1))


BAD: Any = 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.create_prim_func([A, B], "int8"), "index_dtype_override is 'int8', not int32"),
        (lambda: teloom.build({}), "there is no program in {}"),
        (lambda: teloom.build({"f": [A, B]}, [A]), "several programs have arguments of their own"),
        (lambda: teloom.build({"f": schedule()}), "a schedule needs args"),
        (lambda: teloom.build(schedule()), "a schedule needs args"),
        (lambda: teloom.build(BAD), "3 is not a schedule; make one with te.create_schedule"),
        (lambda: teloom.build([A, BAD]), "[Tensor(shape=[n], dtype=float32, name=A), 3] is not a"),
        (lambda: teloom.build([A]), "A is a placeholder: there is nothing to compute"),
        (lambda: teloom.build([C]), "the program reads A, which is not among the arguments"),
        (
            lambda: teloom.build(teloom.lower([A, B]), [A, B]),
            "IR says its arguments itself, and where they lie",
        ),
        (
            lambda: teloom.build({"f": teloom.lower({"g": [A, B], "h": [A, B]})}),
            "'f' is a module with the functions g, h; it must have one",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
