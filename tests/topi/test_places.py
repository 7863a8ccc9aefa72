"""Positions of extreme elements in long rows, which are searched part by part."""

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te, topi
from teloom.topi.dtypes import bits_of
from teloom.topi.places import BLOCK, FEWEST

RNG = np.random.default_rng(0)


def block_of(dtype: str) -> int:
    return 8 * BLOCK // bits_of(dtype)


def run(inputs: dict, outputs: list) -> list[np.ndarray]:
    kernel = teloom.build(outputs, [*inputs, *outputs])
    given = [np.ascontiguousarray(one) for one in inputs.values()]
    found = [np.empty([*map(int, one.shape)], one.dtype) for one in outputs]
    kernel(*given, *found)
    return found


@pytest.mark.parametrize(
    ("dtype", "more"), each(["float32", "float64", "float16", "uint8", "int32"], [77, 0, 1, -1])
)
def test_blocks_of_rows(dtype: str, more: int):
    length = FEWEST * block_of(dtype) + more
    a = RNG.integers(0, 200, (5, length)).astype(dtype)
    a[1] = 7  # the same everywhere
    a[2, [length - block_of(dtype) - 1, length - 1]] = 220  # in the last block, and before it
    A = te.placeholder(a.shape, dtype, "A")
    outputs = [topi.argmax(A, 1), topi.argmin(A, 1, True), topi.argmax(A, 1, False, True)]
    first, least, last = run({A: a}, outputs)
    np.testing.assert_array_equal(first, a.argmax(1))
    np.testing.assert_array_equal(least, a.argmin(1, keepdims=True))
    np.testing.assert_array_equal(last, length - 1 - a[:, ::-1].argmax(1))


def test_a_row_with_nan_or_infinities_alone():
    length = FEWEST * block_of("float32") + 9
    a = RNG.random((6, length), "float32")
    a[0] = -np.inf
    a[1] = np.inf
    a[2, length - 3 :] = np.nan
    a[3, [5, 300]] = np.nan
    a[4] = np.nan
    a[5, [200, 201]] = [np.inf, np.nan]
    A = te.placeholder(a.shape, name="A")
    most, least = run({A: a}, [topi.argmax(A, 1), topi.argmin(A, 1)])
    np.testing.assert_array_equal(most, a.argmax(1))
    np.testing.assert_array_equal(least, a.argmin(1))


@pytest.mark.parametrize(
    ("axes", "shape"),
    each([None, (0, 2), (1, 2)], [(3, 4, 130), (2, 1, 200), (1, 1, 32), (3, 5, 31)]),
)
def test_rows_of_several_axes(axes, shape):
    a = RNG.integers(0, 9, shape).astype("float32")
    A = te.placeholder(shape, name="A")
    folded = (0, 1, 2) if axes is None else axes
    kept = [axis for axis in range(3) if axis not in folded]
    rows = a.transpose(*kept, *folded).reshape([shape[axis] for axis in kept] + [-1])
    outputs = [topi.argmax(A, axes), topi.argmin(A, axes, True), topi.argmax(A, axes, False, True)]
    first, least, last = run({A: a}, outputs)
    np.testing.assert_array_equal(first, rows.argmax(-1))
    np.testing.assert_array_equal(least.reshape(first.shape), rows.argmin(-1))
    np.testing.assert_array_equal(last, rows.shape[-1] - 1 - rows[..., ::-1].argmax(-1))


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_any_number_of_rows_of_what_is_computed(rows: int):
    n, length = te.var("n"), FEWEST * block_of("float32") + 1
    A = te.placeholder((n, length), name="A")
    places = topi.argmax(topi.abs(A), 1)
    kernel = teloom.build([places], [A, places])
    a = RNG.standard_normal((rows, length)).astype("float32")
    kernel(a, found := np.empty(rows, "int32"))
    np.testing.assert_array_equal(found, np.abs(a).argmax(1))


@pytest.mark.parametrize("rows", [0, 3])
def test_any_number_of_rows_that_are_searched(rows: int):
    n, length = te.var("n"), FEWEST * block_of("float32")
    A = te.placeholder((n, length), name="A")
    places = topi.argmin(A)
    a = np.random.default_rng(0).random((rows, length), "float32")
    teloom.build([places], [A, places])(a, found := np.empty((), "int32"))
    assert found == (a.argmin() if rows else np.iinfo("int32").max)


def test_one_part_is_searched_with_lanes_along_it():
    A = te.placeholder((300, 4096), name="A")
    places = topi.argmax(A, 1)
    s = te.create_schedule(places)
    reasons = te.auto_schedule(s, teloom.target("x86-64-v3"), num_threads=1)
    assert any(
        one.startswith("argmax_inside: lanes fold k1, which is contiguous") for one in reasons
    )
