"""Functions of IR as stages: `te.extern_primfunc`."""

from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.driver.reading.parsed_text import parsed

MATMUL = """
func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x5xf32>, %c: memref<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for %i = 0 to 4 {
    loop.for %j = 0 to 5 {
      memref.store %zero, %c[%i, %j] : memref<4x5xf32>
      loop.for %k = 0 to 8 {
        %0 = memref.load %a[%i, %k] : memref<4x8xf32>
        %1 = memref.load %b[%k, %j] : memref<8x5xf32>
        %2 = memref.load %c[%i, %j] : memref<4x5xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %c[%i, %j] : memref<4x5xf32>
      }
    }
  }
  func.return
}"""

SQUARES_AND_SIGNS = """
func.func @split(%a: memref<?xi32>, %b: memref<?xi32>, %c: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  loop.for %i = 0 to %n {
    %0 = memref.load %a[%i] : memref<?xi32>
    %1 = arith.muli %0, %0 : i32
    memref.store %1, %b[%i] : memref<?xi32>
    %2 = arith.cmpi slt, %0, %zero : i32
    %3 = arith.extui %2 : i1 to i8
    memref.store %3, %c[%i] : memref<?xi8>
  }
  func.return
}"""

A, B = te.placeholder((4, 8), name="A"), te.placeholder((8, 5), name="B")
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("as_what", ["text", "module", "function"])
def test_a_function_between_equations(as_what: str):
    function: Any = MATMUL
    if as_what != "text":
        function = parsed(MATMUL, "text")
    if as_what == "function":
        function = function.body.block.first_op
    double = te.compute((4, 8), lambda i, k: A[i, k] * 2, name="double")
    C = te.extern_primfunc([double, B], function)
    D = te.compute((4, 5), lambda i, j: C[i, j] + 1, name="D")
    assert (C.name, C.dtype, C.shape) == ("matmul", "float32", (4, 5))
    a, b = RNG.random((4, 8)).astype("float32"), RNG.random((8, 5)).astype("float32")
    s = te.create_schedule(D)
    s[double].compute_root()
    (interpreted,) = interpret(s.module, "main", [a, b])
    teloom.build(s, [A, B, D])(a, b, found := np.empty((4, 5), "float32"))
    np.testing.assert_allclose(found, 2 * a @ b + 1, rtol=1e-5)
    np.testing.assert_allclose(interpreted, found, rtol=1e-6)


def test_outputs_whose_types_do_not_say_what_they_are():
    n = te.var("n")
    X = te.placeholder((n,), "int32", name="X")
    outputs = te.extern_primfunc(
        X, SQUARES_AND_SIGNS, shape=[(n,), (n,)], dtype=["int32", "uint8"], name="S", tag="mine"
    )
    assert [one.dtype for one in outputs] == ["int32", "uint8"]
    assert outputs[0].op.tag == "mine"
    run = teloom.build([X, *outputs])
    for count in (0, 1, 7):
        x = RNG.integers(-9, 9, count, "int32")
        squares, signs = np.empty(count, "int32"), np.empty(count, "uint8")
        run(x, squares, signs)
        np.testing.assert_array_equal(squares, x * x)
        np.testing.assert_array_equal(signs, x < 0)


def test_a_box_of_a_tensor_has_strides():
    text = """
    func.func @row(%a: memref<1x4xf32, strided<[?, ?], offset: ?>>, %b: memref<4xf32>) {
      %c0 = arith.constant 0 : index
      loop.for %i = 0 to 4 {
        %0 = memref.load %a[%c0, %i] : memref<1x4xf32, strided<[?, ?], offset: ?>>
        memref.store %0, %b[%i] : memref<4xf32>
      }
      func.return
    }"""
    R = te.extern_primfunc([A[2, 3:7]], text)
    a = RNG.random((4, 8)).astype("float32")
    teloom.build([A, R])(a, found := np.empty(4, "float32"))
    np.testing.assert_array_equal(found, a[2, 3:7])


def of(arguments: str, result: str = "", inputs: Any = (A,), **kwargs: Any) -> Any:
    """The tensors of a function with these arguments, scheduled."""
    returned = "%x = arith.constant 0 : i32\nfunc.return %x : i32" if result else "func.return"
    text = f"func.func @f({arguments}){result} {{ {returned} }}"
    tensors = te.extern_primfunc(list(inputs), text, **kwargs)
    return te.create_schedule(tensors.op)


OTHER: Any = 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: te.extern_primfunc([A], OTHER),
            "3 is no func.func and no te.func: give one, a module of one",
        ),
        (lambda: te.extern_primfunc([A], "func.func @f("), "error: "),
        (
            lambda: te.extern_primfunc([A], parsed(MATMUL + MATMUL.replace("mat", "m"), "text")),
            "wants one func.func or te.func with a body, got func.func, func.func",
        ),
        (lambda: of("%a: memref<4x8xf32>"), "f has 1 arguments for 1 inputs and at least one outp"),
        (
            lambda: of("%a: memref<4x8xf32>, %b: memref<4xf32>", " -> i32"),
            "f returns values; an extern fills buffers",
        ),
        (lambda: of("%a: memref<4x8xf32>, %n: index"), "an argument of f is index, and no memref"),
        (
            lambda: of("%a: memref<4x8xf32>, %b: memref<?xf32>"),
            "an output of f is memref<?xf32>, which does not say its shape; give shape=",
        ),
        (
            lambda: of("%a: memref<4x8xf32>, %b: memref<4xi7>"),
            "an output of f has elements of i7, which no dtype is",
        ),
        (
            lambda: of("%a: memref<4x9xf32>, %b: memref<4xf32>"),
            "the body of 'f' is memref<4x9xf32>; its buffer is memref<4x8xf32>",
        ),
        (
            lambda: of("%a: memref<1x4xf32>, %b: memref<4xf32>", inputs=[A[2, 3:7]]),
            "is memref<1x4xf32>; its buffer is memref<1x4xf32, strided<[?, ?], offset: ?>>",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


def rows_of(count: Any) -> Any:
    """A module of level te: the sums of rows, doubled and then accumulated."""
    S = te.placeholder((count, 4), name="S")
    state = te.placeholder((count,), name="state")
    double = te.compute((count, 4), lambda i, j: S[i, j] * 2, name="double")
    k = te.reduce_axis((0, 4), "k")
    total = te.compute((count,), lambda i: te.sum(double[i, k], axis=k), name="total")
    first = te.compute((1,), lambda t: total[t], name="first")
    following = te.compute((count,), lambda t: state[t - 1] + total[t], name="following")
    sums = te.scan(first, following, state, name="sums")
    r = te.reduce_axis((1, count), "r")
    return te.create_prim_func([S, te.update(sums, r, lambda U, r: (r, U[r] + U[0]), name="U")])


def expected_rows(x: np.ndarray) -> np.ndarray:
    found = np.cumsum((2 * x).sum(1))
    found[1:] += found[:1]
    return found


@pytest.mark.parametrize("as_what", ["text", "module", "function"])
def test_stages_of_a_te_function(as_what: str):
    """Each stage is one of the program, and scheduled like others."""
    n, m = te.var("n"), te.var("m")
    function = rows_of(n)
    if as_what == "text":
        function = str(function)
    if as_what == "function":
        function = function.body.block.first_op
    X = te.placeholder((m, 4), name="X")
    total = te.compute((m, 4), lambda i, j: X[i, j] + 1, name="total")
    U = te.extern_primfunc([total], function, name="rows", tag="mine")
    D = te.compute((m,), lambda i: U[i] - 1, name="D")
    s = te.create_schedule(D)
    assert [stage.op.name for stage in s.stages if stage.op.axis] == [
        *("total", "double", "total", "first", "sums", "rows", "D")
    ]
    assert (U.op.tag, U.shape, U.dtype) == ("mine", (m,), "float32")
    double, sums = s.stages[2], s.stages[5]
    assert double.op.name == "double"
    assert sums.op.name == "sums"
    double.compute_inline()
    s[U].split(U.op.axis[0], 4)
    if as_what == "module":
        te.auto_schedule(s)
    run = teloom.build(s, [X, D])
    for count in (0, 1, 6):
        x = RNG.random((count, 4)).astype("float32")
        run(x, found := np.full(count, np.nan, "float32"))
        np.testing.assert_allclose(found, expected_rows(x + 1) - 1, rtol=1e-5)


def test_a_te_function_twice():
    X = te.placeholder((5, 4), name="X")
    one, two = (te.extern_primfunc(X, rows_of(5)) for _ in range(2))
    x = RNG.random((5, 4)).astype("float32")
    found = np.empty((2, 5), "float32")
    teloom.build([X, one, two])(x, *found)
    np.testing.assert_allclose(found, [expected_rows(x)] * 2, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: te.extern_primfunc([A, A], f), "main has 1 tensors as arguments, got 2"),
        (
            lambda f: te.extern_primfunc([te.placeholder((8, 4), name="X")], f),
            "size n of main would be 8, an extent of X, but must be a te.var",
        ),
        (
            lambda f: te.extern_primfunc([te.placeholder((te.var("m"), 5), name="X")], f),
            "X is float32 of the shape [m, 5], but argument 0 of main is float32 of [m, 4]",
        ),
        (
            lambda f: te.extern_primfunc([te.placeholder((te.var("m"), 4), "int32", name="X")], f),
            "X is int32 of the shape [m, 4], but argument 0 of main is float32 of [m, 4]",
        ),
        (lambda f: te.extern_primfunc([A[0:2]], f), "A[0 : 2, 0 : 8] is no input of main: a te."),
        (
            lambda f: te.extern_primfunc(
                [te.placeholder((N, 4), name="X")], teloom.lower(f, level="schedule")
            ),
            "main holds schedule.stage; its stages must not be scheduled yet",
        ),
        (
            lambda f: te.extern_primfunc([A], f, shape=(4,)),
            "no argument for main named shape; there",
        ),
        (
            lambda f: te.extern_primfunc(
                [], te.create_prim_func([te.compute((N,), lambda i: 1.0)])
            ),
            "size n of main is no extent of a tensor that it gets, so its value is not known",
        ),
        (
            lambda f: te.create_schedule(R := factored(f)).rfactor(R, R.op.reduce_axis[0]),
            "cannot factor total: it is a stage of a te.func, with no equation in te",
        ),
    ],
)
def test_refuses_for_a_te_function(make: Any, words: str):
    with pytest.raises(teloom.Error) as error:
        make(rows_of(N))
    assert words in str(error.value)


N = te.var("n")


def factored(function: Any) -> Any:
    """The stage of a function that sums."""
    k = te.reduce_axis((0, 4), "k")
    S = te.placeholder((N, 4), name="S")
    total = te.compute((N,), lambda i: te.sum(S[i, k], axis=k), name="total")
    return te.extern_primfunc([S], te.create_prim_func([S, total]))


def test_ops_are_placed_where_the_text_says_or_where_it_is_given():
    text = """func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  loop.for %i = 0 to 4 {
    %0 = memref.load %a[%i] : memref<4xf32> loc("mine.py":7:3)
    memref.store %0, %b[%i] : memref<4xf32>
  }
  func.return
}
"""
    A = te.placeholder((4,), name="A")
    B = te.extern_primfunc([A], text, name="B")
    ops = teloom.lower(te.create_schedule(B.op), [A, B], level="loop").walk()
    places = {str(op.location) for op in ops if op.name.startswith("memref.")}
    assert places == {'loc("mine.py":7:3)', "loc(unknown)"}
