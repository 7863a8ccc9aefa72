"""Operators on random shapes, axes and dtypes; programs for all sizes at random ones."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import teloom
from teloom import te, topi

DTYPES = ("float32", "float64", "int8", "uint16", "int32", "int64")

extents = st.integers(0, 4)
shapes = npst.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)
dtypes = st.sampled_from(DTYPES)
seeds = st.integers(0, 2**16)

some = settings(max_examples=4 * EXAMPLES)


def numbers(seed: int, shape: Any, dtype: str) -> np.ndarray:
    """Small integers, of which all operators are exact."""
    least = 0 if dtype.startswith("u") else -4
    return np.random.default_rng(seed).integers(least, 5, shape).astype(dtype)


def tensor(array: np.ndarray, name: str = "A") -> te.Tensor:
    return te.placeholder(array.shape, array.dtype.name, name=name)


@st.composite
def reductions(draw):
    """An array, and some of its axes, from either end."""
    a = numbers(draw(seeds), draw(shapes), draw(dtypes))
    axes = draw(st.lists(st.integers(0, a.ndim - 1), min_size=1, unique=True))
    signs = draw(st.lists(st.booleans(), min_size=len(axes), max_size=len(axes)))
    return a, tuple(axis - a.ndim * from_end for axis, from_end in zip(axes, signs, strict=True))


@some
@given(reductions(), st.booleans())
def test_reductions(interpreted, case, keepdims):
    a, axes = case
    A = tensor(a)
    wanted = [
        (topi.sum(A, axes, keepdims), a.sum(axes, a.dtype, keepdims=keepdims)),
        (topi.prod(A, axes, keepdims), a.prod(axes, a.dtype, keepdims=keepdims)),
        (topi.any(A, axes, keepdims), a.any(axes, keepdims=keepdims)),
        (topi.all(A, axes, keepdims), a.all(axes, keepdims=keepdims)),
    ]
    if all(a.shape[axis] for axis in axes):
        wanted += [
            (topi.max(A, axes, keepdims), a.max(axes, keepdims=keepdims)),
            (topi.min(A, axes, keepdims), a.min(axes, keepdims=keepdims)),
            (topi.argmax(A, axes[0], keepdims), a.argmax(axes[0], keepdims=keepdims)),
            (topi.argmin(A, axes[0], keepdims), a.argmin(axes[0], keepdims=keepdims)),
        ]
    interpreted({A: a}, wanted)


@some
@given(npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4), dtypes, seeds)
def test_broadcasts(interpreted, together, dtype, seed):
    a, b, c = (numbers(seed + k, one, dtype) for k, one in enumerate(together.input_shapes))
    b = np.where(b == 0, b.dtype.type(1), b)
    A, B, C = map(tensor, (a, b, c), "ABC")
    shape = together.result_shape
    with np.errstate(over="ignore"):
        wanted = [
            (topi.add(A, B), a + b),
            (topi.subtract(A, B), a - b),
            (topi.multiply(A, topi.add(B, C)), a * (b + c)),
            (topi.floor_divide(A, B), a // b),
            (topi.maximum(A, C), np.maximum(a, c)),
            (topi.minimum(A, C), np.minimum(a, c)),
            (topi.where(topi.less(A, B), B, C), np.where(a < b, b, c)),
            (topi.not_equal(A, C), a != c),
            (topi.broadcast_to(A, shape), np.broadcast_to(a, shape)),
        ]
    interpreted({A: a, B: b, C: c}, wanted)


@st.composite
def slices(draw):
    """The begin, end and stride of a slice, which NumPy takes of any extent."""
    stride = draw(st.sampled_from([1, 1, 2, 3, -1, -2]))
    return draw(st.integers(-6, 6)), draw(st.integers(-6, 6)), stride


@some
@given(st.data(), shapes, dtypes, seeds)
def test_transforms(interpreted, data, shape, dtype, seed):
    a = numbers(seed, shape, dtype)
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    order = data.draw(st.permutations(range(a.ndim)))
    longer = [*shape]
    longer[axis] = data.draw(extents)
    b = numbers(seed + 1, longer, dtype)
    A, B = tensor(a), tensor(b, "B")
    cuts = sorted(data.draw(st.lists(st.integers(0, a.shape[axis]), min_size=1, max_size=2)))
    count = data.draw(st.integers(0, 3))
    begin, end, strides = zip(*(data.draw(slices()) for _ in shape), strict=True)
    place = data.draw(st.integers(-a.ndim - 1, a.ndim))
    wanted = [
        (topi.transpose(A, order), a.transpose(order)),
        (topi.flip(A, axis), np.flip(a, axis)),
        (topi.expand_dims(A, place), np.expand_dims(a, place)),
        (topi.squeeze(topi.expand_dims(A, 0), 0), a),
        (topi.concatenate([A, B, A], axis), np.concatenate([a, b, a], axis)),
        (topi.stack([A, A], place), np.stack([a, a], place)),
        (topi.repeat(A, count, axis), a.repeat(count, axis)),
        (topi.tile(A, (2, count)), np.tile(a, (2, count))),
        (topi.reshape(A, (a.size,)), a.reshape(-1)),
        (
            topi.strided_slice(A, begin, end, strides),
            a[tuple(map(slice, begin, end, strides))],
        ),
        *zip(topi.split(A, cuts, axis), np.split(a, cuts, axis), strict=True),
    ]
    interpreted({A: a, B: b}, wanted)


@some
@given(st.data(), shapes.filter(all), dtypes, seeds)
def test_gathers_and_scans(interpreted, data, shape, dtype, seed):
    a = numbers(seed, shape, dtype)
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    extent = a.shape[axis]
    places = np.array(data.draw(st.lists(st.integers(0, extent - 1), max_size=4)), "int32")
    along = np.random.default_rng(seed).integers(0, extent, a.shape).astype("int32")
    A, P, G = tensor(a), tensor(places, "P"), tensor(along, "G")
    count = data.draw(st.integers(1, extent))
    best = -np.sort(-a.astype("int64"), axis)
    first = np.take(best, range(count), axis)
    wanted = [
        (topi.take(A, P, axis), np.take(a, places, axis)),
        (topi.gather(A, axis, G), np.take_along_axis(a, along, axis)),
        (topi.cumsum(A, axis), a.cumsum(axis, a.dtype)),
        (topi.sort(A, axis), np.sort(a, axis)),
        (topi.argsort(A, axis=axis, dtype="int32"), np.argsort(a, axis, kind="stable")),
        (topi.topk(A, count, axis, "values"), first.astype(dtype)),
    ]
    interpreted({A: a, P: places, G: along}, wanted)


@cache
def of_all_sizes(dtype: str, axis: int):
    """One program with symbolic extents, and what NumPy makes of its array."""
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, 3, m), dtype, name="A")
    B = te.placeholder((m,), dtype, name="B")
    outputs = [
        topi.sum(A, axis),
        topi.any(A, (axis, 1)),
        topi.add(A, B),
        topi.transpose(A, (2, 0, 1)),
        topi.flip(A, axis),
        topi.concatenate([A, topi.multiply(A, B)], axis),
        topi.cumsum(A, axis),
        topi.nn.pad(A, (1, 0, 2), (0, 0, 1)),
        topi.tile(A, (1, 2, 1)),
    ]
    f = teloom.build(outputs, [A, B, *outputs])

    def expected(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
        return [
            a.sum(axis, a.dtype),
            a.any((axis, 1)),
            a + b,
            a.transpose(2, 0, 1),
            np.flip(a, axis),
            np.concatenate([a, a * b], axis),
            a.cumsum(axis, a.dtype),
            np.pad(a, ((1, 0), (0, 0), (2, 1))),
            np.tile(a, (1, 2, 1)),
        ]

    return f, expected


@pytest.mark.parametrize("axis", [0, 2])
@settings(max_examples=EXAMPLES)
@given(
    st.sampled_from([0, 1, 2, 7, 16, 33, 100]),
    st.sampled_from([0, 1, 3, 8, 31, 64, 129, 1000]),
    st.sampled_from(["float32", "int8", "float64"]),
    seeds,
)
def test_programs_for_all_sizes(axis, n, m, dtype, seed):
    f, expected = of_all_sizes(dtype, axis)
    a, b = numbers(seed, (n, 3, m), dtype), numbers(seed + 1, (m,), dtype)
    wanted = expected(a, b)
    found = [np.zeros(one.shape, one.dtype) for one in wanted]
    f(a, b, *found)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
