"""Schedules by rules of reductions that read quotients of an axis, as convolutions of groups do."""

import numpy as np
import pytest
from budget import is_chosen

import teloom
from teloom import te, topi

V3 = teloom.target("x86-64-v3")
DIVIDED = "i1.outer and i1.inner are axes of their own, as what it reads divides them"


def grouped(a: np.ndarray, w: np.ndarray, groups: int) -> np.ndarray:
    """The convolution of 3 x 3 taps of each group of channels."""
    n, channels, height, width = a.shape
    a = a.reshape(n, groups, channels // groups, height, width)
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3), axis=(3, 4))
    w = w.reshape(groups, -1, *w.shape[1:])
    return np.einsum("ngcyxrs,gocrs->ngoyx", windows, w).reshape(n, -1, height - 2, width - 2)


@pytest.mark.parametrize("epilogue", [False, True])
@pytest.mark.parametrize(
    ("channels", "results", "groups", "size"), [(8, 16, 2, 20), (12, 12, 3, 7), (6, 30, 2, 5)]
)
def test_groups_are_tiled_one_by_one(channels, results, groups, size, epilogue):
    A = te.placeholder((2, channels, size, size + 3), name="A")
    W = te.placeholder((results, channels // groups, 3, 3), name="W")
    C = topi.nn.group_conv2d_nchw(A, W, 1, 0, 1, groups, "float32")
    out = topi.nn.relu(C) if epilogue else C
    s = te.create_schedule(out)
    reasons = te.auto_schedule(s, V3)
    assert any(one.endswith(DIVIDED) for one in reasons)
    if not is_chosen((channels, epilogue), [(8, False), (6, True), (12, True), (6, False)]):
        return
    rng = np.random.default_rng(0)
    a, w = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, W))
    teloom.build(s, [A, W, out], target=V3)(a, w, found := np.empty(out.shape, "float32"))
    expected = grouped(a, w, groups)
    np.testing.assert_array_equal(found, np.maximum(expected, 0) if epilogue else expected)


@pytest.mark.parametrize("dtype", ["int8", "float16"])
def test_groups_of_narrow_numbers(dtype):
    out_dtype = "int32" if dtype == "int8" else "float32"
    A, W = te.placeholder((1, 8, 9, 12), dtype, name="A"), te.placeholder((16, 4, 3, 3), dtype)
    C = topi.nn.group_conv2d_nchw(A, W, 1, 0, 1, 2, out_dtype)
    s = te.create_schedule(C)
    te.auto_schedule(s, V3)
    rng = np.random.default_rng(0)
    a, w = (rng.integers(-4, 5, one.shape).astype(dtype) for one in (A, W))
    teloom.build(s, [A, W, C], target=V3)(a, w, found := np.empty(C.shape, out_dtype))
    np.testing.assert_array_equal(found, grouped(a.astype(out_dtype), w.astype(out_dtype), 2))


def test_an_axis_that_is_divided_with_a_remainder_stays():
    A, W = te.placeholder((4, 20, 30), name="A"), te.placeholder((10, 20), name="W")
    k = te.reduce_axis((0, 20), "k")
    C = te.compute((10, 30), lambda i, j: te.sum(A[i // 3, k, j] * W[i, k], axis=k), name="C")
    s = te.create_schedule(C)
    assert not any("divides" in one for one in te.auto_schedule(s, V3))
    rng = np.random.default_rng(0)
    a, w = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, W))
    teloom.build(s, [A, W, C], target=V3)(a, w, found := np.empty((10, 30), "float32"))
    expected = [w[i] @ a[i // 3] for i in range(10)]
    np.testing.assert_array_equal(found, expected)
