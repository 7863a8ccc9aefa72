"""How dtypes meet, and which numbers they hold."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.frontend.expr import dtypes


def scalar(dtype: str):
    return te.placeholder((), dtype, name="x")()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # the wider float
        ("float16", "float32", "float32"),
        ("float64", "float32", "float64"),
        ("bfloat16", "float64", "float64"),
        ("float16", "bfloat16", "float32"),
        # a float beside any integer
        ("int64", "float16", "float16"),
        ("uint8", "bfloat16", "bfloat16"),
        ("bool", "float32", "float32"),
        # the wider integer, whatever the signs
        ("int8", "int16", "int16"),
        ("uint32", "uint8", "uint32"),
        ("int8", "uint16", "uint16"),
        ("uint16", "int32", "int32"),
        ("bool", "int8", "int8"),
        # of one width the unsigned one
        ("int32", "uint32", "uint32"),
        ("uint8", "int8", "uint8"),
    ],
)
def test_promotion(a: str, b: str, expected: str):
    assert (scalar(a) + scalar(b)).dtype == expected
    assert (scalar(b) + scalar(a)).dtype == expected


def test_promotion_is_of_one_mind():
    for a in dtypes.DTYPES:
        assert dtypes.promote(a, a) == a
        for b in dtypes.DTYPES:
            assert dtypes.promote(a, b) == dtypes.promote(b, a)


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [
        ("uint8", 3, "uint8"),
        ("float16", 3, "float16"),
        ("float64", 0.5, "float64"),
        ("int64", 0.5, "float32"),
        ("bool", 3, "int32"),
        ("bool", 2**31, "int64"),
        ("int32", 2**31 - 1, "int32"),
        ("int32", 2**31, "int64"),
        ("int32", -(2**31) - 1, "int64"),
        ("uint32", 2**31, "uint32"),
        ("bool", 0.5, "float32"),
        ("int8", True, "int8"),
        ("int8", np.int64(3), "int8"),
        ("float16", np.float64(3), "float16"),
    ],
)
def test_numbers_take_the_other_dtype(dtype: str, number: object, expected: str):
    assert (scalar(dtype) + number).dtype == expected
    assert (number + scalar(dtype)).dtype == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("float16", "float16", "float16"),
        ("int32", "float32", "float32"),
        ("int32", "int32", "float64"),
        ("uint8", "int16", "float64"),
    ],
)
def test_true_division(a: str, b: str, expected: str):
    assert (scalar(a) / scalar(b)).dtype == expected


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_limits_of_floats(dtype: str):
    assert te.max_value(dtype).value == np.finfo(dtype).max
    assert te.min_value(dtype).value == np.finfo(dtype).min


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint64"])
def test_limits_of_integers(dtype: str):
    assert te.max_value(dtype).value == np.iinfo(dtype).max
    assert te.min_value(dtype).value == np.iinfo(dtype).min


def test_limits_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert te.max_value("bfloat16").value == float(ml_dtypes.finfo("bfloat16").max)


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("uint8"), "bfloat16"])
def test_dtype_may_be_of_numpy(dtype: object):
    assert te.placeholder((4,), dtype).dtype in ("float32", "uint8", "bfloat16")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: te.placeholder((4,), "float33"),
            "unknown dtype 'float33'; did you mean 'float32'?",
        ),
        (lambda: te.placeholder((4,), "double"), "unknown dtype 'double'; known are float16"),
        (lambda: te.const(300, "uint8"), "300 does not fit uint8, which holds 0..255"),
        (lambda: te.const(2.5), "2.5 is not an integer, as int32 needs"),
        (lambda: te.const(float("nan"), "int8"), "nan is not an integer"),
        (lambda: te.const(1e39, "float32"), "1e+39 does not fit float32"),
        (lambda: te.const(10**400, "float64"), "does not fit float64"),
        (lambda: te.const("3"), "const wants a number, got '3'"),
        (lambda: scalar("uint8") + -1, "-1 does not fit uint8"),
        (lambda: scalar("int32") + 2**63, "9223372036854775808 does not fit int64"),
        (lambda: te.placeholder((2**63,)), "9223372036854775808 does not fit int64"),
        (lambda: te.reduce_axis((-(2**62), 2**63 - 1)), "13835058055282163711 does not fit int64"),
        (lambda: scalar("bool") + scalar("bool"), "add is not defined on bool"),
        (lambda: scalar("float32") // 2, "use te.floor(a / b) on floats"),
        (lambda: scalar("float32") % 2, "use te.fmod on floats"),
        (lambda: scalar("float32") & 1, "bitwise_and is not defined on float32"),
        (lambda: te.fmod(scalar("int32"), 2), "use % or te.truncmod on integers"),
        (lambda: te.var("n") // 0, "floordiv of n by 0"),
        (lambda: te.truncmod(scalar("uint8"), 0), "truncmod of x[] by 0"),
        (lambda: scalar("int8") << 8, "left_shift of x[] by 8; int8 is shifted by 0..7"),
        (lambda: te.size_var("n", "float32"), "has dtype float32, but a size is int32 or int64"),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
