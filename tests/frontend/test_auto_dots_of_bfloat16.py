"""Schedules by rules of products of bfloat16, for a level that allows instructions for them."""

import numpy as np
import pytest
from budget import pairs
from ml_dtypes import bfloat16
from narrow_products import GROUPED, convolution, matmul

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)

BOTH = ("bfloat16", "bfloat16")

TARGET = "znver4"


def numbers(*shape: int) -> np.ndarray:
    """Small integers, whose sums of products are exact in any order."""
    return RNG.integers(-8, 8, shape).astype(bfloat16)


def is_grouped(dtypes, sums="float32", target=TARGET, math="fast") -> bool:
    s = te.create_schedule(matmul(dtypes, 64, 64, 64, False, sums)[-1])
    return f"2 {GROUPED}" in "".join(te.auto_schedule(s, target, 1, math))


SIZES = [(13, 70, 37), (64, 64, 64), (1, 1, 1), (7, 130, 3), (0, 5, 4), (5, 0, 4), (5, 4, 0)]


@pytest.mark.parametrize(("sizes", "transposed"), pairs(SIZES, [False, True]))
def test_a_schedule_for_instructions_is_right_without_them(sizes, transposed):
    A, B, C = matmul(BOTH, *sizes, transposed, "float32")
    s = te.create_schedule(C)
    te.auto_schedule(s, TARGET, 1, "fast")
    n, m, k = sizes
    a, b = numbers(n, k), numbers(k, m)
    expected = a.astype("float32") @ b.astype("float32")
    given = np.ascontiguousarray(b.T) if transposed else b
    for math in ("default", "fast"):
        teloom.build(s, [A, B, C], math=math)(a, given, found := np.ones((n, m), "float32"))
        np.testing.assert_array_equal(found, expected)


def test_a_convolution_and_what_reads_it():
    data, weights = numbers(1, 8, 9, 9), numbers(20, 8, 3, 3)
    (D, W, C), given, expected = convolution("NCHW", data, weights, 1, True, "float32")
    R = C.astype("bfloat16")
    s = topi.schedule(R, TARGET, reasons=(why := []), num_threads=1, math="fast")
    assert f"2 {GROUPED}" in "".join(why)
    teloom.build(s, [D, W, R], math="fast")(*given, found := np.ones(R.shape, bfloat16))
    np.testing.assert_array_equal(found, expected.astype(bfloat16))


def test_which_products_have_instructions():
    assert is_grouped(BOTH)
    assert not is_grouped(BOTH, math="default")
    assert not is_grouped(BOTH, math=None)
    assert not is_grouped(BOTH, target="x86-64-v4")
    assert not is_grouped(BOTH, sums="float64")
    assert not is_grouped(("bfloat16", "float16"))
    assert not is_grouped(("float16", "float16"))
    assert not is_grouped(("int8", "int8"))
    assert not is_grouped(("bfloat16", "int8"))


@pytest.mark.parametrize(
    ("math", "strict", "expected"),
    [("fast", False, True), ("default", False, False), ("fast", True, False)],
)
def test_tensors_are_scheduled_for_the_level_they_are_built_for(math, strict, expected):
    given = matmul(BOTH, 64, 64, 64, False, "float32")
    text = teloom.build(given, target=TARGET, math=math, strict=strict).source("llvm")
    assert ("dpbf16ps" in text) == expected


def test_a_level_that_there_is_not():
    s = te.create_schedule(matmul(("int8", "int8"), 4, 4, 4, False)[-1])
    with pytest.raises(teloom.Error, match="no level 'fats' of functions; did you mean 'fast'"):
        te.auto_schedule(s, math="fats")
