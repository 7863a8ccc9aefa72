"""Schedules by rules of products of bfloat16, for a level that allows instructions for them."""

import numpy as np
import pytest
from budget import pairs
from ml_dtypes import bfloat16

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)

GROUPED = "2 of which an instruction adds to a lane"

TARGET = "znver4"


def numbers(*shape: int) -> np.ndarray:
    """Small integers, whose sums of products are exact in any order."""
    return RNG.integers(-8, 8, shape).astype(bfloat16)


def product(dtypes, sums, n, m, k, transposed):
    A = te.placeholder((n, k), dtypes[0], name="A")
    B = te.placeholder((m, k) if transposed else (k, m), dtypes[1], name="B")
    r = te.reduce_axis((0, k), "r")

    def term(i, j):
        other = B[j, r] if transposed else B[r, j]
        return te.sum(A[i, r].astype(sums) * other.astype(sums), axis=r)

    return A, B, te.compute((n, m), term, name="C")


def is_grouped(dtypes, sums="float32", target=TARGET, math="fast") -> bool:
    s = te.create_schedule(product(dtypes, sums, 64, 64, 64, False)[-1])
    return GROUPED in "".join(te.auto_schedule(s, target, 1, math))


SIZES = [(13, 70, 37), (64, 64, 64), (1, 1, 1), (7, 130, 3), (0, 5, 4), (5, 0, 4), (5, 4, 0)]


@pytest.mark.parametrize(("sizes", "transposed"), pairs(SIZES, [False, True]))
def test_a_schedule_for_instructions_is_right_without_them(sizes, transposed):
    A, B, C = product(("bfloat16", "bfloat16"), "float32", *sizes, transposed)
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
    D = te.placeholder((1, 8, 9, 9), "bfloat16", name="D")
    W = te.placeholder((20, 8, 3, 3), "bfloat16", name="W")
    R = topi.nn.relu(topi.nn.conv2d_nchw(D, W, 1, 1, 1, "float32")).astype("bfloat16")
    s = topi.schedule(R, TARGET, reasons=(why := []), num_threads=1, math="fast")
    assert GROUPED in "".join(why)
    data, weights = numbers(1, 8, 9, 9), numbers(20, 8, 3, 3)
    around = np.pad(data.astype("float32"), [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3), (2, 3))
    expected = np.maximum(np.einsum("nchwrs,fcrs->nfhw", windows, weights.astype("float32")), 0)
    teloom.build(s, [D, W, R], math="fast")(data, weights, found := np.ones(R.shape, bfloat16))
    np.testing.assert_array_equal(found, expected.astype(bfloat16))


def test_which_products_have_instructions():
    both = ("bfloat16", "bfloat16")
    assert is_grouped(both)
    assert not is_grouped(both, math="default")
    assert not is_grouped(both, math=None)
    assert not is_grouped(both, target="x86-64-v4")
    assert not is_grouped(both, sums="float64")
    assert not is_grouped(("bfloat16", "float16"))
    assert not is_grouped(("float16", "float16"))
    assert not is_grouped(("int8", "int8"))
    assert not is_grouped(("bfloat16", "int8"))


@pytest.mark.parametrize(
    ("math", "strict", "expected"),
    [("fast", False, True), ("default", False, False), ("fast", True, False)],
)
def test_tensors_are_scheduled_for_the_level_they_are_built_for(math, strict, expected):
    given = product(("bfloat16", "bfloat16"), "float32", 64, 64, 64, False)
    text = teloom.build(given, target=TARGET, math=math, strict=strict).source("llvm")
    assert ("dpbf16ps" in text) == expected


def test_a_level_that_there_is_not():
    s = te.create_schedule(product(("int8", "int8"), "int32", 4, 4, 4, False)[-1])
    with pytest.raises(teloom.Error, match="no level 'fats' of functions; did you mean 'fast'"):
        te.auto_schedule(s, math="fats")
