"""`te.call_pure_extern`: C functions of numbers, in equations."""

import ctypes
import math
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

A = te.placeholder((10,), "float64", name="A")


def cube_roots(x: Any) -> te.Tensor:
    return te.compute((10,), lambda i: te.call_pure_extern("float64", "cbrt", x[i]) + 1, name="B")


def test_call_extern_in_an_equation_is_a_value():
    A = te.placeholder((10,), "float64", name="A")
    B = te.compute((10,), lambda i: te.call_extern("float64", "cbrt", A[i]) + 1, name="B")
    C = te.compute((10,), lambda i: te.call_extern("float64", "cbrt", B[i] * i), name="C")
    D = te.compute((10,), lambda i: te.call_extern("float32", "hypotf", 3.0, 4.0), name="D")
    s = te.create_schedule([C, D])
    s[B].compute_inline()
    a, c, d = np.arange(10.0), np.empty(10), np.empty(10, "float32")
    teloom.build(s, [A, C, D])(a, c, d)
    np.testing.assert_allclose(c, np.cbrt((np.cbrt(a) + 1) * np.arange(10)))
    assert (d == 5).all()


def test_a_call_for_an_extern_is_no_value():
    words = "call_extern of f is no value, as it gets pointers or gives nothing; te.extern runs it"
    for call in (te.call_extern("void", "f", 1), te.call_extern("int32", "f", te.decl_buffer(4))):
        with pytest.raises(teloom.Error, match=words):
            te.compute((4,), lambda i, call=call: call, name="B")


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_function_by_its_name(vectorized: bool):
    B = cube_roots(A)
    s = te.create_schedule(B)
    if vectorized:
        s[B].vectorize(s[B].split(B.op.axis[0], factor=4)[1])
    a = np.linspace(-3, 3, 10)
    teloom.build(s, [A, B])(a, found := np.empty(10))
    np.testing.assert_allclose(found, np.cbrt(a) + 1, rtol=1e-15)
    np.testing.assert_array_equal(interpret(s.module, "main", [a])[0], found)


def test_a_function_of_ctypes_and_small_integers():
    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.c_int, ctypes.c_double)
    def weigh(i: int, number: int, x: float) -> float:
        return i * number - x

    X = te.placeholder((10,), "int8", name="X")
    B = te.compute((10,), lambda i: te.call_pure_extern("float64", weigh, i, X[i], A[i]), name="B")
    D = te.compute((10,), lambda i: te.if_then_else(X[i] > 0, B[i], 0.0), name="D")
    s = te.create_schedule(D)
    s[B].compute_inline()
    x, a = np.arange(-4, 6, dtype="int8"), np.linspace(0, 1, 10)
    teloom.build(s, [X, A, D])(x, a, found := np.empty(10))
    wanted = np.where(x > 0, np.arange(10) * x.astype("float64") - a, 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    program = s.program
    (interpreted,) = interpret(program.module, "main", [x, a], (), program.externals)
    np.testing.assert_array_equal(interpreted, found)
    assert math.isclose(found[9], 9 * 5 - 1)


HALF = te.placeholder((10,), "float16", name="HALF")
NUMBER: Any = 3


def missing() -> None:
    B = te.compute((10,), lambda i: te.call_pure_extern("float64", "cbrtt", A[i]), name="B")
    teloom.build([A, B])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.call_pure_extern("float64", NUMBER), "wants a name or a function of ctypes"),
        (
            lambda: te.call_pure_extern("int8", "f"),
            "what f gives is int8; numbers of C are float32",
        ),
        (
            lambda: te.call_pure_extern("float32", "f", HALF[0]),
            "HALF[0], which f gets, is float16; numbers of C are",
        ),
        (lambda: te.call_pure_extern("float32", "f", "x"), "'x' of type str is not a scalar"),
        (missing, "main calls cbrtt, which this process does not have"),
        (
            lambda: te.gradient(cube_roots(A), [A], head=A),
            "the gradient of cbrt(A[i]), in 'B', is not known",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
