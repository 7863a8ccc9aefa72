"""Mathematical functions in machine code, against NumPy and the C library."""

import math
from collections.abc import Callable, Mapping

import ml_dtypes
import numpy as np
import pytest
from standard_kernels import DTYPES, elementwise, run, run_all

POSITIVE = np.linspace(0.05, 9, 48)
ANY = np.linspace(-5, 5, 48)
UNIT = np.linspace(-0.95, 0.95, 48)
ABOVE_ONE = POSITIVE + 1
HALVES = np.arange(-24, 24) / 2
RANGES = [POSITIVE, ABOVE_ONE, ANY, UNIT, HALVES]

UNARY: dict[str, tuple[Callable, np.ndarray]] = {
    "absf": (np.abs, ANY),
    "acos": (np.arccos, UNIT),
    "acosh": (np.arccosh, ABOVE_ONE),
    "asin": (np.arcsin, UNIT),
    "asinh": (np.arcsinh, ANY),
    "atan": (np.arctan, ANY),
    "atanh": (np.arctanh, UNIT),
    "cbrt": (np.cbrt, ANY),
    "ceil": (np.ceil, ANY),
    "cos": (np.cos, ANY),
    "cosh": (np.cosh, ANY),
    "erf": (np.vectorize(math.erf), ANY),
    "exp": (np.exp, ANY),
    "exp2": (np.exp2, ANY),
    "expm1": (np.expm1, ANY),
    "floor": (np.floor, ANY),
    "log": (np.log, POSITIVE),
    "log10": (np.log10, POSITIVE),
    "log1p": (np.log1p, POSITIVE),
    "log2": (np.log2, POSITIVE),
    "round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), ANY),
    "roundeven": (np.rint, HALVES),
    "rsqrt": (lambda x: 1 / np.sqrt(x), POSITIVE),
    "sin": (np.sin, ANY),
    "sinh": (np.sinh, ANY),
    "sqrt": (np.sqrt, POSITIVE),
    "tan": (np.tan, UNIT),
    "tanh": (np.tanh, ANY),
    "trunc": (np.trunc, ANY),
}

# The C library promises a few units in the last place; one rounding more for short floats.
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-6, "f64": 1e-14}


def check(
    functions: Mapping[str, Callable], inputs: list[tuple[str, np.ndarray]], type: str, lanes: int
):
    """Each function, which its operation as text is to compute, in one kernel of all."""
    rounded = [(t, values.astype(DTYPES[t])) for t, values in inputs]
    results = run_all([f"%r = {text}" for text in functions], rounded, type, lanes)
    exact = [values.astype("float64") for _, values in rounded]
    near = {"rtol": TOLERANCE[type], "atol": TOLERANCE[type] / 10}
    for (text, f), result in zip(functions.items(), results, strict=True):
        np.testing.assert_allclose(result.astype("float64"), f(*exact), **near, err_msg=text)


@pytest.mark.parametrize(
    ("type", "lanes"), [*((type, 0) for type in TOLERANCE), ("bf16", 8), ("f32", 8)]
)
def test_functions_of_one_float(type, lanes):
    of = f"vector<{lanes}x{type}>" if lanes else type
    functions = {
        f"math.{op} %x{k} : {of}": lambda *given, f=f, k=k: f(given[k])
        for k, values in enumerate(RANGES)
        for op, (f, on) in UNARY.items()
        if on is values
    }
    assert len(functions) == len(UNARY)
    check(functions, [(type, values) for values in RANGES], type, lanes)


@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("type", TOLERANCE)
def test_functions_of_two_floats(type, lanes):
    of = f"vector<{lanes}x{type}>" if lanes else type
    second = (type, np.linspace(-2, 2, 48))
    functions = {
        f"math.atan2 %x0, %x1 : {of}": np.arctan2,
        f"math.copysign %x0, %x1 : {of}": np.copysign,
    }
    check(functions, [(type, ANY), second], type, lanes)
    check({f"math.powf %x0, %x1 : {of}": np.power}, [(type, POSITIVE), second], type, lanes)


@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("type", TOLERANCE)
def test_fma(type, lanes):
    of = f"vector<{lanes}x{type}>" if lanes else type
    inputs = [(type, ANY), (type, POSITIVE), (type, UNIT)]
    check({f"math.fma %x0, %x1, %x2 : {of}": lambda a, b, c: a * b + c}, inputs, type, lanes)


def test_fma_rounds_once():
    a = np.array([1 + 2.0**-23], "float32")
    r = run("%r = math.fma %x0, %x0, %x1 : f32", [("f32", a), ("f32", -(a * a))], "f32", 0)
    assert r[0] == 2.0**-46


@pytest.mark.parametrize("type", TOLERANCE)
def test_float_to_an_integer_power(type):
    powers = np.resize(np.arange(-3, 4), 48).astype("float64")
    inputs = [(type, POSITIVE / 4 + 0.5), ("i32", powers)]
    check({f"math.fpowi %x0, %x1 : {type}, i32": np.power}, inputs, type, 0)


def test_integer_power_wraps_and_inverts():
    bases = np.array([3, -3, 2, 0, 1, -1, -1, 5, 2, 7], "int32")
    powers = np.array([5, 3, 31, 0, -4, -3, -4, -1, 0, 40], "int32")
    expected = [243, -27, -(2**31), 1, 1, -1, 1, 0, 1, (7**40 + 2**31) % 2**32 - 2**31]
    r = run("%r = math.ipowi %x0, %x1 : i32", [("i32", bases), ("i32", powers)], "i32", 0)
    np.testing.assert_array_equal(r, expected)


BITS = {
    "absi": abs,
    "ctpop": lambda x: (x & 0xFFFFFFFF).bit_count(),
    "ctlz": lambda x: 32 - (x & 0xFFFFFFFF).bit_length(),
    "cttz": lambda x: 32 if x == 0 else (x & -x).bit_length() - 1,
}


@pytest.mark.parametrize("lanes", [0, 8])
def test_bits(lanes):
    a = np.array([0, 1, -1, 2, -8, 12, 2**31 - 1, -(2**31) + 1], "int32")
    of = f"vector<{lanes}xi32>" if lanes else "i32"
    results = run_all([f"%r = math.{op} %x0 : {of}" for op in BITS], [("i32", a)], "i32", lanes)
    for (op, f), r in zip(BITS.items(), results, strict=True):
        np.testing.assert_array_equal(r, [f(int(x)) for x in a], op)


def test_nan_and_infinity_pass_through():
    a = np.array([np.nan, np.inf, -np.inf], "float32")
    r = run("%r = math.exp %x0 : f32", [("f32", a)], "f32", 0)
    np.testing.assert_array_equal(r, [np.nan, np.inf, 0])


def test_bfloat_is_recognised_by_the_name_of_its_dtype():
    kernel = elementwise(["%r = math.absf %x0 : bf16"], ["bf16"], "bf16")
    assert [argument.dtype for argument in kernel.signature.arguments] == ["bfloat16"] * 2
    a = np.array([-1.5], ml_dtypes.bfloat16)
    kernel(a, r := np.zeros_like(a))
    assert r[0] == 1.5
