"""What `lower` and `build` take in place of one schedule: tensors, IR, several programs."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.driver.lowering import LEVELS
from teloom.driver.reading.parsed_text import parsed

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


def called_on(function: Callable[[np.ndarray, np.ndarray], None]) -> list[te.Tensor]:
    """A program that calls a function of Python with its input and its output."""

    def body(inputs: Any, outputs: Any) -> object:
        return te.call_packed(function, inputs[0], outputs[0])

    return [A, te.extern((n,), [A], body, "D")]


def step(number: float) -> Callable[[np.ndarray, np.ndarray], None]:
    def add(x: np.ndarray, y: np.ndarray) -> None:
        y[:] = x + number

    return add


def test_programs_may_call_the_same_function_and_others_of_its_name(a: np.ndarray):
    one, two = step(1), step(2)
    programs = {"f": called_on(one), "g": called_on(one), "h": called_on(two)}
    functions = teloom.build(programs)
    for name, number in (("f", 1), ("g", 1), ("h", 2)):
        np.testing.assert_array_equal(result(functions[name], a), a + number)
    declared = [op for op in teloom.lower(programs).ops if not op.regions[0].blocks]
    assert [op.properties["sym_name"].data for op in declared] == ["extern.add", "extern.add_1"]


def test_several_programs_are_compiled_once(a: np.ndarray):
    s = schedule()
    s[C].parallel(s[C].leaf_iter_vars[0])
    functions = teloom.build(
        {"many": (s, [A, C]), "more": (te.create_schedule(B), [A, B]), "code": called_on(step(1))}
    )
    many, more = functions["many"], functions["more"]
    assert many.kernel.codes is more.kernel.codes
    assert many.kernel.recipe.is_parallel
    assert not more.kernel.recipe.is_parallel
    for level in ("te", "llvm-ir"):
        assert "many" in many.source(level)
        assert "many" not in more.source(level)
    with pytest.raises(teloom.Error, match=r"code cannot be pickled: it calls extern\.add"):
        pickle.dumps(functions["code"])
    again = pickle.loads(pickle.dumps(more))
    assert again.source("te") == more.source("te")
    np.testing.assert_array_equal(result(again, a), a + 1)
    np.testing.assert_array_equal(result(many, a), 2 * (a + 1))


def test_programs_of_which_each_has_its_own_helper(a: np.ndarray):
    """They cannot be one module, and are compiled apart."""
    text = """
    func.func private @next(%x: f32) -> f32 {{
      %by = arith.constant {by} : f32
      %y = arith.addf %x, %by : f32
      func.return %y : f32
    }}
    func.func @all(%a: memref<7xf32>, %b: memref<7xf32>) {{
      loop.for %i = 0 to 7 {{
        %x = memref.load %a[%i] : memref<7xf32>
        %y = func.call @next(%x) : (f32) -> f32
        memref.store %y, %b[%i] : memref<7xf32>
      }}
      func.return
    }}"""
    modules = {f"by_{by:.0f}": parsed(text.format(by=by), "text") for by in (1.0, 2.0)}
    functions = teloom.build(modules)
    assert functions["by_1"].kernel.codes is not functions["by_2"].kernel.codes
    np.testing.assert_array_equal(result(functions["by_1"], a), a + 1)
    np.testing.assert_array_equal(result(functions["by_2"], a), a + 2)
    with pytest.raises(teloom.Error) as error:
        teloom.lower(modules)
    assert "two programs have different things of the name next" in str(error.value)


def test_checked_programs_are_checked_each(a: np.ndarray):
    functions = teloom.build({"f": [A, B], "g": called_on(step(1))}, sanitize="memory")
    assert all(one.kernel.check is not None for one in functions.values())
    np.testing.assert_array_equal(result(functions["g"], a), result(functions["f"], a))


def test_programs_that_are_no_one_module():
    f, g = (teloom.lower([A, B], target=name, level="te") for name in ("znver4", "znver1"))
    with pytest.raises(teloom.Error) as error:
        teloom.lower({"f": f, "g": g})
    assert "two programs are for different targets" in str(error.value)
    f, g = (teloom.lower(program, level="llvm") for program in (called_on(step(1)), [A, B]))
    with pytest.raises(teloom.Error) as error:
        teloom.lower({"f": f, "g": g})
    assert "two programs say different things of their modules" in str(error.value)


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
