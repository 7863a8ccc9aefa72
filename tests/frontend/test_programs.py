"""Whole programs under several schedules, against NumPy.

Sizes are odd, 1, or do not divide the tiles. Integers are equal; floats are sums of small
integers, so they are too, except where a tolerance gives its reason.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from budget import each
from programs.sizes import extents, known

import teloom
from teloom import te

Schedule = te.Schedule
DTYPES = ("float32", "float64", "int32", "uint8")


def values(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    low = 0 if dtype.startswith("u") else -4
    return np.random.default_rng(seed).integers(low, 5, shape).astype(dtype)


def built(schedule: Schedule, args: list[te.Tensor]) -> Callable[..., list[np.ndarray]]:
    """Takes inputs, and the shapes of outputs, which it gives."""
    kernel = teloom.build(schedule, args, name="f")

    def call(inputs: list[np.ndarray], *shapes) -> list[np.ndarray]:
        outputs = [
            np.full(shape, 77).astype(arg.dtype)
            for shape, arg in zip(shapes, args[len(inputs) :], strict=True)
        ]
        kernel(*inputs, *outputs)
        return outputs

    return call


def run(schedule: Schedule, args: list[te.Tensor], inputs: list[np.ndarray], *shapes) -> list:
    return built(schedule, args)(inputs, *shapes)


def plain(s: Schedule, *tensors: te.Tensor) -> None:
    pass


def tiled(s: Schedule, *tensors: te.Tensor) -> None:
    for tensor in tensors:
        axes = tensor.axis
        *_, inner = s[tensor].tile(axes[-2], axes[-1], 4, 8)
        s[tensor].vectorize(inner)


def fused(s: Schedule, *tensors: te.Tensor) -> None:
    for tensor in tensors:
        outer, inner = s[tensor].split(s[tensor].fuse(*tensor.axis), nparts=3)
        s[tensor].parallel(outer)
        unrolled = s[tensor].split(inner, factor=2)[1]
        s[tensor].unroll(unrolled)


def at_a_tile(s: Schedule, *tensors: te.Tensor) -> None:
    """The last tensor in tiles, all others where the one after them needs them."""
    *producers, last = tensors
    _, xo, _, _ = s[last].tile(*last.axis[-2:], 4, 8)
    for producer in producers:
        s[producer].compute_at(s[last], xo)


SCHEDULES = [plain, tiled, fused, at_a_tile]


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_elementwise_with_broadcasting(schedule: Callable, dtype: str):
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), dtype, name="A")
    row = te.placeholder((m,), dtype, name="row")
    column = te.placeholder((n, 1), dtype, name="column")
    B = te.compute((n, m), lambda i, j: A[i, j] * row[j], name="B")
    C = te.compute((n, m), lambda i, j: B[i, j] + column[i, 0], name="C")
    s = te.create_schedule(C)
    schedule(s, B, C)
    call = built(s, [A, row, column, C])
    for shape in ((7, 13), (1, 1), (16, 32)):
        a, r, c = values(shape, dtype), values(shape[1:], dtype, 1), values((shape[0], 1), dtype, 2)
        (found,) = call([a, r, c], shape)
        np.testing.assert_array_equal(found, a * r + c)


SIZES = [(1, 1, 1), (7, 7, 7), (64, 64, 64), (127, 65, 33)]


@pytest.mark.parametrize(
    ("dtype", "sizes"), [*each(DTYPES, known(SIZES)), *product(DTYPES, [SIZES])]
)
def test_matmul(dtype: str, sizes: list[tuple[int, int, int]]):
    n, m, k = extents(sizes, "n", "m", "k")
    A = te.placeholder((n, k), dtype, name="A")
    B = te.placeholder((k, m), dtype, name="B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C)
    xo, yo, xi, yi = s[C].tile(*C.op.axis, 4, 8)
    ro, ri = s[C].split(r, factor=4)
    s[C].reorder(xo, yo, ro, ri, xi, yi)
    s[C].vectorize(yi)
    call = built(s, [A, B, C])
    for rows, columns, depth in sizes:
        a, b = values((rows, depth), dtype), values((depth, columns), dtype, 1)
        (found,) = call([a, b], (rows, columns))
        np.testing.assert_array_equal(found, a @ b)


@pytest.mark.parametrize("factor", [1, 32, 1027, 2000])
def test_a_sum_that_starts_from_ten(factor: int):
    A = te.placeholder((1027,), "int32", name="A")
    k = te.reduce_axis((0, 1027), "k")
    S = te.compute((1,), lambda i: te.sum(A[k], k, init=10), name="S")
    s = te.create_schedule(S)
    s[S].split(k, factor=factor)
    (found,) = run(s, [A, S], [np.ones(1027, "int32")], (1,))
    assert found.tolist() == [1037]


SHAPES = [(1, 1), (9, 23), (16, 16)]


@pytest.mark.parametrize(
    ("schedule", "dtype", "shapes"),
    [
        *each(SCHEDULES, ["float32", "int32"], known(SHAPES)),
        *each(SCHEDULES, ["int32", "float32"], [SHAPES]),
    ],
)
def test_two_stage_blur(schedule: Callable, dtype: str, shapes: list[tuple[int, int]]):
    height, width = extents(shapes, "height", "width")
    A = te.placeholder((height + 2, width + 2), dtype, name="A")
    X = te.compute((height + 2, width), lambda i, j: A[i, j] + A[i, j + 1] + A[i, j + 2], name="X")
    Y = te.compute((height, width), lambda i, j: X[i, j] + X[i + 1, j] + X[i + 2, j], name="Y")
    s = te.create_schedule(Y)
    schedule(s, X, Y)
    call = built(s, [A, Y])
    for rows, columns in shapes:
        a = values((rows + 2, columns + 2), dtype)
        (found,) = call([a], (rows, columns))
        x = a[:, :-2] + a[:, 1:-1] + a[:, 2:]
        np.testing.assert_array_equal(found, x[:-2] + x[1:-1] + x[2:])


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, ["float32", "int32"]))
def test_convolution_with_stride_and_padding(schedule: Callable, dtype: str):
    channels, height, width, filters = 3, 9, 11, 5
    A = te.placeholder((channels, height, width), dtype, name="A")
    W = te.placeholder((filters, channels, 3, 3), dtype, name="W")
    P = te.compute(
        (channels, height + 2, width + 2),
        lambda c, y, x: te.if_then_else(
            te.all(y >= 1, y < height + 1, x >= 1, x < width + 1), A[c, y - 1, x - 1], 0
        ),
        name="P",
    )
    c = te.reduce_axis((0, channels), "c")
    dy, dx = te.reduce_axis((0, 3), "dy"), te.reduce_axis((0, 3), "dx")
    C = te.compute(
        (filters, 5, 6),
        lambda f, y, x: te.sum(P[c, 2 * y + dy, 2 * x + dx] * W[f, c, dy, dx], axis=[c, dy, dx]),
        name="C",
    )
    s = te.create_schedule(C)
    schedule(s, P, C)
    a, w = values((channels, height, width), dtype), values((filters, channels, 3, 3), dtype, 1)
    (found,) = run(s, [A, W, C], [a, w], (filters, 5, 6))
    p = np.pad(a, ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(p, (3, 3), (1, 2))[:, ::2, ::2]
    np.testing.assert_array_equal(found, np.einsum("cyxuv,fcuv->fyx", windows, w))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("together", [False, True])
def test_softmax(dtype: str, together: bool):
    n, m = 13, 37
    A = te.placeholder((n, m), dtype, name="A")
    k, h = te.reduce_axis((0, m), "k"), te.reduce_axis((0, m), "h")
    top = te.compute((n,), lambda i: te.max(A[i, k], axis=k), name="top")
    E = te.compute((n, m), lambda i, j: te.exp(A[i, j] - top[i]), name="E")
    total = te.compute((n,), lambda i: te.sum(E[i, h], axis=h), name="total")
    S = te.compute((n, m), lambda i, j: E[i, j] / total[i], name="S")
    s = te.create_schedule(S)
    if together:
        for stage in (top, E, total):
            s[stage].compute_at(s[S], S.op.axis[0])
        s[S].vectorize(s[S].split(S.op.axis[1], factor=8)[1])
    a = np.random.default_rng(0).normal(size=(n, m)).astype(dtype)
    (found,) = run(s, [A, S], [a], (n, m))
    e = np.exp(a - a.max(1, keepdims=True))
    # exp is within a few ulps of NumPy's, and sums may be taken in another order.
    np.testing.assert_allclose(
        found, e / e.sum(1, keepdims=True), rtol=50 * float(np.finfo(dtype).eps)
    )


@pytest.mark.parametrize(("dtype", "split"), each(DTYPES, [None, 4, 5]))
def test_argmax(dtype: str, split: int | None):
    A = te.placeholder((6, 13), dtype, name="A")
    k = te.reduce_axis((0, 13), "k")
    argmax = te.comm_reducer(
        lambda x, y: (
            te.select((x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0])), x[0], y[0]),
            te.max(x[1], y[1]),
        ),
        lambda t0, t1: (te.max_value(t0), te.min_value(t1)),
        name="argmax",
    )
    index, top = te.compute((6,), lambda i: argmax((k, A[i, k]), axis=k), name="T")
    s = te.create_schedule(index)
    if split:
        outer, inner = s[index].split(k, factor=split)
        s[index].reorder(outer, index.op.axis[0], inner)
    a = values((6, 13), dtype)
    places, tops = run(s, [A, index, top], [a], (6,), (6,))
    np.testing.assert_array_equal(places, a.argmax(1))
    np.testing.assert_array_equal(tops, a.max(1))


@pytest.mark.parametrize(("schedule", "dtype"), each([plain, tiled, fused], DTYPES))
def test_transpose(schedule: Callable, dtype: str):
    A = te.placeholder((9, 14), dtype, name="A")
    T = te.compute((14, 9), lambda i, j: A[j, i], name="T")
    s = te.create_schedule(T)
    schedule(s, T)
    a = values((9, 14), dtype)
    np.testing.assert_array_equal(run(s, [A, T], [a], (14, 9))[0], a.T)


@pytest.mark.parametrize(
    ("schedule", "index_dtype"), each([plain, tiled, fused], ["int32", "int64", "uint8"])
)
def test_gather(schedule: Callable, index_dtype: str):
    A = te.placeholder((200, 11), name="A")
    B = te.placeholder((7,), index_dtype, name="B")
    G = te.compute((7, 11), lambda i, j: A[B[i], j], name="G")
    s = te.create_schedule(G)
    schedule(s, G)
    a = values((200, 11), "float32")
    b = np.array([0, 199, 3, 3, 128, 17, 130], index_dtype)
    np.testing.assert_array_equal(run(s, [A, B, G], [a, b], (7, 11))[0], a[b])


@pytest.mark.parametrize("reorder", [False, True])
def test_six_axes_split_twice(reorder: bool):
    shape = (2, 3, 5, 2, 3, 7)
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda *i: A(*i) * 2, name="B")
    s = te.create_schedule(B)
    leaves = []
    for axis in B.op.axis:
        outer, inner = s[B].split(axis, factor=2)
        leaves.append([*s[B].split(outer, factor=2), inner])
    if reorder:
        s[B].reorder(*(axis for level in zip(*leaves, strict=True) for axis in level))
    a = values(shape, "float32")
    np.testing.assert_array_equal(run(s, [A, B], [a], shape)[0], a * 2)


def test_float16_and_bfloat16_and_bool():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in ("float16", ml_dtypes.bfloat16):
        A = te.placeholder((9,), dtype, name="A")
        B = te.compute((9,), lambda i, A=A: A[i] * 2 + 1, name="B")
        C = te.compute((9,), lambda i, B=B: B[i] > 3, name="C")
        a = np.arange(9).astype(dtype)
        b, c = run(te.create_schedule([B, C]), [A, B, C], [a], (9,), (9,))
        np.testing.assert_array_equal(b.astype("float32"), a.astype("float32") * 2 + 1)
        np.testing.assert_array_equal(c, a > 1)


def test_parts_of_tiles_of_a_shifted_fusion_of_sizes():
    """The first tile runs even if the fusion is empty; nothing divides by an extent of 0."""
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((2 * n, m), "int32", name="A")
    B = te.compute((2 * n, m), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((n, m), lambda i, j: B[2 * i, j], name="C")
    s = te.create_schedule(C)
    outer, _ = s[B].split(s[B].shift(s[B].fuse(*B.op.axis), 3), factor=4)
    s[B].split(outer, nparts=3)
    call = built(s, [A, C])
    for shape in [(3, 5), (1, 1), (7, 4), (3, 0), (0, 3), (0, 0)]:
        a = values((2 * shape[0], shape[1]), "int32")
        (found,) = call([a], shape)
        np.testing.assert_array_equal(found, a[::2] + 1)


def test_an_inlined_condition_on_a_clamped_position():
    A = te.placeholder((16,), name="A")
    B = te.compute((32,), lambda i: te.if_then_else(i < 16, A[i], A[i - 16]), name="B")
    C = te.compute((32,), lambda i: B[i] + B[te.max(te.min(i - 2, 31), 0)], name="C")
    s = te.create_schedule(C)
    s[B].compute_inline()
    a = np.arange(16, dtype="float32")
    teloom.build(s, [A, C])(a, c := np.empty(32, "float32"))
    b = np.concatenate([a, a])
    np.testing.assert_array_equal(c, b + b[np.clip(np.arange(32) - 2, 0, 31)])
