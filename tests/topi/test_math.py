"""Functions of each element of one tensor."""

import math
from typing import Any

import numpy as np
import pytest

from teloom import te, topi

FLOATS = {
    "exp fast_exp": np.exp,
    "tanh fast_tanh": np.tanh,
    "tan": np.tan,
    "cos": np.cos,
    "cosh": np.cosh,
    "sin": np.sin,
    "sinh": np.sinh,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "erf fast_erf": np.vectorize(math.erf, "d"),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
INSIDE = {"acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh}
ABOVE_ONE = {
    "acosh": np.arccosh,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "ceil_log2": lambda x: np.ceil(np.log2(x)),
}
NUMBERS = {
    "identity": lambda x: x,
    "negative": np.negative,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "sign": np.sign,
    "abs": np.abs,
    "isnan": np.isnan,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
}


def each(functions, tensor, array):
    return [
        (getattr(topi, name)(tensor), f(array))
        for names, f in functions.items()
        for name in names.split()
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_floats(dtype, both, interpreted):
    A, B, C = (te.placeholder((5,), dtype, name) for name in "ABC")
    a = np.array([-2.5, -0.4, 0, 0.3, 1.7], dtype)
    b = np.array([-0.9, -0.4, 0, 0.3, 0.8], dtype)
    c = np.array([1, 1.5, 2, 33, 700], dtype)
    wanted = [*each(FLOATS, A, a), *each(INSIDE, B, b), *each(ABOVE_ONE, C, c)]
    (both if dtype == "float32" else interpreted)({A: a, B: b, C: c}, wanted)


def test_half_floats(interpreted):
    A = te.placeholder((4,), "float16", "A")
    a = np.array([-1.5, 0, 0.5, 2], "float16")
    interpreted({A: a}, each(FLOATS, A, a))


def test_numbers(both):
    A, B, U = te.placeholder((9,), name="A"), te.placeholder((4,), "int8", name="B"), None
    a = np.array([-2.5, -1.5, -0.5, 0, 0.5, 1.5, np.nan, np.inf, -np.inf], "float32")
    b = np.array([-128, -3, 0, 7], "int8")
    U = te.placeholder((3,), "uint8", name="U")
    u = np.array([0, 1, 255], "uint8")
    wanted = [*each(NUMBERS, A, a), *each(NUMBERS, B, b)]
    wanted += [(topi.sign(U), np.sign(u)), (topi.abs(U), u)]
    wanted += [(topi.clip(A, -1, 1.2), np.clip(a, -1, 1.2)), (topi.clip(B, -5, 5), b.clip(-5, 5))]
    wanted += [(topi.clip(A, 1, 0), np.clip(a, 1, 0))]
    wanted += [(topi.cast(A, "bool"), a != 0), (topi.cast(B, "uint8"), b.astype("uint8"))]
    wanted += [(topi.reinterpret(A, "int32"), a.view("int32"))]
    wanted += [(topi.reinterpret(U, "int8"), u.view("int8"))]
    both({A: a, B: b, U: u}, wanted)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_ceil_log2_of_integers(dtype, both):
    values = [0, 1, 2, 3, 4, 5, 64, 65, 127]
    A = te.placeholder((9,), dtype, "A")
    both({A: np.array(values, dtype)}, [(topi.ceil_log2(A), np.array([0, 0, 1, 2, 2, 3, 6, 7, 7]))])


def q31(x, multiplier, left, right):
    exact = [int(v) * 2 ** int(s) * int(m) for v, m, s in np.broadcast(x, multiplier, left)]
    return [(one + 2 ** (30 + int(right))) >> (31 + int(right)) for one in exact]


@pytest.mark.parametrize(("multiplier", "shift"), [(1 << 30, 1), (-(1 << 31), 0), (1518500250, -3)])
def test_fixed_point_multiply(multiplier, shift, interpreted):
    a = np.array([0, 1, -1, 5, -6, 12345678, -87654321], "int32")
    A = te.placeholder(a.shape, "int32", "A")
    expected = np.array(q31(a, multiplier, max(shift, 0), max(-shift, 0)), "int32")
    interpreted({A: a}, [(topi.fixed_point_multiply(A, multiplier, shift), expected)])


def test_fixed_point_multiply_per_axis(both):
    x = np.array([[5, -7, 9], [1000, -2001, 3]], "int32")
    y, left, right = (np.array(v, "int32") for v in ([1 << 30, 7 << 27], [1, 2], [0, 3]))
    X, Y, L, R = (
        te.placeholder(one.shape, "int32", k) for one, k in zip((x, y, left, right), "XYLR")
    )
    expected = np.array([q31(x[k], y[k], left[k], right[k]) for k in (0, 1)], "int32")
    without = np.array([q31(x[k], y[k], 0, right[k]) for k in (0, 1)], "int32")
    multiply = topi.fixed_point_multiply_per_axis
    wanted = [
        (multiply(X, Y, L, R, 1, 1, [0]), expected),
        (multiply(X, Y, L, R, 0, 1, 0), without),
    ]
    both({X: x, Y: y, L: left, R: right}, wanted)


A = te.placeholder((8, 4), name="A")
NUMBER: Any = 2.0
I = te.placeholder((8, 4), "int32", name="I")  # noqa: E741


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: topi.exp(NUMBER), "topi.exp: x is 2.0, not a tensor"),
        (lambda: topi.clip(I, 0, 0.5), "topi.clip: a_max is 0.5: 0.5 is not an integer, as int32"),
        (lambda: topi.cast(A, "float23"), "topi.cast: dtype is 'float23': unknown"),
        (lambda: topi.reinterpret(A, "int64"), "which is float32, as int64: they"),
        (lambda: topi.fixed_point_multiply(A, 3, 0), "x is A of shape (8, 4) and dtype float32"),
        (lambda: topi.fixed_point_multiply(I, 1 << 31, 0), "which does not fit 32 bits"),
        (lambda: topi.fixed_point_multiply(I, 3, 40), "shift is 40, outside of -31..31"),
        (
            lambda: topi.fixed_point_multiply_per_axis(I, I, I, I, 1, 1, [0]),
            "y is I of shape (8, 4) and dtype int32, but x on axes [0] is I",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
