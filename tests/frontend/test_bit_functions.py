"""Functions of bits, of two floats and of fixed-point numbers, next to NumPy's and exact ones."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import teloom
from teloom import te

FLOATS = ("float16", "float32", "float64")


def computed(function, vectorized: bool, *arrays: np.ndarray) -> np.ndarray:
    """`function` of the elements of arrays, in machine code."""
    inputs = [te.placeholder(one.shape, one.dtype, name=f"A{k}") for k, one in enumerate(arrays)]
    B = te.compute(arrays[0].shape, lambda i: function(*(one[i] for one in inputs)), name="B")
    s = te.create_schedule(B)
    if vectorized:
        s[B].vectorize(s[B].split(B.op.axis[0], factor=8)[1])
    found = np.empty(arrays[0].shape, B.dtype)
    teloom.build(s, [*inputs, B])(*arrays, found)
    return found


def pairs(dtype: str) -> list[np.ndarray]:
    """All pairs of ordinary numbers, extreme ones, and those that are none."""
    info = np.finfo(dtype)
    ends = [0.0, info.smallest_subnormal, info.tiny, info.max, np.inf, np.nan]
    some = np.array([*ends, 1.0, 1 + info.eps, 2.5, 1e-3, 300.0], dtype)
    numbers = np.concatenate([some, -some])
    return [
        np.array(column, dtype) for column in zip(*itertools.product(numbers, numbers), strict=True)
    ]


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_exact_functions_of_two_floats(dtype: str, vectorized: bool):
    x, y = pairs(dtype)
    for function, expected in ((te.copysign, np.copysign), (te.nextafter, np.nextafter)):
        found, wanted = computed(function, vectorized, x, y), expected(x, y)
        defined = ~np.isnan(wanted) & (x != y)  # of equal numbers C has the second
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found)[defined], np.signbit(wanted)[defined])


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_rounded_functions_of_two_floats(dtype: str, vectorized: bool):
    x, y = pairs(dtype)
    tolerance = 4 * float(np.finfo(dtype).eps)
    with np.errstate(all="ignore"):
        for function, expected in ((te.hypot, np.hypot), (te.atan2, np.arctan2)):
            wanted = expected(x.astype("longdouble"), y.astype("longdouble")).astype(dtype)
            found = computed(function, vectorized, x, y)
            if function is te.hypot:  # of an infinity and NaN, C has an infinity
                wanted = np.where(np.isinf(x) | np.isinf(y), np.array(np.inf, dtype), wanted)
            least = float(np.finfo(dtype).smallest_subnormal)
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=2 * least)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ldexp_rounds_once(dtype: str):
    numbers = [1.0, -1.75, 1 + 2.0**-20, 5e-324, 2.0**-100 * 1.2345678, 1e300, np.inf, 0.0]
    exponents = [0, 1, -1, 60, -60, -149, -970, -1050, -1074, 1023, 2000, -3000, 10**9, -(10**9)]
    both = [(x, e) for x, e in itertools.product(np.array(numbers).astype(dtype), exponents)]
    x, e = (np.array(column) for column in zip(*both, strict=True))
    found = computed(te.ldexp, False, x.astype(dtype), e.astype("int32"))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, np.ldexp(x.astype(dtype), e.astype("int32")))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_leading_zeros(dtype: str):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 2, 7, info.max, info.min, info.max // 3], dtype)
    wanted = [info.bits - (int(one) % 2**info.bits).bit_length() for one in x]
    np.testing.assert_array_equal(computed(te.clz, False, x), np.array(wanted, "int32"))


@pytest.mark.parametrize(
    ("source", "target"), [("float32", "int32"), ("uint64", "float64"), ("int8", "uint8")]
)
@pytest.mark.parametrize("vectorized", [False, True])
def test_reinterpret(source: str, target: str, vectorized: bool):
    bits = np.arange(0, 250, 10).astype("uint8").repeat(np.dtype(source).itemsize)
    x = bits.view(source)
    found = computed(lambda a: te.reinterpret(target, a), vectorized, x)
    np.testing.assert_array_equal(found.view("uint8"), x.view("uint8"))


def test_fixed_point():
    rng = np.random.default_rng(0)
    x = rng.integers(-(2**31), 2**31, 200).astype("int32")
    for factor, shift in ((1 << 30, -3), (1 << 30, 1), (1395864371, -9), (2147483647, 0)):
        found = computed(lambda a, y=factor, s=shift: te.q_multiply_shift(a, y, 31, s), True, x)
        exact = (Fraction(int(one)) * factor * Fraction(2) ** (shift - 31) for one in x)
        wanted = np.array([math.floor(one + Fraction(1, 2)) for one in exact])
        fits = np.abs(wanted) < 2**31
        np.testing.assert_array_equal(found[fits], wanted[fits])


def test_names_of_intrinsics():
    x = te.placeholder((4,), name="x")[0]
    assert str(te.call_intrin("float32", "tir.exp", x)) == "exp(x[0])"
    assert te.call_intrin("int32", "reinterpret", x).dtype == "int32"
    assert te.call_intrin("float32", "tir.pow", x, 2.0).dtype == "float32"
    assert te.likely(x > 0).dtype == "bool"


X = te.placeholder((4,), name="X")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.call_intrin("float32", "tir.expp", X[0]), "no intrinsic named expp; did you"),
        (lambda: te.call_intrin("int32", "tir.exp", X[0]), "exp(X[0]) by call_intrin is float32"),
        (lambda: te.reinterpret("int64", X[0]), "reinterpret of X[0], which is float32, as int64"),
        (lambda: te.reinterpret("bool", X[0]), "they have no bits in common"),
        (lambda: te.ldexp(X[0], X[1]), "the exponent of ldexp is X[1], which is float32"),
        (lambda: te.nextafter(te.var("n"), 1), "nextafter wants float16, float32 or float64, n is"),
        (lambda: te.clz(X[0]), "clz is not defined on float32"),
        (lambda: te.copysign(te.var("n"), 1), "copysign is not defined on int32"),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
