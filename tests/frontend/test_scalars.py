"""Scalar parameters: `te.var` of a dtype that no size has."""

import numpy as np
import pytest

import teloom
from teloom import te


def scaled(dtype: str = "float32"):
    n, alpha = te.var("n"), te.var("alpha", dtype)
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * alpha, name="B")
    return teloom.build(te.create_schedule(B), [alpha, A, B], name="scaled")


@pytest.mark.parametrize("length", [0, 1, 7])
@pytest.mark.parametrize("value", [2.5, 3, np.float32(-1.5), np.array(4, "float32")])
def test_a_number_is_passed(value, length: int):
    a, b = np.arange(length, dtype="float32"), np.empty(length, "float32")
    function = scaled()
    for _ in range(4):  # known calls go to machine code
        function(value, a, b)
        np.testing.assert_array_equal(b, a * np.float32(value))
    function(1.0, a, b)
    np.testing.assert_array_equal(b, a)


def test_a_placeholder_without_axes_takes_a_number():
    s = te.placeholder((), "float64", name="s")
    C = te.compute((), lambda: s() + 1, name="C")
    c = np.empty((), "float64")
    teloom.build(te.create_schedule(C), [s, C])(2, c)
    assert c == 3


@pytest.mark.parametrize(
    "value", [float("inf"), float("-inf"), float("nan"), 3.4028235e38, -1e-300]
)
def test_numbers_at_the_ends_of_a_dtype_are_passed(value: float):
    s = te.placeholder((), "float32", name="s")
    C = te.compute((), lambda: s() * 1, name="C")
    c = np.empty((), "float32")
    teloom.build(te.create_schedule(C), [s, C])(value, c)
    np.testing.assert_array_equal(c, np.float32(value))


@pytest.mark.parametrize(
    ("dtype", "value", "words"),
    [
        ("int8", 300, "argument alpha is 300, which is no int8"),
        ("int8", 2.5, "argument alpha is 2.5, which is no int8"),
        ("uint8", -1, "argument alpha is -1, which is no uint8"),
        ("float32", -1e300, "argument alpha is -1e+300, which is no float32"),
        ("float32", np.float64(1e39), "argument alpha is np.float64(1e+39), which is no float32"),
        ("float16", 65520, "argument alpha is 65520, which is no float16"),
        ("float32", "2", "argument alpha is of type str, expected a number or an array"),
        ("float32", np.timedelta64(2), "argument alpha is of type timedelta64, expected a number"),
        ("float32", 2j, "argument alpha is of type complex, expected a number or an array"),
    ],
)
def test_what_does_not_fit_is_refused(dtype: str, value: object, words: str):
    with pytest.raises(teloom.CallError) as error:
        scaled(dtype)(value, np.zeros(3, "float32"), np.empty(3, "float32"))
    assert words in str(error.value)


def test_no_number_is_an_output():
    A = te.placeholder((), name="A")
    B = te.compute((), lambda: A() + 1, name="B")
    with pytest.raises(teloom.CallError, match="argument B is of type float, expected an array"):
        teloom.build(te.create_schedule(B), [A, B])(1.0, 2.0)


def test_its_text_is_its_name():
    alpha = te.var("alpha", "float32")
    assert str(alpha * 2) == "(alpha * 2.0)"
    assert (alpha.name, alpha.dtype) == ("alpha", "float32")
