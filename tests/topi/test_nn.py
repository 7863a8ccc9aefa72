"""Layers without windows: activations, products, padding, normalizations."""

from typing import Any

import numpy as np
import pytest
from layers_by_hand import RNG, Arrays, derivative, normal, tensor

from teloom import te, topi
from teloom.topi import nn


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis, keepdims=True)


def test_activations(both):
    a, slope = normal(2, 3, 4) * 3, np.array([0.5, 0, 2], "float32")
    i = np.array([-3, 0, 5], "int8")
    A, S, I = tensor(a, "A"), tensor(slope, "S"), tensor(i, "I")  # noqa: E741
    wanted = [
        (nn.relu(A), np.maximum(a, 0)),
        (nn.relu(I), np.maximum(i, 0)),
        (nn.leaky_relu(A, 0.1), np.where(a > 0, a, a * np.float32(0.1))),
        (nn.prelu(A, S), np.where(a > 0, a, a * slope[:, None])),
        (nn.prelu(topi.transpose(A), S, -2), np.where(a > 0, a, a * slope[:, None]).T),
        (nn.prelu(A, topi.strided_slice(S, [0], [1])), np.where(a > 0, a, a * slope[0])),
        (nn.softmax(A), softmax(a, -1)),
        (nn.fast_softmax(A, 0), softmax(a, 0)),
        (nn.softmax_common(A, 1, False), softmax(a, 1)),
        (nn.softmax_common(A, 0, True), softmax(a, 0)),
        (nn.log_softmax(A), np.log(softmax(a, -1))),
        (nn.softmax(A * 1000), softmax(a * 1000, -1)),
    ]
    both({A: a, S: slope, I: i}, wanted)


def test_a_softmax_of_many_short_floats(both):
    x = np.ones((1, 2500), "float16")  # which adds 1 to 2048 in vain
    X = tensor(x, "X")
    share = np.full((1, 2500), 1 / 2500)
    wanted = [(nn.softmax(X), share), (nn.log_softmax(X), np.log(share))]
    both({X: x}, [(one, expected.astype("float16")) for one, expected in wanted])


def test_products(both):
    a, w, b = normal(3, 4), normal(2, 4), normal(2)
    x, y = normal(2, 3, 4), normal(1, 5, 4)
    i = RNG.integers(-128, 127, (3, 4)).astype("int8")
    A, W, B, X, Y, I = map(tensor, (a, w, b, x, y, i), "AWBXYI")  # noqa: E741
    wide = i.astype("int32")
    wanted = [
        (nn.dense(A, W), a @ w.T),
        (nn.dense(A, W, B), a @ w.T + b),
        (nn.dense(I, I, out_dtype="int32"), wide @ wide.T),
        (nn.matmul(W, A, None, "float64", False, True), w.astype("float64") @ a.T),
        (nn.matmul(A, I, transpose_a=True), a.T @ i.astype("float32")),
        (nn.batch_matmul(X, Y), x @ y.swapaxes(1, 2)),
        (nn.batch_matmul(Y, X, (2, 5, 3)), y @ x.swapaxes(1, 2)),
        (nn.batch_matmul(X, X, None, None, True, False), x.swapaxes(1, 2) @ x),
    ]
    both({A: a, W: w, B: b, X: x, Y: y, I: i}, wanted)


def test_padding(both):
    a = normal(3, 4)
    A = tensor(a, "A")
    apart = np.full((3, 7), -1, "float32")
    apart[:, ::2] = a
    wanted = [
        (nn.pad(A, [1, 0]), np.pad(a, [(1, 1), (0, 0)])),
        (nn.pad(A, (0, 2), (1, 0), 0.5), np.pad(a, [(0, 1), (2, 0)], constant_values=0.5)),
        (nn.pad(A, 0), a),
        (nn.mirror_pad(A, [1, 0], [3, 2]), np.pad(a, [(1, 3), (0, 2)], "symmetric")),
        (nn.mirror_pad(A, 2, mode="REFLECT"), np.pad(a, 2, "reflect")),
        (nn.dilate(A, [1, 2], -1), apart),
        (nn.dilate(A, [1, 1]), a),
        (nn.flatten(topi.reshape(A, (3, 2, 2))), a),
    ]
    both({A: a}, wanted)


def test_mirrored_padding_of_symbolic_extents_that_are_long_enough(compile_once):
    n = te.var("n")
    A, B = te.placeholder((n + 3,), name="A"), te.placeholder((n // 2 + 2,), name="B")
    outputs = nn.mirror_pad(A, 1, 3), nn.mirror_pad(A, 2, mode="REFLECT"), nn.mirror_pad(B, 2)
    run = compile_once([A, B], outputs)
    for size in (0, 1, 6):
        a, b = normal(size + 3), normal(size // 2 + 2)
        wanted = np.pad(a, (1, 3), "symmetric"), np.pad(a, 2, "reflect"), np.pad(b, 2, "symmetric")
        for found, expected in zip(run([a, b], [one.shape for one in wanted]), wanted, strict=True):
            np.testing.assert_array_equal(found, expected)


def normalized(x, axes, epsilon=1e-5):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def test_normalizations(both):
    a, g, b = normal(2, 4, 3, 5), normal(4), normal(4)
    m, v = normal(4), np.abs(normal(4))
    w, half = normal(3, 5), normal(2, 4, dtype="float16")
    A, G, B, M, V, W, H = map(tensor, (a, g, b, m, v, w, half), "AGBMVWH")
    by = (slice(None), None, None)
    groups = normalized(a.reshape(2, 2, 2, 3, 5), (2, 3, 4)).reshape(a.shape)
    of_half = normalized(half.astype("float32"), 1) * g + b
    moving = nn.batch_norm(A, G, B, M, V, momentum=0.25, training=True)
    inferred = nn.batch_norm(A, G, B, M, V, 1, 1e-3, scale=False)
    over = (0, 2, 3)
    wanted = [
        (moving[0], normalized(a, over) * g[by] + b[by]),
        (moving[1], m * 0.75 + a.mean(over) * 0.25),
        (moving[2], v * 0.75 + a.var(over) * 0.25),
        (inferred[0], (a - m[by]) / np.sqrt(v[by] + np.float32(1e-3)) + b[by]),
        (inferred[1], m),
        (inferred[2], v),
        (nn.layer_norm(A, W, W, (2, 3)), normalized(a, (2, 3)) * w + w),
        (nn.layer_norm(A, G, None, 1), normalized(a, 1) * g[by]),
        (nn.layer_norm(H, topi.cast(G, "float16"), topi.cast(B, "float16"), -1), of_half),
        (nn.instance_norm(A, G, B, [2, 3]), normalized(a, (2, 3)) * g[by] + b[by]),
        (nn.instance_norm(A, G, B, [1]), normalized(a, 1) * g[by] + b[by]),
        (nn.group_norm(A, G, B, 2, 1, [2, 3]), groups * g[by] + b[by]),
        (nn.rms_norm(A, W, (2, 3)), a / np.sqrt((a**2).mean((2, 3), keepdims=True) + 1e-5) * w),
        (nn.scale_shift_nchw(A, G, B), a * g[by] + b[by]),
    ]
    both({A: a, G: g, B: b, M: m, V: v, W: w, H: half}, wanted)


def test_scale_shift_nhwc(interpreted):
    a, g, b = normal(1, 2, 3, 4), normal(4), normal(4)
    A, G, B = map(tensor, (a, g, b), "AGB")
    interpreted({A: a, G: g, B: b}, [(nn.scale_shift_nhwc(A, G, B), a * g + b)])


def test_channels_in_blocks(both):
    given = Arrays()
    a, w, b = normal(3, 4), normal(6, 4), normal(6)
    x, g = normal(1, 2, 2, 3, 4), normal(2, 4)
    data, scale = given(x), given(g)
    packed = given(w.reshape(2, 3, 4).swapaxes(1, 2))
    by_block = g[:, None, None]
    wanted = [
        (nn.dense_pack(given(a), packed, given(b)), a @ w.T + b),
        (nn.scale_shift_nchwc(data, scale, scale), x * by_block + by_block),
    ]
    both(given, wanted)


def local_response(x, size, axis, alpha, beta, bias):
    moved = np.moveaxis(x, axis, -1)
    widths = [(0, 0)] * (x.ndim - 1) + [((size - 1) // 2, size // 2)]
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(moved, widths), size, -1)
    scale = (bias + alpha / size * (windows**2).sum(-1)) ** beta
    return np.moveaxis(moved / scale, -1, axis)


def test_local_response(both):
    given = Arrays()
    x, half = normal(2, 5, 3, 2), normal(2, 4, dtype="float16")
    data = given(x)
    wanted = [
        (nn.lrn(data, 3), local_response(x, 3, 1, 0.0001, 0.75, 2)),
        (nn.lrn(data, 4, -1, 0.5, 0.5, 1), local_response(x, 4, -1, 0.5, 0.5, 1)),
        (nn.lrn(given(half), 3, 1, 1.0), local_response(half.astype("f"), 3, 1, 1.0, 0.75, 2)),
    ]
    both(given, wanted)


def test_blocks_of_positions(both):
    given = Arrays()
    x, y = normal(1, 8, 2, 3), normal(2, 4, 6, 1)
    image, data = given(x), given(y)
    deep = x.reshape(1, 2, 2, 2, 2, 3)
    spread, crossed = (deep.transpose(0, *order) for order in ((3, 4, 1, 5, 2), (1, 4, 2, 5, 3)))
    wide = spread.reshape(1, 2, 4, 6)
    parts = np.pad(y, [(0, 0), (1, 1), (0, 0), (0, 0)], constant_values=0.5).reshape(
        2, 3, 2, 2, 3, 1
    )
    batches = parts.transpose(2, 4, 0, 1, 3, 5).reshape(12, 3, 2, 1)
    wanted = [
        (nn.depth_to_space(image, 2), wide),
        (nn.depth_to_space(image, 2, mode="CDR"), crossed.reshape(1, 2, 4, 6)),
        (
            nn.depth_to_space(given(x.transpose(0, 2, 3, 1)), 2, "NHWC"),
            wide.transpose(0, 2, 3, 1),
        ),
        (nn.space_to_depth(given(wide), 2), x),
        (
            nn.space_to_depth(given(wide.transpose(0, 2, 3, 1)), 2, "NHWC"),
            x.transpose(0, 2, 3, 1),
        ),
        (nn.space_to_batch_nd(data, [2, 3], [1, 0], [1, 0], 0.5), batches),
        (nn.space_to_batch_nd(data, [4], [0], [0]), y.swapaxes(0, 1).reshape(8, 1, 6, 1)),
        (nn.batch_to_space_nd(given(batches), [2, 3], [1, 0], [1, 0]), y),
    ]
    both(given, wanted)


def test_more_elements_between(both):
    given = Arrays()
    x, y = normal(1, 2, 3, 4), normal(1, 2, 2, 3, 1)
    data, volume = given(x), given(y)
    half = np.array([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]], "float32")

    def between(count, number):
        """Weights of the elements at each place, up to the last one."""
        places = np.minimum(np.arange(number) * count / number, count - 1)
        return np.maximum(1 - np.abs(places[:, None] - np.arange(count)), 0).astype("float32")

    rows, columns = between(3, 6), between(4, 6)
    ends = np.maximum(1 - np.abs(np.linspace(0, 2, 6)[:, None] - np.arange(3)), 0)
    wanted = [
        (nn.upsampling(data, 2, 3), x.repeat(2, 2).repeat(3, 3)),
        (
            nn.upsampling(given(x.transpose(0, 2, 3, 1)), 2, 1.5, "NHWC", "bilinear"),
            np.einsum("nchw,yh,xw->nyxc", x, rows, columns),
        ),
        (
            nn.upsampling(
                data, 1, 1, method="bilinear", align_corners=True, output_shape=[1, 2, 6, 4]
            ),
            np.einsum("nchw,yh->ncyw", x, ends.astype("float32")),
        ),
        (
            nn.upsampling3d(volume, 2, 1, 3, coordinate_transformation_mode="asymmetric"),
            y.repeat(2, 2).repeat(3, 4),
        ),
        (
            nn.upsampling3d(volume, 2, 1, 1, method="trilinear"),
            np.einsum("ncdhw,zd->nczhw", y, half),
        ),
    ]
    both(given, wanted)


def test_losses(both):
    given = Arrays()
    p, w = normal(3, 4, 2), np.abs(normal(4))
    t = RNG.integers(0, 4, (3, 2)).astype("int64")
    t[0, 1] = -100
    q, one, many = np.log(softmax(normal(3, 5), 1)), normal(4), softmax(normal(3, 5), 1)
    kept = t >= 0
    rows, columns = np.indices(t.shape)
    each = np.where(kept, -p[rows, np.maximum(t, 0), columns] * w[np.maximum(t, 0)], 0)
    mean = each.sum() / (w[np.maximum(t, 0)] * kept).sum()
    predictions, targets, weights = given(p), given(t), given(w)
    alone, single = given(one), given(np.array(2, "uint8"))
    logits, shares = given(q), given(many)
    wanted = [
        (nn.nll_loss(predictions, targets, weights, "none", -100), each),
        (nn.nll_loss(predictions, targets, weights, "sum", -100), each.sum()),
        (nn.nll_loss(predictions, targets, weights, "mean", -100), mean),
        (nn.nll_loss(alone, single, weights, "mean", -100), -one[2]),
        (nn.nll_loss(alone, single, weights, "none", 7), -one[2] * w[2]),
        (nn.cross_entropy(given(np.exp(q)), shares), -(q * many).sum() / 3),
        (nn.cross_entropy_with_logits(logits, shares), -(q * many).sum() / 3),
    ]
    both(given, wanted)


def test_gradients_of_losses(interpreted):
    """What a step of training needs, by `te.gradient`, against differences."""
    given = Arrays()
    x, y = normal(3, 4, dtype="float64"), softmax(normal(3, 4, dtype="float64"), 1)
    w, t, one = np.array([1.0, 0.5, 2, 1]), np.array([3, -1, 0], "int32"), np.array(1.0)
    scores, shares, weights, targets = map(given, (x, y, w, t))

    def nll(x):
        chosen = np.log(softmax(x, 1))[[0, 2], [3, 0]]
        return -(chosen * w[[3, 0]]).sum() / w[[3, 0]].sum()

    def entropy(x):
        return -(np.log(softmax(x, 1)) * y).sum() / 3

    def local(x):
        return local_response(x, 3, 1, 0.5, 0.75, 1.0).sum()

    logarithms = nn.log_softmax(scores)
    losses = [
        (nn.nll_loss(logarithms, targets, weights, "mean", -1), nll),
        (nn.cross_entropy_with_logits(logarithms, shares), entropy),
        (topi.sum(nn.lrn(scores, 3, 1, 0.5, 0.75, 1.0)), local),
    ]
    wanted = []
    for loss, function in losses:
        (gradient,) = te.gradient(loss, [scores], head=topi.full((), "float64", 1))
        expected = derivative(function, x, one).astype("float32")
        wanted.append((topi.cast(gradient, "float32"), expected))
    interpreted(given, wanted)


def test_sizes(symbolic):
    def make(n, m):
        A, G = te.placeholder((n, m), name="A"), te.placeholder((m,), name="G")
        return [A, G], [
            (nn.softmax(A), lambda a, g: softmax(a, 1)),
            (nn.log_softmax(A, 0), lambda a, g: np.log(softmax(a, 0))),
            (nn.dense(A, A), lambda a, g: a @ a.T),
            (nn.pad(A, (1, 0), (0, 2)), lambda a, g: np.pad(a, [(1, 0), (0, 2)])),
            (nn.layer_norm(A, G, G, 1), lambda a, g: normalized(a, 1) * g + g),
            (
                nn.rms_norm(A, G, 1),
                lambda a, g: a / np.sqrt((a**2).mean(1, keepdims=True) + 1e-5) * g,
            ),
            (nn.prelu(A, G), lambda a, g: np.where(a > 0, a, a * g)),
            (nn.lrn(A, 3), lambda a, g: local_response(a, 3, 1, 0.0001, 0.75, 2)),
            (nn.space_to_batch_nd(A, [1], [0], [1]), lambda a, g: np.pad(a, [(0, 0), (0, 1)])),
        ]

    symbolic(make, "n m", [(3, 5), (1, 1), (0, 4)])


A, B = te.placeholder((8, 4), name="A"), te.placeholder((3,), name="B")
I = te.placeholder((8, 4), "int32", name="I")  # noqa: E741
X, Y = te.placeholder((2, 4, 4), name="X"), te.placeholder((1, 4, 4, 4), name="Y")
N, C = te.placeholder((8,), "int32", name="N"), te.placeholder((4,), name="C")
K: Any = te.var("k")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nn.softmax(A, 2), "topi.nn.softmax: axis is 2, outside of -2..1"),
        (
            lambda: nn.softmax(I),
            "topi.nn.softmax: x is I of shape (8, 4) and dtype int32, but must",
        ),
        (lambda: nn.leaky_relu(I, 0.1), "topi.nn.leaky_relu: x is I of shape (8, 4) and dtype"),
        (lambda: nn.prelu(A, B), "topi.nn.prelu: slope has the extent 3 on axis 0, but x has 4"),
        (lambda: nn.dense(A, B), "topi.nn.dense: weight is B of shape (3,) and dtype float32, but"),
        (lambda: nn.dense(A, X), "topi.nn.dense: weight is X of shape (2, 4, 4)"),
        (lambda: nn.dense(A, A, B), "topi.nn.dense: bias has the extent 3 on axis 0, but weight"),
        (lambda: nn.dense(A, A, out_dtype="int33"), "nn.dense: out_dtype is 'int33': unknown"),
        (
            lambda: nn.matmul(A, A),
            "tensor_b has the extent 8 on axis 0, but tensor_a has 4 on axis 1",
        ),
        (lambda: nn.batch_matmul(X, X, (1, 2, 3)), "oshape is (1, 2, 3), but the result has"),
        (lambda: nn.pad(A, [1]), "topi.nn.pad: pad_before is [1], but must be one integer or 2"),
        (lambda: nn.pad(A, -1), "topi.nn.pad: pad_before is -1, but must be at least 0"),
        (
            lambda: nn.pad(I, 1, 1, 0.5),
            "topi.nn.pad: pad_value is 0.5: 0.5 is not an integer, as int32 needs",
        ),
        (
            lambda: nn.mirror_pad(B, 3, mode="REFLECT"),
            "whose axis 0 has fewer than the 4 elements that are wanted to mirror it",
        ),
        (
            lambda: nn.mirror_pad(te.placeholder((te.var("n") + 2,)), 3),
            "whose axis 0 may have fewer than the 3 elements that are wanted to mirror it; an "
            "extent such as n + 3 never has",
        ),
        (lambda: nn.dilate(A, [0, 1]), "topi.nn.dilate: strides is 0, but must be at least 1"),
        (
            lambda: nn.layer_norm(A, B, B, 1),
            "topi.nn.layer_norm: gamma is B of shape (3,) and dtype",
        ),
        (lambda: nn.layer_norm(I, B, B, 1), "topi.nn.layer_norm: data is I of shape (8, 4)"),
        (lambda: nn.rms_norm(A, B, 1), "topi.nn.rms_norm: weight is B of shape (3,) and dtype"),
        (lambda: nn.group_norm(X, B, B, 3, 1, [2]), "num_groups is 3, for axis 1 of X of shape"),
        (lambda: nn.instance_norm(X, B, B, [1]), "instance_norm: gamma is B of shape (3,) and"),
        (
            lambda: nn.prelu(A, X),
            "topi.nn.prelu: slope is X of shape (2, 4, 4) and dtype float32, but",
        ),
        (lambda: nn.dense_pack(A, A), "topi.nn.dense_pack: weight is A of shape (8, 4) and dtype"),
        (
            lambda: nn.dense_pack(A, X, B),
            "bias is B of shape (3,) and dtype float32, for the 8 columns",
        ),
        (lambda: nn.scale_shift_nchwc(X, A, A), "topi.nn.scale_shift_nchwc: Input is X of shape"),
        (
            lambda: nn.lrn(I, 3),
            "topi.nn.lrn: data is I of shape (8, 4) and dtype int32, but must be",
        ),
        (lambda: nn.lrn(A, 0), "topi.nn.lrn: size is 0, but must be at least 1"),
        (lambda: nn.depth_to_space(Y, 3), "whose axis 1 has no whole blocks of 9"),
        (
            lambda: nn.depth_to_space(Y, 2, mode="RCD"),
            "mode is 'RCD'; known are 'DCR', 'CRD', 'CDR'",
        ),
        (lambda: nn.space_to_depth(Y, 2, "NCDHW"), "layout is 'NCDHW'; known are 'NCHW', 'NHWC'"),
        (lambda: nn.space_to_batch_nd(Y, [3], [0], [0]), "whose axis 1 has no whole blocks of 3"),
        (
            lambda: nn.space_to_batch_nd(A, [2, 2], 0, 0),
            "block_shape is [2, 2], for the axes behind",
        ),
        (lambda: nn.batch_to_space_nd(Y, [2], [0], [0]), "whose axis 0 has no whole blocks of 2"),
        (lambda: nn.batch_to_space_nd(X, [2], [9], [0]), "crops are (9, 0) on axis 1, which has 8"),
        (
            lambda: nn.nll_loss(A, I, B, "sum", 0),
            "targets is I of shape (8, 4) and dtype int32, for",
        ),
        (
            lambda: nn.nll_loss(A, N, B, "sum", 0),
            "weights is B of shape (3,) and dtype float32, for",
        ),
        (lambda: nn.nll_loss(A, N, B, "max", 0), "reduction is 'max'; known are 'mean', 'sum'"),
        (lambda: nn.nll_loss(A, N, C, "sum", K), "ignore_index is k, not an integer"),
        (
            lambda: nn.cross_entropy(A, I),
            "targets is I of shape (8, 4) and dtype int32, for the pred",
        ),
        (lambda: nn.matmul(A, A, None, None, K), "nn.matmul: transpose_a is k, neither True nor"),
        (lambda: nn.batch_norm(A, B, B, B, B), "moving_mean has the extent 3 on axis 0, but data"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)


def test_of_no_batches_there_are_no_elements(interpreted):
    a = np.zeros((0, 4, 3), "float32")
    A = te.placeholder(a.shape, name="A")
    blocks = nn.space_to_batch_nd(A, [2], [0], [0])
    interpreted(
        {A: a}, [(nn.flatten(A), a.reshape(0, 12)), (blocks, np.zeros((0, 2, 3), "float32"))]
    )
