"""Pools and convolutions, against sums over the taps of windows."""

from typing import Any

import numpy as np
import pytest
from layers_by_hand import RNG, Arrays, convolved, derivative, normal, pooled, tensor

from teloom import te, topi
from teloom.topi import nn


def test_convolutions_along_one_axis(both):
    x, w, g = normal(2, 4, 9), normal(3, 4, 3), normal(6, 2, 2)
    X, W, G = map(tensor, (x, w, g), "XWG")
    last, weights = topi.transpose(X, (0, 2, 1)), topi.transpose(W, (2, 1, 0))
    wanted = [
        (nn.conv1d(X, W), convolved(x, w)),
        (nn.conv1d_ncw(X, W, 2, (1, 2), 2), convolved(x, w, 2, (1, 2), 2)),
        (nn.conv1d_nwc(last, weights, 1, "SAME"), convolved(x, w, 1, 1).swapaxes(1, 2)),
        (nn.conv1d(X, G, groups=2), convolved(x, g, groups=2)),
        (nn.group_conv1d_ncw(X, G, 3, 1, 1, 2), convolved(x, g, 3, 1, groups=2)),
        (
            nn.group_conv1d_nwc(last, topi.transpose(G, (2, 1, 0)), groups=2),
            convolved(x, g, groups=2).swapaxes(1, 2),
        ),
    ]
    both({X: x, W: w, G: g}, wanted)


def test_convolutions_along_two_axes(both):
    x, w, g = normal(1, 4, 6, 5), normal(2, 4, 3, 2), normal(4, 2, 2, 3)
    X, W, G = map(tensor, (x, w, g), "XWG")
    nhwc, hwio = topi.transpose(X, (0, 2, 3, 1)), topi.transpose(W, (2, 3, 1, 0))
    same = convolved(x, w, 1, (1, 1, 1, 0))
    wanted = [
        (nn.conv2d_nchw(X, W, 1, 0, 1), convolved(x, w)),
        (
            nn.conv2d_nchw(X, W, (2, 1), (1, 0, 2, 1), (1, 2)),
            convolved(x, w, (2, 1), (1, 0, 2, 1), (1, 2)),
        ),
        (nn.conv2d(input=X, filter=W, strides=1, padding="SAME", dilation=1), same),
        (nn.conv2d_nhwc(nhwc, hwio, 1, "SAME", 1), same.transpose(0, 2, 3, 1)),
        (
            nn.conv2d_hwcn(topi.transpose(X, (2, 3, 1, 0)), hwio, 2, 1, 1),
            convolved(x, w, 2, 1).transpose(2, 3, 1, 0),
        ),
        (nn.group_conv2d_nchw(X, G, 2, 1, 1, 2), convolved(x, g, 2, 1, groups=2)),
        (
            nn.group_conv2d_nhwc(nhwc, topi.transpose(G, (2, 3, 1, 0)), 1, 0, 1, 2),
            convolved(x, g, groups=2).transpose(0, 2, 3, 1),
        ),
        (
            nn.conv(nhwc, G, 1, 0, 1, 2, "NHWC", "OIHW"),
            convolved(x, g, groups=2).transpose(0, 2, 3, 1),
        ),
    ]
    both({X: x, W: w, G: g}, wanted)


def test_convolutions_along_three_axes(interpreted):
    x, w = normal(1, 2, 3, 4, 3), normal(2, 2, 2, 2, 2)
    X, W = map(tensor, (x, w), "XW")
    last, weights = topi.transpose(X, (0, 2, 3, 4, 1)), topi.transpose(W, (2, 3, 4, 1, 0))
    expected = convolved(x, w, (1, 2, 1), (1, 0, 0, 0, 1, 1))
    how = (1, 2, 1), (1, 0, 0, 0, 1, 1), 1, 1
    wanted = [
        (nn.conv3d_ncdhw(X, W, *how), expected),
        (nn.conv3d_ndhwc(last, weights, *how), expected.transpose(0, 2, 3, 4, 1)),
    ]
    interpreted({X: x, W: w}, wanted)


def test_convolutions_of_single_channels(both):
    x, w = normal(2, 3, 5, 4), normal(3, 2, 3, 2)
    X, W = map(tensor, (x, w), "XW")
    expected = convolved(x, w.reshape(6, 1, 3, 2), (1, 2), 1, groups=3)
    nhwc = topi.transpose(X, (0, 2, 3, 1))
    wanted = [
        (nn.depthwise_conv2d_nchw(X, W, (1, 2), 1, 1), expected),
        (
            nn.depthwise_conv2d_nhwc(nhwc, topi.transpose(W, (2, 3, 0, 1)), (1, 2), 1, 1),
            expected.transpose(0, 2, 3, 1),
        ),
        (
            nn.depthwise_conv2d_nhwc(nhwc, topi.transpose(W, (2, 3, 1, 0)), (1, 2), 1, 1, "HWIO"),
            expected.transpose(0, 2, 3, 1),
        ),
    ]
    both({X: x, W: w}, wanted)


def test_integers_are_summed_in_the_dtype_asked_for(both):
    x, w = (RNG.integers(-128, 128, s).astype("int8") for s in ((1, 8, 4), (2, 8, 3)))
    X, W = map(tensor, (x, w), "XW")
    expected = convolved(x.astype("int64"), w.astype("int64"))
    wanted = [
        (nn.conv1d_ncw(X, W, out_dtype="int32"), expected),
        (nn.conv1d_ncw(X, W), expected.astype("int8")),
    ]
    both({X: x, W: w}, wanted)


def transposed(x: Any, w: Any, strides: Any, pads: Any, more: Any = 0, groups=1) -> Any:
    """The definition: each element adds its multiple of the weights; w is (C, O / groups, ...)."""
    count = x.ndim - 2
    strides, more = (np.broadcast_to(one, count).tolist() for one in (strides, more))
    pads = np.broadcast_to(pads, 2 * count).tolist()
    sizes = w.shape[2:]
    whole = [
        (e - 1) * s + k + m for e, s, k, m in zip(x.shape[2:], strides, sizes, more, strict=True)
    ]
    each = w.shape[1]
    result = np.zeros((len(x), each * groups, *whole), x.dtype)
    inputs = x.shape[1] // groups
    for n, c, *at in np.ndindex(x.shape):
        window = tuple(slice(a * s, a * s + k) for a, s, k in zip(at, strides, sizes, strict=True))
        outputs = slice(c // inputs * each, (c // inputs + 1) * each)
        result[(n, outputs, *window)] += x[(n, c, *at)] * w[c]
    inner = (slice(pads[k], e - pads[count + k]) for k, e in enumerate(whole))
    return result[(..., *inner)]


def test_transposed_convolutions(both):
    x, w = normal(1, 4, 3), normal(4, 2, 3)
    y, v, u = normal(2, 2, 3, 2), normal(2, 3, 3, 2), normal(1, 2, 2, 2, 2)
    k = normal(2, 1, 2, 2, 3)
    X, W, Y, V, U, K = map(tensor, (x, w, y, v, u, k), "XWYVUK")
    wanted = [
        (nn.conv1d_transpose_ncw(X, W, 2, 1, "float32", 1), transposed(x, w, 2, 1, 1)),
        (nn.conv1d_transpose_ncw(X, W, 1, (0, 2), None, 0), transposed(x, w, 1, (0, 2))),
        (nn.group_conv1d_transpose_ncw(X, W, 3, 0, "float32", 2, 2), transposed(x, w, 3, 0, 2, 2)),
        (
            nn.conv2d_transpose_nchw(Y, V, (2, 3), (1, 0, 0, 1), "float32", (1, 2)),
            transposed(y, v, (2, 3), (1, 0, 0, 1), (1, 2)),
        ),
        (nn.group_conv2d_transpose_nchw(Y, V, 1, 0, "float32", 0, 2), transposed(y, v, 1, 0, 0, 2)),
        (nn.conv3d_transpose_ncdhw(U, K, 2, 1, "float32", 0), transposed(u, k, 2, 1)),
        (
            nn.group_conv3d_transpose_ncdhw(U, K, 1, 0, None, 0, 2),
            transposed(u, k, 1, 0, 0, 2),
        ),
    ]
    both({X: x, W: w, Y: y, V: v, U: u, K: k}, wanted)


def test_phases_of_transposed_convolutions(interpreted):
    """Without a tap, as long as others and not, and cut off by padding."""
    x, w = normal(2, 4, 3), normal(4, 3, 7)
    X = tensor(x, "X")
    weights = {size: tensor(w[:, :, :size], f"W{size}") for size in (2, 4, 7)}
    hows = [
        (2, 3, (1, 0), 1),
        (2, 5, 0, 0),
        (4, 2, (3, 1), 0),
        (7, 3, (5, 2), 2),
        (7, 2, (0, 6), 1),
    ]
    wanted = [
        (
            nn.group_conv1d_transpose_ncw(X, weights[size], stride, pads, None, more, 2),
            transposed(x, w[:, :, :size], stride, pads, more, 2),
        )
        for size, stride, pads, more in hows
    ]
    interpreted({X: x, **{one: w[:, :, :size] for size, one in weights.items()}}, wanted)


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_pools(kind, both):
    x, y, z = normal(1, 2, 9), normal(1, 2, 7, 6), normal(1, 1, 4, 3, 4)
    X, Y, Z = map(tensor, (x, y, z), "XYZ")
    nhwc = topi.transpose(Y, (0, 2, 3, 1))
    wanted = [
        (nn.pool1d(X, 3, 2, 1, (1, 1), kind), pooled(x, 3, 2, 1, 1, kind)),
        (nn.pool1d(X, 2, 1, 3, 0, kind), pooled(x, 2, 1, 0, 3, kind)),
        (
            nn.pool1d(X, 3, 3, 2, (1, 0), kind, True, count_include_pad=False),
            pooled(x, 3, 3, (1, 0), 2, kind, True, False),
        ),
        (
            nn.pool2d(Y, (3, 2), 2, 1, (1, 0, 1, 1), kind),
            pooled(y, (3, 2), 2, (1, 0, 1, 1), 1, kind),
        ),
        (
            nn.pool2d(nhwc, 3, 2, 1, 1, kind, True, "NHWC", False),
            pooled(y, 3, 2, 1, 1, kind, True, False).transpose(0, 2, 3, 1),
        ),
        (nn.pool1d(X, 3, 3, 2, (1, 0), kind, True), pooled(x, 3, 3, (1, 0), 2, kind, True)),
        (nn.pool1d(X, 1, 5, 1, 0, kind, True), pooled(x, 1, 5, 0, 1, kind, True)),
        (nn.pool1d(X, 3, 3, 1, (2, 5), kind, True), pooled(x, 3, 3, (2, 5), 1, kind, True)),
        (nn.pool1d(X, 2, 1, 1, 3, kind), pooled(x, 2, 1, 3, 1, kind)),
        (
            nn.pool1d(X, 2, 1, 1, 3, kind, False, "NCW", False),
            pooled(x, 2, 1, 3, 1, kind, False, False),
        ),
        (nn.pool3d(Z, 2, (1, 2, 2), 1, 0, kind), pooled(z, 2, (1, 2, 2), 0, 1, kind)),
    ]
    both({X: x, Y: y, Z: z}, wanted)


def test_gradients_of_pools(both):
    given = Arrays()
    x = normal(1, 2, 6, 6, dtype="float64")
    data, last = given(x), given(x.transpose(0, 2, 3, 1))
    cases = [
        ("max", 3, 2, (1, 0, 1, 1), False, True),
        ("max", 2, 3, (1, 1, 0, 0), True, True),
        ("avg", (3, 2), (2, 1), (1, 0, 1, 1), False, True),
        ("avg", 2, 3, (1, 1, 0, 0), True, False),
    ]
    wanted = []
    for kind, size, stride, pads, ceil_mode, count_all in cases:

        def pool(x):
            return pooled(x, size, stride, pads, 1, kind, ceil_mode, count_all)

        head = normal(*pool(x).shape, dtype="float64")
        how = size, stride, pads, kind, ceil_mode, count_all
        expected = derivative(pool, x, head, 1e-6).astype("float32")
        found = nn.pool_grad(given(head), data, *how)
        wanted.append((topi.cast(found, "float32"), expected))
        found = nn.pool_grad(given(head.transpose(0, 2, 3, 1)), last, *how, "NHWC")
        wanted.append((topi.cast(found, "float32"), expected.transpose(0, 2, 3, 1)))
    both(given, wanted)


def test_the_gradient_of_a_maximum_goes_to_the_first(interpreted):
    given = Arrays()
    x = np.array([[[[1, 1, 0], [np.nan, 1, 2], [np.nan, np.nan, 2]]]], "float32")
    head = np.array([[[[1, 2], [3, 4]]]], "float32")
    expected = np.array([[[[1, 0, 0], [0, 3, 6], [0, 0, 0]]]], "float32")
    interpreted(given, [(nn.pool_grad(given(head), given(x), 2, 1, 0, "max"), expected)])


def test_pools_of_channels_in_blocks(both):
    given = Arrays()
    x = normal(1, 4, 5, 6)
    blocks = given(x.reshape(1, 2, 2, 5, 6).transpose(0, 1, 3, 4, 2))

    def in_blocks(y):
        return y.reshape(1, 2, 2, *y.shape[2:]).transpose(0, 1, 3, 4, 2)

    wanted = [
        (
            nn.pool2d(blocks, 3, 2, 1, 1, "avg", False, "NCHW2c"),
            in_blocks(pooled(x, 3, 2, 1, 1, "avg")),
        ),
        (nn.global_pool(blocks, "max", "NCHW2c"), in_blocks(x.max((2, 3), keepdims=True))),
        (
            nn.adaptive_pool(blocks, (5, 3), "max", "NCHW2c"),
            in_blocks(x.reshape(1, 4, 5, 3, 2).max(4)),
        ),
    ]
    both(given, wanted)


def adapted(x, sizes, reduce):
    result = np.empty((*x.shape[:2], *sizes), x.dtype)
    for at in np.ndindex(*sizes):
        window = [
            slice(k * e // n, -(-(k + 1) * e // n))
            for k, n, e in zip(at, sizes, x.shape[2:], strict=True)
        ]
        result[(..., *at)] = reduce(x[(..., *window)], tuple(range(2, x.ndim)))
    return result


@pytest.mark.parametrize(("kind", "reduce"), [("max", np.max), ("avg", np.mean)])
def test_pools_of_a_whole_axis(kind, reduce, both):
    x, y, z = normal(1, 2, 9), normal(2, 3, 7, 4), normal(1, 1, 3, 4, 5)
    X, Y, Z = map(tensor, (x, y, z), "XYZ")
    wanted = [
        (nn.global_pool(Y, kind), reduce(y, (2, 3), keepdims=True)),
        (nn.global_pool(Y, kind, "NHWC"), reduce(y, (1, 2), keepdims=True)),
        (nn.adaptive_pool(Y, (3, 4), kind), adapted(y, (3, 4), reduce)),
        (
            nn.adaptive_pool(Y, 2, kind, "HWNC"),
            adapted(y.transpose(2, 3, 0, 1), (2, 2), reduce).transpose(2, 3, 0, 1),
        ),
        (nn.adaptive_pool1d(X, 4, kind), adapted(x, (4,), reduce)),
        (nn.adaptive_pool3d(Z, (2, 3, 1), kind), adapted(z, (2, 3, 1), reduce)),
    ]
    both({X: x, Y: y, Z: z}, wanted)


def test_pools_of_integers(both):
    x = RNG.integers(-128, 128, (1, 1, 6)).astype("int8")
    X = tensor(x, "X")
    total = x.reshape(3, 2).astype("int8")
    wanted = [
        (nn.pool1d(X, 2, 2, 1, 1, "max"), pooled(x.astype("d"), 2, 2, 1, 1, "max").astype("int8")),
        (
            nn.pool1d(topi.cast(X, "int32"), 2, 2, 1, 0, "avg"),
            np.trunc(total.mean(1)).astype(int)[None, None],
        ),
    ]
    both({X: x}, wanted)


def test_means_are_those_of_numbers_whatever_their_sum_is(both):
    """No dtype of the numbers has their sum, and for 8 bits none of 16 bits."""
    given, wanted = Arrays(), []
    for dtype, number, size in (
        ("int8", 100, 19),
        ("uint8", 200, 19),
        ("int16", 30000, 2),
        ("float16", 40000, 2),
    ):
        X = given(np.full((1, 1, size, size), number, dtype))
        mean = np.full((1, 1, 1, 1), number, dtype)
        wanted += [
            (nn.global_pool(X, "avg"), mean),
            (nn.pool2d(X, size, size, 1, 0, "avg"), mean),
            (nn.adaptive_pool(X, 1, "avg"), mean),
        ]
    both(given, wanted)


def test_sizes(symbolic):
    def make(n, w):
        A, W = te.placeholder((n, 2, w), name="A"), te.placeholder((3, 2, 3), name="W")
        return [A, W], [
            (nn.conv1d_ncw(A, W, 1, 1), lambda a, w: convolved(a, w, 1, 1)),
            (nn.conv1d_ncw(A, W, 2, "SAME"), lambda a, w: convolved(a, w, 2, 1)),
            (nn.pool1d(A, 3, 2, 1, 1, "max"), lambda a, w: pooled(a, 3, 2, 1, 1, "max")),
            (nn.pool1d(A, 3, 1, 1, 1, "avg"), lambda a, w: pooled(a, 3, 1, 1, 1, "avg")),
        ]

    symbolic(make, "n w", [(2, 5), (1, 1), (0, 4), (3, 2)])


X, W = te.placeholder((1, 4, 6, 5), name="X"), te.placeholder((2, 4, 3, 2), name="W")
T = te.placeholder((4, 2, 3, 3), name="T")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: nn.conv2d_nchw(X, T, 1, 0, 1),
            "Filter is T of shape (4, 2, 3, 3) and dtype float32, for 2",
        ),
        (
            lambda: nn.conv2d_nchw(X, W, 0, 0, 1),
            "topi.nn.conv2d_nchw: stride is 0, but must be at",
        ),
        (lambda: nn.conv2d_nchw(X, W, 1, (1, 2, 3), 1), "padding is [1, 2, 3], but must be one"),
        (lambda: nn.conv2d_nchw(X, W, 1, -1, 1), "topi.nn.conv2d_nchw: padding is -1, but must be"),
        (
            lambda: nn.conv2d_nchw(X, W, 1, "FULL", 1),
            "padding is 'FULL'; known are 'VALID', 'SAME'",
        ),
        (
            lambda: nn.conv2d_nchw(X, W, 1, 0, 3),
            "too small for a window of 7 on axis 2, with padding",
        ),
        (lambda: nn.conv2d(X, W, 1, 0, 1, "NCHH"), "data_layout is 'NCHH', which is no layout"),
        (lambda: nn.conv2d(X, W, 1, 0, 1, "NCW"), "input is X of shape (1, 4, 6, 5) and dtype"),
        (lambda: nn.conv2d(X, W, 1, 0, 1, "NCHW", "OIH"), "kernel_layout is 'OIH', for W of shape"),
        (
            lambda: nn.group_conv2d_nchw(X, T, 1, 0, 1, 3),
            "for 2 channels in each of 3 groups; but X of shape",
        ),
        (
            lambda: nn.group_conv2d_nchw(X, te.placeholder((3, 2, 1, 1)), 1, 0, 1, 2),
            "does not divide the 3",
        ),
        (
            lambda: nn.depthwise_conv2d_nchw(X, W, 1, 0, 1),
            "topi.nn.depthwise_conv2d_nchw: Filter is W",
        ),
        (
            lambda: nn.conv2d_transpose_nchw(X, W, 1, 0, None, 0),
            "Filter is W of shape (2, 4, 3, 2)",
        ),
        (
            lambda: nn.conv2d_transpose_nchw(X, T, 1, 0, None, 1),
            "output_padding is [1, 1], not less",
        ),
        (lambda: nn.pool2d(X, 3, 1, 1, 0, "min"), "pool_type is 'min'; known are 'max', 'avg'"),
        (lambda: nn.pool2d(X, 7, 1, 1, 0, "max"), "too small for a window of 7 on axis 2"),
        (
            lambda: nn.pool2d(X, 2, 1, 1, 0, "max", layout="NCDW"),
            "layout is 'NCDW', which has no HW",
        ),
        (
            lambda: nn.pool2d(X, 2, 1, 1, 0, "max", layout="NCHW5w"),
            "layout is 'NCHW5w', but data is X of shape (1, 4, 6, 5)",
        ),
        (
            lambda: nn.global_pool(te.placeholder((1, 4, 6, 5, 2), name="Y"), "max", "NCHW2w"),
            "layout is 'NCHW2w', which has blocks of W",
        ),
        (
            lambda: nn.global_pool(te.placeholder((1, 4, 6, 5, 2), name="Y"), "max", "NCHW4c"),
            "layout is 'NCHW4c', but data is Y of shape (1, 4, 6, 5, 2) and dtype float32, without",
        ),
        (
            lambda: nn.pool_grad(X, X, 2, 2, 0, "max"),
            "grads is X of shape (1, 4, 6, 5) and dtype float32, but must be of shape (1, 4, 3, 2)",
        ),
        (lambda: nn.pool1d(X, 2, 1, 1, 0, "max"), "topi.nn.pool1d: layout is 'NCW', but data is X"),
        (
            lambda: nn.adaptive_pool(te.placeholder((1, 1, te.var("n"), 4), name="N"), 2, "max"),
            "data is N of shape (1, 1, n, 4) and dtype float32, but axis 2 must have a constant "
            "extent for the layout 'NCHW'",
        ),
        (
            lambda: nn.adaptive_pool(
                te.placeholder((1, te.var("n"), te.var("m"), 1)), 2, "avg", "NWHC"
            ),
            "but axes 1, 2 must have constant extents for the layout 'NWHC'",
        ),
        (
            lambda: nn.adaptive_pool1d(te.placeholder((1, te.var("n"), 4)), 2, "avg", "NWC"),
            "but axis 1 must have a constant extent for the layout 'NWC'",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)


def test_gradients_of_transposed_convolutions(interpreted):
    """Through phases that have a tap more than others: the derivative of data is a convolution."""
    x, w, head = normal(1, 2, 3), normal(2, 3, 3), normal(1, 3, 7)
    X, W, H = map(tensor, (x, w, head), "XWH")
    made = nn.conv1d_transpose_ncw(X, W, 2, 0, None, 0)
    by_data, by_weights = te.gradient(made, [X, W], head=H)
    windows = np.stack([head[:, :, 2 * q : 2 * q + 3] for q in range(3)])
    wanted = [
        (by_data, np.einsum("qnot,iot->niq", windows, w)),
        (by_weights, np.einsum("qnot,niq->iot", windows, x)),
    ]
    interpreted({X: x, W: w, H: head}, wanted)


def test_a_dtype_may_stand_where_the_layout_of_the_weights_is():
    x, w = normal(1, 5, 4, 2), normal(3, 3, 2, 2)
    X, W = map(tensor, (x, w), "XW")
    named = nn.depthwise_conv2d_nhwc(X, W, 1, 1, 1, out_dtype="float64")
    assert named.dtype == nn.depthwise_conv2d_nhwc(X, W, 1, 1, 1, "float64").dtype == "float64"


def test_a_convolution_of_no_channels_has_none():
    X, W = te.placeholder((1, 0, 5, 5), name="X"), te.placeholder((0, 1, 3, 3), name="W")
    assert nn.depthwise_conv2d_nchw(X, W, 1, 1, 1).shape == (1, 0, 5, 5)
