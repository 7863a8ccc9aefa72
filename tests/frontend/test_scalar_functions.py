"""Every scalar function on every dtype it is defined on, interpreted and in machine code."""

import math

import numpy as np
import pytest
from xdsl.dialects import llvm

import teloom
from teloom import te

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def bit_count(a: np.ndarray, _: np.ndarray) -> np.ndarray:
    return np.bitwise_count(a.view(f"u{a.itemsize}")).astype(a.dtype)


# function, what NumPy calls it, and from where to where it is tried
FLOAT_FUNCTIONS = [
    (te.exp, np.exp, -4, 4),
    (te.erf, np.vectorize(math.erf), -3, 3),
    (te.tanh, np.tanh, -4, 4),
    (te.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -6, 6),
    (te.log, np.log, 0.1, 9),
    (te.log2, np.log2, 0.1, 9),
    (te.log10, np.log10, 0.1, 9),
    (te.log1p, np.log1p, -0.9, 9),
    (te.exp2, np.exp2, -6, 6),
    (te.exp10, lambda x: 10.0**x, -3, 3),
    (te.sin, np.sin, -7, 7),
    (te.cos, np.cos, -7, 7),
    (te.tan, np.tan, -1.5, 1.5),
    (te.sinh, np.sinh, -3, 3),
    (te.cosh, np.cosh, -3, 3),
    (te.asin, np.arcsin, -1, 1),
    (te.asinh, np.arcsinh, -5, 5),
    (te.acos, np.arccos, -1, 1),
    (te.acosh, np.arccosh, 1, 9),
    (te.atan, np.arctan, -9, 9),
    (te.atanh, np.arctanh, -0.9, 0.9),
    (te.sqrt, np.sqrt, 0, 9),
    (te.rsqrt, lambda x: 1 / np.sqrt(x), 0.1, 9),
    (te.floor, np.floor, -2.5, 3),
    (te.ceil, np.ceil, -2.5, 3),
    (te.trunc, np.trunc, -2.5, 3),
    (te.round, lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), -2.5, 3),
    (te.nearbyint, np.rint, -2.5, 3),
    (te.abs, np.abs, -3, 3),
    (lambda x: -x, np.negative, -3, 3),
    (lambda x: x**2.5, lambda x: np.power(x, 2.5), 0, 4),
    (lambda x: 1 / x, lambda x: 1 / x, 0.1, 4),
]

# function of two integers, and what NumPy calls it
INTEGER_FUNCTIONS = [
    (lambda a, b: a + b, np.add),
    (lambda a, b: a - b, np.subtract),
    (lambda a, b: a * b, np.multiply),
    (lambda a, b: a & b, np.bitwise_and),
    (lambda a, b: a | b, np.bitwise_or),
    (lambda a, b: a ^ b, np.bitwise_xor),
    (te.min, np.minimum),
    (te.max, np.maximum),
    (lambda a, b: a == b, np.equal),
    (lambda a, b: a != b, np.not_equal),
    (lambda a, b: a < b, np.less),
    (lambda a, b: a <= b, np.less_equal),
    (lambda a, b: a > b, np.greater),
    (lambda a, b: a >= b, np.greater_equal),
    (lambda a, b: a << (b & 7), lambda a, b: a << (b & 7)),
    (lambda a, b: a >> (b & 7), lambda a, b: a >> (b & 7)),
    (lambda a, b: ~a, lambda a, b: ~a),
    (lambda a, b: -a, lambda a, b: np.negative(a)),
    (lambda a, b: a**3, lambda a, b: a * a * a),
    (lambda a, b: te.popcount(a), bit_count),
    (lambda a, b: te.select(a < b, a, b), np.minimum),
    (lambda a, b: te.if_then_else(a < b, a, b), np.minimum),
]

DIVISIONS = [
    (lambda a, b: a // b, np.floor_divide),
    (lambda a, b: a % b, np.mod),
    (te.floordiv, np.floor_divide),
    (te.floormod, np.mod),
    (te.indexdiv, np.floor_divide),
    (te.indexmod, np.mod),
    (te.truncmod, np.fmod),
    (te.truncdiv, lambda a, b: (a - np.fmod(a, b)) // b),
    (te.div, lambda a, b: (a - np.fmod(a, b)) // b),
    (te.ceildiv, lambda a, b: a // b + (a % b != 0).astype(a.dtype)),
]


def floats(low: float, high: float, dtype: str) -> np.ndarray:
    return np.linspace(low, high, 23).astype(dtype)


def integers(dtype: str, seed: int = 0) -> np.ndarray:
    info = np.iinfo(dtype)
    ends = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7]
    rng = np.random.default_rng(seed)
    some = rng.integers(info.min, info.max, 20, dtype)
    return np.concatenate([np.array(rng.permutation(np.array(ends, object)), dtype), some])


def divisors(dtype: str) -> np.ndarray:
    """Small ones, 0 and -1 among them, beside each of the extreme numbers."""
    small = [1, 2, 3, 7, 0] if dtype.startswith("u") else [1, -2, 3, -7, 0, -1, -1]
    return np.resize(np.array(small, dtype), integers(dtype).shape)


def close(found: np.ndarray, expected: np.ndarray, dtype: str) -> None:
    """Within 4 units in the last place: of NumPy's functions and of ours."""
    assert found.dtype == dtype
    tolerance = 4 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(found, expected.astype(dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("function", "expected", "low", "high"), FLOAT_FUNCTIONS)
def test_floats(evaluate, dtype: str, function, expected, low: float, high: float):
    x = floats(low, high, dtype)
    # A 16-bit result is the rounded float32 one, with a step more for each operation.
    close(evaluate(function, x), expected(x.astype("float64")), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_machine_code_of_floats(dtype: str):
    inputs, outputs = [], []
    for function, *_ in FLOAT_FUNCTIONS:
        x = te.placeholder((23,), dtype, name="x")
        inputs.append(x)
        outputs.append(te.compute((23,), lambda i, f=function, x=x: f(x[i]), name="y"))
    compiled = teloom.build(te.create_schedule(outputs), [*inputs, *outputs], name="all")
    arrays = [floats(low, high, dtype) for _, _, low, high in FLOAT_FUNCTIONS]
    results = [np.empty(23, dtype) for _ in outputs]
    compiled(*arrays, *results)
    for (_, expected, _, _), x, found in zip(FLOAT_FUNCTIONS, arrays, results, strict=True):
        close(found, expected(x.astype("float64")), dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(("function", "expected"), INTEGER_FUNCTIONS)
def test_integers(evaluate, dtype: str, function, expected):
    a, b = integers(dtype), integers(dtype, 1)
    with np.errstate(over="ignore"):
        wanted = expected(a, b)
    found = evaluate(function, a, b)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(("function", "expected"), DIVISIONS)
def test_integer_division(evaluate, dtype: str, function, expected):
    a, b = np.tile(integers(dtype), 7), np.repeat(divisors(dtype)[:7], len(integers(dtype)))
    with np.errstate(all="ignore"):
        wanted = expected(a, b)
    np.testing.assert_array_equal(evaluate(function, a, b), wanted)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
def test_machine_code_of_integers(dtype: str):
    a, b = integers(dtype), integers(dtype, 1)
    d = divisors(dtype)
    a = np.concatenate([a, np.full_like(d, np.iinfo(dtype).min)])
    b, d = np.resize(b, a.shape), np.resize(d, a.shape)
    A, B, D = (te.placeholder(a.shape, dtype, name=name) for name in "ABD")
    outputs, wanted = [], []
    for functions, X, x in ((INTEGER_FUNCTIONS, B, b), (DIVISIONS, D, d)):
        for function, expected in functions:
            outputs.append(te.compute(a.shape, lambda i, f=function, X=X: f(A[i], X[i]), name="y"))
            with np.errstate(all="ignore"):
                wanted.append(expected(a, x))
    compiled = teloom.build(te.create_schedule(outputs), [A, B, D, *outputs], name="all")
    results = [np.empty(a.shape, output.dtype) for output in outputs]
    compiled(a, b, d, *results)
    for found, expected in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_powers_of_unsigned_integers_have_no_sign(evaluate, dtype: str):
    a, b = integers(dtype), integers(dtype, 1)
    compared = evaluate(lambda a, b: te.power(a, b), a, b)
    np.testing.assert_array_equal(compared, np.power(a, b))
    A, B = (te.placeholder(a.shape, dtype, name=name) for name in "AB")
    C = te.compute(a.shape, lambda i: te.power(A[i], B[i]), name="C")
    s = te.create_schedule(C)
    s[C].vectorize(s[C].split(C.op.axis[0], factor=8)[1])
    teloom.build(s, [A, B, C])(a, b, c := np.empty_like(a))
    np.testing.assert_array_equal(c, np.power(a, b))


def test_a_rounded_up_quotient_is_affine():
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((te.ceildiv(n, 4),), lambda i: A[te.ceildiv(i * 8 - 1, 2)], name="B")
    text = str(teloom.lower(te.create_schedule(B), [A, B], level="loop"))
    assert "to %n ceildiv 4" in text
    a = np.arange(9, dtype="float32")
    teloom.build(te.create_schedule(B), [A, B])(a, b := np.empty(3, "float32"))
    np.testing.assert_array_equal(b, [0, 4, 8])


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, "bool"])
@pytest.mark.parametrize("target", [*FLOATS, *INTEGERS, "bool"])
def test_casts(evaluate, source: str, target: str):
    if source in FLOATS:
        # What fits every target: NumPy leaves the rest open, and so do we.
        x = np.array([0, 1, 2.5, 99.75, 127, -0.0], source)
    elif source == "bool":
        x = np.array([True, False])
    else:
        x = integers(source)
    found = evaluate(lambda value: value.astype(target), x)
    assert found.dtype == target
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found, x.astype(target))


@pytest.mark.parametrize("source", ["float32", "float64", "int32", "bool"])
def test_bfloat16_casts(evaluate, source: str):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([0, 1, 1, 0], source)
    found = evaluate(lambda value: value.astype("bfloat16"), x)
    assert found.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(found.astype(source), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(evaluate, dtype: str):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5], dtype)
    np.testing.assert_array_equal(evaluate(te.isnan, x), np.isnan(x))
    np.testing.assert_array_equal(evaluate(te.isinf, x), np.isinf(x))
    np.testing.assert_array_equal(evaluate(te.isfinite, x), np.isfinite(x))
    np.testing.assert_array_equal(evaluate(lambda v: v != v, x), np.isnan(x))
    np.testing.assert_array_equal(evaluate(lambda v: te.max(v, 1), x), np.maximum(x, dtype_one(x)))


def dtype_one(x: np.ndarray) -> np.ndarray:
    return np.ones((), x.dtype)


def test_functions_of_integers_that_change_nothing():
    x = te.placeholder((), "int32")()
    assert te.floor(x) is x
    assert te.round(x) is x
    assert str(te.isnan(x)) == "False"
    assert str(te.isfinite(x)) == "True"


def test_logic(evaluate):
    a = np.array([True, True, False, False])
    b = np.array([True, False, True, False])
    np.testing.assert_array_equal(evaluate(te.all, a, b), a & b)
    np.testing.assert_array_equal(evaluate(te.any, a, b), a | b)
    np.testing.assert_array_equal(evaluate(lambda x, y: ~x ^ y, a, b), ~a ^ b)


def test_fmod_is_one_operation():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: te.fmod(A[i], 3), name="B")
    kinds = [type(op) for op in te.create_schedule(B).module.walk()]
    assert llvm.FRemOp in kinds


@pytest.mark.parametrize("function", [te.exp, te.log2, te.rsqrt, te.tanh, te.exp2, te.sigmoid])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64"])
def test_functions_of_integers_are_float32(function, dtype: str):
    assert function(te.placeholder((), dtype)()).dtype == "float32"
    assert te.hypot(te.placeholder((), dtype)(), te.var("n")).dtype == "float32"


def test_functions_of_integers():
    x = np.array([0, 1, 2, 9, 80], "int32")
    y = x % 2 == 1
    X, Y = te.placeholder(x.shape, "int32", name="X"), te.placeholder(x.shape, "bool", name="Y")
    of_both = te.compute(
        x.shape,
        lambda i: (te.exp(X[i]), te.sqrt(X[i]), te.sigmoid(Y[i]), te.hypot(X[i], 4), te.sqrt(2)),
    )
    outputs = [np.empty(x.shape, "float32") for _ in of_both]
    teloom.build(te.create_schedule(of_both[0].op), [X, Y, *of_both])(x, y, *outputs)
    wanted = [np.exp(x), np.sqrt(x), 1 / (1 + np.exp(-1.0 * y)), np.hypot(x, 4), np.sqrt([2.0] * 5)]
    np.testing.assert_allclose(outputs, wanted, rtol=1e-6)
