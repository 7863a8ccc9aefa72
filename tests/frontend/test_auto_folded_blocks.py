"""Blocks that lie side by side are folded row by row first, then within the rows."""

import numpy as np
import pytest
from budget import pairs

import teloom
from teloom import te, topi

V4 = teloom.target("x86-64-v4")


def blocks(width: int, dtype: str, fold, rows: int = 3, count: int = 30):
    A = te.placeholder((4 * rows, width * count), dtype, name="A")
    y, x = te.reduce_axis((0, rows), "dy"), te.reduce_axis((0, width), "dx")

    def element(i, j):
        return fold(A[i * rows + y, j * width + x], axis=[y, x])

    return A, te.compute((4, count), element, name="C")


def are_rows_first(tensor: te.Tensor) -> bool:
    reasons = te.auto_schedule(te.create_schedule(tensor), V4, num_threads=1)
    return any("rows of blocks" in one for one in reasons)


@pytest.mark.parametrize(
    ("width", "dtype", "is_first"),
    [
        (3, "float32", False),
        (4, "float32", True),
        (15, "float32", True),
        (16, "float32", False),
        (4, "uint8", False),
        (7, "uint8", True),
        (5, "float64", True),
    ],
)
def test_narrow_blocks_are(width: int, dtype: str, is_first: bool):
    _, C = blocks(width, dtype, te.max)
    assert are_rows_first(C) is is_first


@pytest.mark.parametrize(
    ("fold", "width", "dtype"),
    pairs(["sum", "max", "min"], [4, 7, 8], ["float32", "int32", "uint8"]),
)
def test_the_results_are_those_of_blocks(fold: str, width: int, dtype: str):
    A, C = blocks(width, dtype, getattr(te, fold))
    a = np.random.default_rng(0).integers(0, 9, (12, width * 30)).astype(dtype)
    c = np.empty((4, 30), dtype)
    teloom.build([A, C])(a, c)
    parts = a.reshape(4, 3, 30, width)
    np.testing.assert_array_equal(c, getattr(parts, fold)((1, 3)).astype(dtype))


def test_blocks_that_overlap_or_lie_apart_are_not():
    A = te.placeholder((12, 400), name="A")
    y, x = te.reduce_axis((0, 3), "dy"), te.reduce_axis((0, 5), "dx")
    for step in (4, 6):
        C = te.compute(
            (4, 60), lambda i, j, n=step: te.max(A[i * 3 + y, j * n + x], axis=[y, x]), name="C"
        )
        assert not are_rows_first(C)


def test_folds_of_several_values_are_not():
    A = te.placeholder((12, 400), name="A")
    places = topi.argmax(topi.reshape(A, (12, 80, 5)), axis=2)
    assert not are_rows_first(places)


def test_the_means_of_a_pool_are():
    A = te.placeholder((1, 2, 32, 40), name="A")
    mean = topi.nn.pool2d(A, (8, 8), (8, 8), (1, 1), (0, 0, 0, 0), "avg")
    assert are_rows_first(mean)
    a = np.random.default_rng(0).random((1, 2, 32, 40), "f4")
    found = np.empty((1, 2, 4, 5), "f4")
    teloom.build([A, mean])(a, found)
    wanted = a.reshape(1, 2, 4, 8, 5, 8).mean((3, 5))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
