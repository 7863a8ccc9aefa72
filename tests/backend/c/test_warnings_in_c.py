"""Programs whose sources compilers once refused, or warned of."""

import numpy as np
import pytest
from c_functions import call, library, needs_compiler
from standard_kernels import lowering, parse

import teloom
from teloom import te
from teloom.backend.c.source import VECTOR_FORMS, c_source
from teloom.driver.translate.c_code import c_code

pytestmark = needs_compiler


def results(x: te.Tensor, outputs: list[te.Tensor], form: str, given: np.ndarray):
    """The outputs, as the C source of the program by rules computes them."""
    s = te.create_schedule(outputs)
    te.auto_schedule(s, target="x86-64-v4")
    module = teloom.lower(s, [x, *outputs], level="loop", target="x86-64-v4", name="f")
    found = library(c_code(module, lowering(), form))
    made = [np.zeros([int(extent) for extent in one.shape], one.dtype) for one in outputs]
    assert call(found, "f", [], [given, *made]) == 0
    return made


@pytest.mark.parametrize("form", VECTOR_FORMS)
def test_a_converted_vector_is_read_lane_by_lane(form: str):
    A = te.placeholder((5, 16), "float64", name="A")
    k = te.reduce_axis((0, 16), "k")

    def combine(x: list, y: list) -> tuple:
        is_first = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))
        return te.select(is_first, x[0], y[0]), te.select(is_first, x[1], y[1])

    greatest = te.comm_reducer(combine, lambda at, one: (te.max_value(at), te.min_value(one)))
    outputs = te.compute((5,), lambda i: greatest((k, A[i, k]), axis=k), name="greatest")
    a = np.random.default_rng(0).standard_normal((5, 16))
    at, values = results(A, list(outputs), form, a)
    np.testing.assert_array_equal(at, a.argmax(1))
    np.testing.assert_array_equal(values, a.max(1))


@pytest.mark.parametrize("form", VECTOR_FORMS)
@pytest.mark.parametrize("compute", [lambda x: te.minimum(x, x), lambda x: te.select(x < x, 0, x)])
def test_a_value_and_itself(compute, form: str):
    A = te.placeholder((37,), "int32", name="A")
    B = te.compute((37,), lambda i: compute(A[i]), name="B")
    a = np.arange(37, dtype="int32")
    (b,) = results(A, [B], form, a)
    np.testing.assert_array_equal(b, a)


def test_vectors_without_a_type_of_their_own():
    A = te.placeholder((5, 2), "bool", name="A")
    B = te.compute((10,), lambda i: A[i // 2, i % 2], name="B")
    a = np.arange(10).reshape(5, 2) % 3 == 0
    (b,) = results(A, [B], "extension", a)
    np.testing.assert_array_equal(b, a.ravel())


def test_a_lane_and_a_number_have_one_sign():
    A = te.placeholder((8, 8), "float64", name="A")
    B = te.compute((8, 8), lambda i, j: te.if_then_else(i == j, A[i, j], 0.0), name="B")
    a = np.arange(64.0).reshape(8, 8)
    for form in VECTOR_FORMS:
        (b,) = results(A, [B], form, a)
        np.testing.assert_array_equal(b, np.diag(np.diag(a)))


def test_copies_that_nothing_reads_are_not_written():
    A = te.placeholder((5, 16), "float32", name="A")
    k = te.reduce_axis((0, 16), "k")
    sums = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] * y[1]), lambda s, p: (te.const(0, s), te.const(1, p))
    )
    total, product = te.compute((5,), lambda i: sums((A[i, k], A[i, k]), axis=k), name="both")
    a = np.random.default_rng(0).random((5, 16), "float32")
    s = te.create_schedule(total)
    s.cache_write([total, product], "global")
    module = teloom.lower(s, [A, total], level="loop", name="f")
    found = np.zeros(5, "float32")
    assert call(library(c_code(module, lowering())), "f", [], [a, found]) == 0
    np.testing.assert_allclose(found, a.sum(1), rtol=1e-5)


def test_a_comparison_of_one_value_needs_no_operand():
    A = te.placeholder((12, 3), "int32", name="A")

    def value(i, j):
        at = te.floordiv(i * 2, 3) - 1
        is_inside = te.all(te.max(at, 0) <= at, te.min(at, 11) * 3 >= at * 3)
        return te.if_then_else(is_inside, A[at, j], -7)

    B = te.compute((12, 3), value, name="B")
    a = np.arange(36, dtype="int32").reshape(12, 3)
    (b,) = results(A, [B], "loops", a)
    np.testing.assert_array_equal(b, [a[k * 2 // 3 - 1] if k > 1 else [-7] * 3 for k in range(12)])


def test_formulas_return_vectors_on_machines_without_them():
    A = te.placeholder((16,), "float64", name="A")
    B = te.compute((16,), lambda i: te.power(A[i] + 1.0, 0.75), name="B")
    C = te.compute((16,), lambda i: te.power(B[15 - i] + 1.0, 0.75), name="C")
    s = te.create_schedule(C)
    te.auto_schedule(s, target="x86-64-v4")
    module = teloom.lower(s, [A, C], level="loop", target="x86-64-v4", name="f")
    found = library(c_code(module, lowering(), math="default"), "-O2")
    a = np.random.default_rng(0).random(16)
    c = np.zeros(16)
    assert call(found, "f", [], [a, c]) == 0
    np.testing.assert_allclose(c, ((a[::-1] + 1) ** 0.75 + 1) ** 0.75, rtol=1e-12)


def test_an_argument_whose_uses_fold_away():
    A = te.placeholder((8,), "int8", name="A")
    B = te.compute((8,), lambda i: (0 & A[i].astype("int32")) ^ i, name="B")
    run = teloom.build(te.create_schedule(B), [A, B], name="f")
    b = np.zeros(8, "int32")
    assert call(library(run.source("c")), "f", [], [np.zeros(8, "int8"), b]) == 0
    np.testing.assert_array_equal(b, np.arange(8))


NAMES = (
    "printf puts scanf strlen strcmp strdup isalpha iswupper toupper cabs cexpf creall memchr "
    "fegetround imaxabs sincos alloca roundf32 exp10 fork"
).split()


@pytest.mark.parametrize("standard", ["-std=c11", "-std=gnu11"])
def test_functions_with_names_of_the_library(standard: str):
    body = "(%A: memref<1xf32>) {\n  %c0 = arith.constant 0 : index\n  %x = memref.load %A[%c0]"
    body += " : memref<1xf32>\n  memref.store %x, %A[%c0] : memref<1xf32>\n  func.return\n}\n"
    source = c_source(parse("".join(f"func.func @{name}{body}" for name in NAMES)), "loops")
    found = library(source, standard)
    assert all(hasattr(found, f"{name}_") for name in NAMES)


WORDS = "slt sle sgt sge ult ule ugt uge".split()


@pytest.mark.parametrize("width", [1, 8, 16, 32, 64])
def test_comparisons_that_are_always_true(width: int):
    """With the least and the greatest numbers, on either side, of a number and its complement."""
    least, most = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    numbers = ("false", "true") if width == 1 else (least, most, 0, -1)
    type = "" if width == 1 else f" : i{width}"
    ones = len(numbers) - 1
    constants = [f"%c{k} = arith.constant {one}{type}" for k, one in enumerate(numbers)]
    pairs = [
        pair
        for k in range(len(numbers))
        for x in ("%x", "%not")
        for pair in ((x, f"%c{k}"), (f"%c{k}", x))
    ]
    lines = [f"%not = arith.xori %x, %c{ones} : i{width}"]
    for word in WORDS:
        lines.append(f"%{word}0 = arith.constant 0 : i32")
        for k, (left, right) in enumerate(pairs):
            lines += [
                f"%t{word}{k} = arith.cmpi {word}, {left}, {right} : i{width}",
                f"%w{word}{k} = arith.extui %t{word}{k} : i1 to i32",
                f"%v{word}{k} = arith.muli %{word}{k}, %two : i32",
                f"%{word}{k + 1} = arith.addi %v{word}{k}, %w{word}{k} : i32",
            ]
        lines.append(f"memref.store %{word}{len(pairs)}, %{word}[%i] : memref<4xi32>")
    results = ", ".join(f"%{word}: memref<4xi32>" for word in WORDS)
    text = f"""
      func.func @f(%A: memref<4xi{width}>, {results}) {{
        %two = arith.constant 2 : i32
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %four = arith.constant 4 : index
        CONSTANTS
        scf.for %i = %zero to %four step %one {{
          %x = memref.load %A[%i] : memref<4xi{width}>
          BODY
        }}
        func.return
      }}
    """
    for name, said in (("CONSTANTS", constants), ("BODY", lines)):
        text = text.replace(name, "\n".join(said))
    given = np.array([0, 1, 0, 1], "bool")
    if width > 1:
        given = np.array([0, -1, least, most], f"int{width}")
    found, expected = ([np.empty(4, "int32") for _ in WORDS] for _ in range(2))
    assert call(library(c_source(parse(text))), "f", [], [given, *found]) == 0
    teloom.compile(text)(given, *expected)
    for word, one, other in zip(WORDS, found, expected, strict=True):
        np.testing.assert_array_equal(one, other, word)


def test_functions_of_others_with_names_of_c():
    """They keep their names for the linker; the compiler knows other ones."""
    A = te.placeholder((4,), "int32", name="A")
    names = ("abs", "_mine", "status", "plain")
    B = te.compute(
        (4,), lambda i: sum(te.call_pure_extern("int32", one, A[i]) for one in names), name="B"
    )
    source = c_source(teloom.lower(te.create_schedule(B), [A, B], level="standard", name="f"))
    own = [
        f"int {one}(int);\nint {one}(int x) {{ return x + {k}; }}\n" for k, one in enumerate(names)
    ]
    found, a, b = library(source + "".join(own[1:])), np.arange(-2, 2), np.empty(4, "int32")
    assert call(found, "f", [], [a.astype("int32"), b]) == 0
    np.testing.assert_array_equal(b, abs(a) + 3 * a + 6)


def test_a_division_whose_quotient_is_compared_with_itself():
    A = te.placeholder((37,), "int32", name="A")

    def same(i):
        quotient = te.truncdiv(A[i], A[i] + 1)
        return quotient <= quotient

    B = te.compute((37,), same, name="B")
    (b,) = results(A, [B], "extension", np.arange(37, dtype="int32"))
    assert b.all()


@pytest.mark.parametrize("name", ["EXIT_SUCCESS", "M_PI", "M_SQRT1_2"])
def test_sizes_with_names_of_macros(name: str):
    n = te.var(name)
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: te.exp(A[i]), name="B")
    C = te.compute((n,), lambda i: B[i] + B[n - 1 - i], name="C")
    library(c_source(teloom.lower(te.create_schedule(C), [A, C], level="standard", name="f")))
