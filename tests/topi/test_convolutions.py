"""Convolutions of blocks, of tiles, of bits, and of places that data moves."""

import math

import numpy as np
import pytest
from layers_by_hand import RNG, Arrays, convolved, derivative, normal

from teloom import te, topi
from teloom.topi import nn


def in_blocks(x, size):
    """NCHW as NCHWc."""
    n, c, h, w = x.shape
    return x.reshape(n, c // size, size, h, w).transpose(0, 1, 3, 4, 2)


def weights_in_blocks(w, inputs, outputs):
    """OIHW as OIHWio."""
    o, i, kh, kw = w.shape
    parts = w.reshape(o // outputs, outputs, i // inputs, inputs, kh, kw)
    return parts.transpose(0, 2, 4, 5, 3, 1)


def test_channels_in_blocks(both):
    given = Arrays()
    x, w, g = normal(1, 4, 5, 4), normal(6, 4, 3, 2), normal(4, 2, 2, 2)
    i, v = np.round(x * 50).astype("uint8"), np.round(normal(6, 4, 2, 2) * 50).astype("int8")
    deep, deeper = normal(4, 1, 3, 2), normal(8, 1, 2, 2)
    wide = given(in_blocks(x, 2))
    bytes_of_blocks = given(in_blocks(i, 4))
    fours = weights_in_blocks(v, 4, 3).reshape(2, 1, 2, 2, 2, 2, 3).transpose(0, 1, 2, 3, 4, 6, 5)
    product = convolved(x, w, (2, 1), (1, 0, 2, 1), (1, 2))
    how = (2, 1), (1, 0, 2, 1), (1, 2), "NCHW2c", "NCHW3c"
    wanted = [
        (nn.conv2d_NCHWc(wide, given(weights_in_blocks(w, 2, 3)), *how), in_blocks(product, 3)),
        (
            nn.conv2d_NCHWc(wide, given(weights_in_blocks(g, 2, 1)), 1, 0, 1, "", ""),
            in_blocks(convolved(x, g, groups=2), 1),
        ),
        (
            nn.conv2d_NCHWc_int8(bytes_of_blocks, given(fours), 1, 1, 1, "", "", n_elems=2),
            in_blocks(convolved(i.astype("int64"), v.astype("int64"), 1, 1), 3),
        ),
        (
            nn.depthwise_conv2d_NCHWc(wide, given(weights_in_blocks(deep, 1, 2)), 1, 1, 2, "", ""),
            in_blocks(convolved(x, deep, 1, 1, 2, groups=4), 2),
        ),
        (
            nn.depthwise_conv2d_NCHWc(
                wide, given(weights_in_blocks(deep, 1, 4)), 1, "SAME", 1, "", ""
            ),
            in_blocks(convolved(x, deep, 1, (1, 1, 1, 0), groups=4), 4),
        ),
        (
            nn.depthwise_conv2d_NCHWc(
                wide, given(weights_in_blocks(deeper, 1, 2)), 2, 0, 1, "", ""
            ),
            in_blocks(convolved(x, deeper, 2, groups=4), 2),
        ),
        (nn.unpack_NCHWc_to_nchw(wide, "float64"), x.astype("float64")),
    ]
    both(given, wanted)


def test_weights_of_a_product_of_matrices(interpreted):
    given = Arrays()
    w = normal(3, 2, 3, 5)
    tiled = nn.conv2d_gemm_weight_transform(given(w), 2, 4)
    whole = np.zeros((20, 6), "float32")
    whole[:18, :5] = w.reshape(18, 5)
    interpreted(given, [(tiled, whole.reshape(5, 4, 3, 2).transpose(2, 0, 3, 1))])


@pytest.mark.filterwarnings("ignore:.*is computed as a hull")
def test_winograd(interpreted, both):
    given = Arrays()
    x, w = normal(2, 2, 7, 6), normal(3, 2, 3, 3)
    data, weight = given(x), given(w)
    last, last_weight = given(x.transpose(0, 2, 3, 1)), given(w.transpose(2, 3, 1, 0))
    ready = nn.conv2d_winograd_weight_transform(weight, 4)
    by_inputs = topi.transpose(ready, (0, 1, 3, 2))
    pads = (1, 0, 1, 2)
    padded, plain = convolved(x, w, 1, pads), convolved(x, w)
    wanted = [
        (nn.conv2d_winograd_nchw(data, weight, 1, pads, 1, None), padded),
        (
            nn.conv2d_winograd_nhwc(last, last_weight, 1, pads, 1, "float64"),
            convolved(x.astype("float64"), w, 1, pads).transpose(0, 2, 3, 1),
        ),
        (nn.conv2d_winograd_nchw_without_weight_transform(data, by_inputs, 1, 0, 1, None), plain),
        (
            nn.conv2d_winograd_nhwc_without_weight_transform(last, ready, 1, 0, 1, None),
            plain.transpose(0, 2, 3, 1),
        ),
    ]
    interpreted(given, wanted)
    both({last: given[last], last_weight: given[last_weight]}, wanted[1:2])


@pytest.mark.parametrize(("tile", "taps_of_axis"), [(2, 3), (4, 3), (6, 3), (3, 5), (8, 7)])
def test_matrices_of_winograd(tile, taps_of_axis, interpreted):
    matrices = nn.winograd_transform_matrices(tile, taps_of_axis, "float64")
    d, w = normal(tile + taps_of_axis - 1), normal(taps_of_axis)
    given = Arrays()
    data, weight = given(d.astype("float64")), given(w.astype("float64"))
    a, b, g = matrices
    product = topi.matmul(g, weight) * topi.matmul(b, data, transp_a=True)
    result = topi.cast(topi.matmul(a, product, transp_a=True), "float32")
    interpreted(given, [(result, np.correlate(d, w, "valid"))])


def test_winograd_along_three_axes(interpreted):
    given = Arrays()
    x, w = normal(2, 2, 3, 4, 5), normal(2, 2, 3, 3, 3)
    data, weight = given(x), given(w)
    ready = nn.conv3d_winograd_weight_transform(weight, 2)
    pads, how = (1, 0, 1, 0, 1, 1), (1, 1, None)
    wanted = [
        (nn.conv3d_ncdhw_winograd(data, weight, 1, pads, *how), convolved(x, w, 1, pads)),
        (
            nn.conv3d_ncdhw_winograd_without_weight_transform(data, ready, 1, 0, *how),
            convolved(x, w),
        ),
    ]
    interpreted(given, wanted)


@pytest.mark.parametrize("depth", [3, 2])
def test_winograd_weights_along_three_axes(depth, interpreted):
    given = Arrays()
    w = normal(2, 1, depth, 3, 3)
    transformed = nn.conv3d_winograd_weight_transform(given(w), 2)
    g = np.array([[1, 0, 0], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [0, 0, 1]], "float32")
    along = np.einsum("oidhw,yh,xw->yxdoi", w, g, g)
    expected = np.einsum("yxdoi,zd->zyxoi", along, g) if depth == 3 else along
    interpreted(given, [(transformed, expected)])


def test_gradients_of_convolutions_of_single_channels(both):
    given = Arrays()
    x, w = normal(1, 3, 5, 4, dtype="float64"), normal(3, 2, 3, 2, dtype="float64")
    how = (2, 1), (1, 0, 1, 1)

    def of_data(x):
        return convolved(x, w.reshape(6, 1, 3, 2), *how, groups=3)

    head = normal(*of_data(x).shape, dtype="float64")
    gradient = given(head.transpose(0, 2, 3, 1))
    data, weight = given(x.transpose(0, 2, 3, 1)), given(w.transpose(2, 3, 0, 1))
    by_data = derivative(of_data, x, head).transpose(0, 2, 3, 1)
    by_weight = derivative(
        lambda w: convolved(x, w.reshape(6, 1, 3, 2), *how, groups=3), w, head
    ).transpose(2, 3, 0, 1)
    shapes = gradient.shape, data.shape, weight.shape
    backward = (
        nn.depthwise_conv2d_backward_input_nhwc(weight, gradient, *shapes[:2], *how),
        nn.depthwise_conv2d_backward_weight_nhwc(data, gradient, shapes[0], shapes[2], *how),
    )
    rounded = [topi.cast(one, "float32") for one in backward]
    both(given, list(zip(rounded, (by_data.astype("f"), by_weight.astype("f")), strict=True)))


def sampled(x, y, z):
    """x between the elements at (y, z), with zeros behind the last ones; 0 outside."""
    height, width = x.shape[-2:]
    x = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(0, 1), (0, 1)])
    if not (0 <= y < height and 0 <= z < width):
        return np.zeros(x.shape[:-2])
    top, left = math.floor(y), math.floor(z)
    bottom, right = top + 1, left + 1
    upper = x[..., top, left] * (1 - z + left) + x[..., top, right] * (z - left)
    lower = x[..., bottom, left] * (1 - z + left) + x[..., bottom, right] * (z - left)
    return upper * (1 - y + top) + lower * (y - top)


def deformed(x, offset, w, stride, pad, dilation, parts, groups):
    n, c, _, _ = x.shape
    o, i, kh, kw = w.shape
    height, width = offset.shape[2:]
    moved = offset.reshape(n, parts, kh, kw, 2, height, width)
    found = np.zeros((n, o, height, width))
    for at in np.ndindex(n, c, kh, kw, height, width):
        b, channel, ky, kx, y, z = at
        dy, dx = moved[b, channel // (c // parts), ky, kx, :, y, z]
        group = channel // i
        outputs = slice(group * (o // groups), (group + 1) * (o // groups))
        place = y * stride + ky * dilation - pad + dy, z * stride + kx * dilation - pad + dx
        found[b, outputs, y, z] += w[outputs, channel % i, ky, kx] * sampled(x[b, channel], *place)
    return found


def test_deformable_convolutions(both):
    given = Arrays()
    x, w, g = normal(1, 4, 4, 3), normal(2, 4, 3, 2), normal(4, 2, 2, 2)
    whole, parts = normal(1, 12, 4, 4) * 2, normal(1, 16, 3, 2) * 2
    whole[0, :, 0, 0] = [0, 0, 0.5, np.nan, -9, 0, 1e9, 0, 0, -0.5, 0, 0]
    # NaN is outside.
    expected = deformed(x, whole, w, 1, 1, 1, 1, 1)
    data, offset, weight = given(x), given(whole), given(w)
    last = given(x.transpose(0, 2, 3, 1)), given(whole.transpose(0, 2, 3, 1))
    how = 1, 1, 1, 1, 1, None
    wanted = [
        (nn.deformable_conv2d_nchw(data, offset, weight, *how), expected.astype("f")),
        (
            nn.deformable_conv2d_nhwc(*last, given(w.transpose(2, 3, 1, 0)), *how),
            expected.transpose(0, 2, 3, 1).astype("f"),
        ),
        (
            nn.deformable_conv2d_nchw(data, given(parts), given(g), 1, 0, 1, 2, 2, "float32"),
            deformed(x, parts, g, 1, 0, 1, 2, 2).astype("f"),
        ),
    ]
    both(given, wanted)


def correlated(x, y, size, reach, stride, apart, pad, combine):
    widths = [(0, 0), (0, 0), (pad, pad), (pad, pad)]
    x, y = np.pad(x, widths), np.pad(y, widths)
    radius, half = reach // apart, size // 2
    begin = reach + half
    rows = range(begin, x.shape[2] - begin, stride)
    columns = range(begin, x.shape[3] - begin, stride)
    distances = [k * apart for k in range(-radius, radius + 1)]
    found = np.zeros((len(x), len(distances) ** 2, len(rows), len(columns)))
    for which, (dy, dx) in enumerate((a, b) for a in distances for b in distances):
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                here, there = (
                    z[..., r - half : r + half + 1, c - half : c + half + 1]
                    for z, r, c in ((x, row, column), (y, row + dy, column + dx))
                )
                found[:, which, i, j] = combine(here, there).mean((1, 2, 3))
    return found.astype("float32")


def test_correlation(both):
    given = Arrays()
    x, y = normal(1, 2, 6, 5), normal(1, 2, 6, 5)
    data = given(x), given(y)
    wanted = [
        (
            nn.correlation_nchw(*data, 1, 2, 1, 1, 2, True),
            correlated(x, y, 1, 2, 1, 1, 2, np.multiply),
        ),
        (
            nn.correlation_nchw(*data, 3, 2, 2, 2, 3, False),
            correlated(x, y, 3, 2, 2, 2, 3, lambda a, b: np.abs(a - b)),
        ),
    ]
    both(given, wanted)


def of_bits(w, bits):
    """What weights count for, if a bit that is 0 counts as -1."""
    return sum(((w >> b & 1) * 2 - 1) << b for b in range(bits))


def test_convolutions_of_bits(both):
    given = Arrays()
    x = RNG.integers(0, 4, (1, 16, 3, 4)).astype("int32")
    w = RNG.integers(0, 2, (2, 16, 2, 3)).astype("int32")
    data, weight = given(x), given(w)
    last = given(x.transpose(0, 2, 3, 1)), given(w.transpose(2, 3, 1, 0))
    pads = (1, 0, 0, 1)
    packed = nn.bitpack(last[1], 1, 2, 4, "uint8")
    signed, plain = convolved(x, of_bits(w, 1), 1, pads), convolved(x, w, 2)
    wanted = [
        (nn.bitserial_conv2d_nchw(data, weight, 1, pads, 2, 1, "uint16"), signed),
        (nn.bitserial_conv2d_nchw(data, weight, 2, 0, 2, 1, "uint8", "int32", False), plain),
        (
            nn.bitserial_conv2d_nhwc(*last, 1, pads, 2, 1, "uint16"),
            signed.transpose(0, 2, 3, 1),
        ),
        (
            nn.bitserial_conv2d_nhwc(last[0], packed, 2, 0, 2, 1, "uint8", unipolar=False),
            plain.transpose(0, 2, 3, 1),
        ),
    ]
    both(given, wanted)


def test_sizes(symbolic):
    def make(n, h):
        A, W = te.placeholder((n, 1, h, 4, 2), name="A"), te.placeholder((1, 1, 2, 3, 2, 2))
        X, U = te.placeholder((n, 2, 5, 5), name="X"), te.placeholder((3, 2, 3, 3), name="U")
        return [A, W, X, U], [
            (
                nn.conv2d_NCHWc(A, W, 1, 1, 1, "", ""),
                lambda a, w, x, u: in_blocks(
                    convolved(a[:, 0].transpose(0, 3, 1, 2), w[0, 0].transpose(3, 2, 0, 1), 1, 1),
                    2,
                ),
            ),
            (
                nn.conv2d_winograd_nchw(X, U, 1, 1, 1, None),
                lambda a, w, x, u: convolved(x, u, 1, 1),
            ),
        ]

    symbolic(make, "n h", [(2, 3), (1, 1), (0, 2)])


A, W = te.placeholder((1, 2, 9, 9, 4), name="A"), te.placeholder((3, 2, 3, 3, 4, 8), name="W")
B = te.placeholder((1, 2, 9, 9, 3), name="B")
V = te.placeholder((3, 2, 3, 3, 2, 8, 4), "int8", name="V")
X, K = te.placeholder((1, 4, 9, 9), name="X"), te.placeholder((6, 4, 3, 3), name="K")
F, I = te.placeholder((1, 18, 9, 9), name="F"), te.placeholder((1, 4, 9, 9), "int8", name="I")  # noqa: E741
G = te.placeholder((1, 5, 5, 8), name="G")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: nn.conv2d_NCHWc(B, W, 1, 1, 1, "", ""),
            "topi.nn.conv2d_NCHWc: kernel has the extent 4 on axis 4, but data has 3",
        ),
        (
            lambda: nn.conv2d_NCHWc(
                A, te.placeholder((3, 3, 1, 1, 4, 8), name="W"), 1, 1, 1, "", ""
            ),
            "whose 3 blocks of 3 blocks are no groups of the 2 blocks of A of shape",
        ),
        (
            lambda: nn.conv2d_NCHWc(A, W, 1, 0, 5, "", ""),
            "too small for a window of 11 on axis 2",
        ),
        (
            lambda: nn.conv2d_NCHWc_int8(A, V, 1, 1, 1, "", ""),
            "whose axes 4 and 6 are not blocks of 4 channels of axis 4 of A",
        ),
        (
            lambda: nn.depthwise_conv2d_NCHWc(A, W, 1, 1, 1, "", ""),
            "topi.nn.depthwise_conv2d_NCHWc: Filter is W of shape",
        ),
        (lambda: nn.conv2d_winograd_nchw(X, K, 2, 1, 1, None), "strides is 2, but must be 1"),
        (lambda: nn.conv2d_winograd_nchw(X, K, 1, 1, 2, None), "dilation is 2, but must be 1"),
        (
            lambda: nn.conv2d_winograd_nchw(X, K, 1, 1, 1, "int32"),
            "out_dtype is int32, but the transformed numbers are fractions",
        ),
        (
            lambda: nn.conv2d_winograd_nchw(X, K, 1, 1, 1, None, True),
            "weight is K of shape (6, 4, 3, 3) and dtype float32, but must have 6 elements on",
        ),
        (
            lambda: nn.conv2d_winograd_nhwc(X, te.placeholder((3, 3, 4, 4)), 1, 1, 1, None),
            "weight has the extent 4 on axis 2, but data has 9 on axis 3",
        ),
        (
            lambda: nn.conv2d_winograd_nchw(
                te.placeholder((1, 4, te.var("h"), 9), name="S"), K, 1, 1, 1, None
            ),
            "data, S of shape (1, 4, h, 9) and dtype float32, on axis 2, is h, not an integer",
        ),
        (
            lambda: nn.conv2d_winograd_nchw(X, te.placeholder((6, 4, 3, 3), "int8"), 1, 1, 1, None),
            "topi.nn.conv2d_winograd_nchw: weight is placeholder of shape (6, 4, 3, 3) and dtype",
        ),
        (
            lambda: nn.conv3d_ncdhw_winograd(
                te.placeholder((1, 4, 3, 3, 3)), te.placeholder((2, 2, 3, 3, 3)), 1, 1, 1, 2, None
            ),
            "topi.nn.conv3d_ncdhw_winograd: groups is 2, but must be 1",
        ),
        (lambda: nn.winograd_transform_matrices(9, 3, "float32"), "tile_size is 9, outside of 2.."),
        (
            lambda: nn.winograd_transform_matrices(4, 2, "float32"),
            "kernel has 2 taps along an axis",
        ),
        (
            lambda: nn.conv2d_winograd_weight_transform(te.placeholder((1, 1, 3, 5), name="w"), 2),
            "kernel is w of shape (1, 1, 3, 5) and dtype float32, which has not as many taps",
        ),
        (
            lambda: nn.depthwise_conv2d_backward_input_nhwc(
                te.placeholder((3, 3, 4, 2)), G, (1, 5, 5, 8), (1, 9, 9, 4), 2, 0
            ),
            "Out_grad is G of shape (1, 5, 5, 8) and dtype float32, with oshape (1, 5, 5, 8); a",
        ),
        (
            lambda: nn.depthwise_conv2d_backward_weight_nhwc(
                te.placeholder((1, 9, 9, 4)), G, (1, 5, 5, 8), (3, 3, 4), 2, 1
            ),
            "shape of the weights is [3, 3, 4], but must have 4 extents",
        ),
        (
            lambda: nn.deformable_conv2d_nchw(X, F, K, 1, 0, 1, 1, 1, None),
            "offset is F of shape (1, 18, 9, 9) and dtype float32, but must be of shape (1, 18, 7",
        ),
        (
            lambda: nn.deformable_conv2d_nchw(X, F, K, 1, 1, 1, 3, 1, None),
            "deformable_groups is 3, which does not divide the 4 channels of X",
        ),
        (
            lambda: nn.deformable_conv2d_nchw(I, F, K, 1, 1, 1, 1, 1, None),
            "data is I of shape (1, 4, 9, 9) and dtype int8, but must be float",
        ),
        (
            lambda: nn.correlation_nchw(X, I, 1, 2, 1, 1, 0, True),
            "data2 is I of shape (1, 4, 9, 9)",
        ),
        (
            lambda: nn.correlation_nchw(X, X, 2, 2, 1, 1, 0, True),
            "kernel_size is 2, but must be odd",
        ),
        (
            lambda: nn.correlation_nchw(X, X, 3, 4, 1, 1, 0, True),
            "too small for squares of 3 that are moved by 4",
        ),
        (
            lambda: nn.bitserial_conv2d_nchw(I, te.placeholder((1, 4, 3, 3), "int8"), 1, 1, 1, 1),
            "data is I of shape (1, 4, 9, 9) and dtype int8, whose axis 1 has no whole words of 32",
        ),
        (
            lambda: nn.bitserial_conv2d_nchw(I, te.placeholder((1, 4, 3, 3), "int8"), 1, 1, 9, 1),
            "topi.nn.bitserial_conv2d_nchw: activation_bits is 9, more than those of I",
        ),
        (lambda: nn.bitpack(I, 9, 1, 1, "uint8"), "bits is 9, more than those of I of shape"),
        (
            lambda: nn.bitpack(I, 1, 1, 1, "int8"),
            "pack_type is 'int8'; known are 'uint8', 'uint16'",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
