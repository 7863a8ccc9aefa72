"""Functions of IR as stages: `te.extern_primfunc`."""

from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.driver.parsed_text import parsed

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


@pytest.mark.parametrize("count", [0, 1, 7])
def test_outputs_whose_types_do_not_say_what_they_are(count: int):
    n = te.var("n")
    X = te.placeholder((n,), "int32", name="X")
    outputs = te.extern_primfunc(
        X, SQUARES_AND_SIGNS, shape=[(n,), (n,)], dtype=["int32", "uint8"], name="S", tag="mine"
    )
    assert [one.dtype for one in outputs] == ["int32", "uint8"]
    assert outputs[0].op.tag == "mine"
    x = RNG.integers(-9, 9, count, "int32")
    squares, signs = np.empty(count, "int32"), np.empty(count, "uint8")
    teloom.build([X, *outputs])(x, squares, signs)
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
        (lambda: te.extern_primfunc([A], OTHER), "3 is no func.func: give one, a module of one"),
        (lambda: te.extern_primfunc([A], "func.func @f("), "error: "),
        (
            lambda: te.extern_primfunc(
                [A], te.create_prim_func([A, te.compute((4,), lambda i: A[i, 0])])
            ),
            "wants one func.func with a body, got te.func; what te.func computes, te.compute says",
        ),
        (
            lambda: te.extern_primfunc([A], parsed(MATMUL + MATMUL.replace("mat", "m"), "text")),
            "wants one func.func with a body, got func.func, func.func",
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
