"""The rows of the comparison of operators: each in topi, NumPy, PyTorch and ONNX."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from example import random  # pyright: ignore[reportMissingImports]
from workloads import aligned

from teloom import topi
from teloom.topi import nn

LIBRARIES = "operator_libraries"
"""The package with a file for each library."""

Shape = tuple[int, ...]


class Operator(NamedTuple):
    """An operator of some shapes, as four libraries write it."""

    shapes: Sequence[Shape]
    """Those of its inputs, which are float32 from -1 to 1, but for `positions`."""
    topi: Callable[..., Any]
    """Of placeholders."""
    numpy: Callable[..., np.ndarray]
    """Of arrays."""
    torch: Callable[..., Any] | None
    """Of the module and tensors."""
    onnx: tuple[str, dict[str, Any]] | None
    """The name of the node, and its attributes."""
    constants: Sequence[int] = ()
    """The inputs, by number, that are known when ONNX's graph is prepared: weights."""
    extra: Sequence[np.ndarray] = ()
    """Inputs of the node behind the others, which are constants."""
    outputs: int = 1
    """Those of the node, of which the first is compared."""
    positions: int | None = None
    """The input that is positions below this number."""
    rtol: float = 1e-4


class Compared(NamedTuple):
    """How a result is compared: see `example.check`."""

    numpy: Callable[..., np.ndarray]
    rtol: float


class Row(NamedTuple):
    """An operator by its name; the sizes are those of the name."""

    program: str
    sizes: tuple[int, ...] = ()

    @property
    def operator(self) -> Operator:
        return OPERATORS[self.program]

    @property
    def example(self) -> Compared:
        return Compared(self.operator.numpy, self.operator.rtol)

    def inputs(self) -> list[np.ndarray]:
        """The same arrays in every process, each from the begin of a line of the cache on."""
        rng, operator = np.random.default_rng(0), self.operator
        arrays = [random(rng, *shape) for shape in operator.shapes]
        if operator.positions is not None:
            arrays[-1] = rng.integers(0, operator.positions, operator.shapes[-1], "int32")
        return [*map(aligned, arrays)]


def matmul(side: int) -> Operator:
    return Operator(
        [(side, side)] * 2,
        topi.matmul,
        np.matmul,
        lambda torch, a, b: torch.matmul(a, b),
        ("MatMul", {}),
    )


def dense(side: int) -> Operator:
    return Operator(
        [(side, side)] * 2,
        nn.dense,
        lambda a, b: a @ b.T,
        lambda torch, a, b: torch.nn.functional.linear(a, b),
        ("Gemm", {"transB": 1}),
    )


def convolution(
    channels: int, side: int, outputs: int, size: int, stride: int = 1, groups: int = 1
) -> Operator:
    """A convolution of an image NCHW with a border of half a window."""
    border, each = size // 2, channels // groups
    made = (side + 2 * border - size) // stride + 1

    def ours(image: Any, weights: Any) -> Any:
        if groups > 1:
            return nn.depthwise_conv2d_nchw(image, weights, stride, border, 1)
        return nn.conv2d_nchw(image, weights, stride, border, 1)

    def expected(image: np.ndarray, weights: np.ndarray) -> np.ndarray:
        padded = np.pad(image[0], [(0, 0), (border, border), (border, border)])
        taps = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (1, 2))
        windows = taps[:, ::stride, ::stride]
        if groups > 1:
            return np.einsum("cyxab,cab->cyx", windows, weights[:, 0], optimize=True)[None]
        rows = windows.transpose(0, 3, 4, 1, 2).reshape(-1, made * made)
        return (weights.reshape(outputs, -1) @ rows).reshape(1, outputs, made, made)

    def torch(torch: Any, image: Any, weights: Any) -> Any:
        conv = torch.nn.functional.conv2d
        return conv(image, weights, stride=stride, padding=border, groups=groups)

    attributes = {"pads": [border] * 4, "strides": [stride] * 2, "group": groups}
    return Operator(
        [(1, channels, side, side), (outputs, each, size, size)],
        ours,
        expected,
        torch,
        ("Conv", attributes),
        constants=(1,),
    )


def transposed(channels: int, side: int, outputs: int, size: int) -> Operator:
    """A transposed convolution of an image NCHW to twice its sides."""
    border = (size - 1) // 2
    more = 2 + 2 * border - size

    def expected(image: np.ndarray, weights: np.ndarray) -> np.ndarray:
        whole = np.zeros((1, outputs, 2 * side + size, 2 * side + size), "float32")
        parts = np.einsum("cp,coyx->oyxp", image.reshape(channels, -1), weights, optimize=True)
        for y, x in np.ndindex(size, size):
            part = parts[:, y, x].reshape(outputs, side, side)
            whole[0, :, y : y + 2 * side : 2, x : x + 2 * side : 2] += part
        return whole[:, :, border : border + 2 * side, border : border + 2 * side]

    def torch(torch: Any, image: Any, weights: Any) -> Any:
        conv = torch.nn.functional.conv_transpose2d
        return conv(image, weights, stride=2, padding=border, output_padding=more)

    attributes = {"pads": [border] * 4, "strides": [2] * 2, "output_padding": [more] * 2}
    return Operator(
        [(1, channels, side, side), (channels, outputs, size, size)],
        lambda a, w: nn.conv2d_transpose_nchw(a, w, 2, border, "float32", more),
        expected,
        torch,
        ("ConvTranspose", attributes),
        constants=(1,),
    )


def windows(image: np.ndarray, size: int, stride: int, border: int, value: float) -> np.ndarray:
    """The windows of an image NCHW, on the last two axes."""
    around = [(0, 0), (0, 0), (border, border), (border, border)]
    padded = np.pad(image, around, constant_values=value)
    view = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (2, 3))
    return view[:, :, ::stride, ::stride]


def greatest_of(size: int, stride: int, border: int) -> Operator:
    attributes = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [border] * 4}
    return Operator(
        [(1, 64, 112, 112)],
        lambda a: nn.pool2d(a, size, stride, 1, [border] * 4, "max"),
        lambda a: windows(a, size, stride, border, -np.inf).max(axis=(4, 5)),
        lambda torch, a: torch.nn.functional.max_pool2d(a, size, stride, border),
        ("MaxPool", attributes),
    )


def mean_of(size: int) -> Operator:
    return Operator(
        [(1, 64, 112, 112)],
        lambda a: nn.pool2d(a, size, size, 1, 0, "avg"),
        lambda a: windows(a, size, size, 0, 0).mean(axis=(4, 5)),
        lambda torch, a: torch.nn.functional.avg_pool2d(a, size, size),
        ("AveragePool", {"kernel_shape": [size] * 2, "strides": [size] * 2}),
    )


def fold(name: str, axis: int | None) -> Operator:
    """A reduction of a matrix over an axis, or over both."""
    axes = [0, 1] if axis is None else [axis]
    node = {
        "sum": ("ReduceSum", {"keepdims": 0}),
        "max": ("ReduceMax", {"keepdims": 0, "axes": axes}),
    }
    return Operator(
        [(1024, 1024)],
        lambda a: getattr(topi, name)(a, axis),
        lambda a: getattr(a, name)(axis=axis),
        lambda torch, a: getattr(torch, "a" + name if name != "sum" else name)(a, dim=axes),
        node[name],
        extra=[np.array(axes)] if name == "sum" else [],
    )


def softmax(a: np.ndarray) -> np.ndarray:
    power = np.exp(a - a.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def layer_norm(a: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    centred = a - a.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))
    return centred * scale * gamma + beta


def batch_norm_relu(a: Any, gamma: Any, beta: Any, mean: Any) -> Any:
    # The greatest of its inputs is 1, so that this is a variance.
    return nn.relu(nn.batch_norm(a, gamma, beta, mean, topi.multiply(gamma, gamma))[0])


def batch_norm_relu_numpy(
    a: np.ndarray, gamma: np.ndarray, beta: np.ndarray, mean: np.ndarray
) -> np.ndarray:
    scale = gamma / np.sqrt(gamma * gamma + np.float32(1e-5))
    shift = beta - mean * scale
    return np.maximum(a * scale[:, None, None] + shift[:, None, None], 0)


def batch_norm_relu_torch(torch: Any, a: Any, gamma: Any, beta: Any, mean: Any) -> Any:
    return torch.nn.functional.batch_norm(a, mean, gamma * gamma, gamma, beta).relu_()


def linear(a: np.ndarray) -> np.ndarray:
    """To twice the sides, linear between the centers of elements."""

    def along(a: np.ndarray, axis: int) -> np.ndarray:
        extent = a.shape[axis]
        at = np.clip((np.arange(2 * extent, dtype="float32") + 0.5) / 2 - 0.5, 0, extent - 1)
        low = np.floor(at).astype(int)
        share = np.float32(at - low).reshape([-1 if k == axis else 1 for k in range(a.ndim)])
        high = np.minimum(low + 1, extent - 1)
        return a.take(low, axis) * (1 - share) + a.take(high, axis) * share

    return along(along(a, 2), 3)


def nearest(a: np.ndarray) -> np.ndarray:
    return a.repeat(2, 2).repeat(2, 3)


RESIZED = {
    "linear": (linear, "bilinear", "half_pixel", ""),
    "nearest": (nearest, "nearest", "asymmetric", "floor"),
}


def resize(mode: str) -> Operator:
    """Three channels of 512 x 512 to twice the sides."""
    expected, of_torch, places, rounding = RESIZED[mode]
    size = 1024, 1024
    method = "nearest_neighbor" if mode == "nearest" else mode

    def ours(a: Any) -> Any:
        return topi.image.resize2d(a, (0.0,) * 4, size, "NCHW", method, places, rounding)

    attributes = {"mode": mode, "coordinate_transformation_mode": places}
    if rounding:
        attributes["nearest_mode"] = rounding
    return Operator(
        [(1, 3, 512, 512)],
        ours,
        expected,
        lambda torch, a: torch.nn.functional.interpolate(a, size=size, mode=of_torch),
        ("Resize", attributes),
        extra=[np.float32([]), np.float32([1, 1, 2, 2])],
    )


def sorted_first(a: np.ndarray) -> np.ndarray:
    return np.sort(-np.partition(-a, 10, axis=1)[:, :10])[:, ::-1]


SQUARE = (1024, 1024)
HALF = (512, 512)
BATCH = (8, 512, 64)

ROWS: dict[str, Operator] = {
    "matmul 512": matmul(512),
    "matmul 1024": matmul(1024),
    "dense 512": dense(512),
    "dense 1024": dense(1024),
    "batch_matmul 8x512x64": Operator(
        [BATCH, BATCH],
        nn.batch_matmul,
        lambda a, b: a @ b.swapaxes(1, 2),
        lambda t, a, b: t.bmm(a, b.transpose(1, 2)),
        None,
    ),
    "batch_matmul 8x512x512, plain": Operator(
        [(8, 512, 512), BATCH],
        lambda a, b: nn.batch_matmul(a, b, transpose_b=False),
        lambda a, b: a @ b,
        lambda t, a, b: t.bmm(a, b),
        ("MatMul", {}),
    ),
    "conv2d 1x1, 256x56x56 to 64": convolution(256, 56, 64, 1),
    "conv2d 1x1, 512x14x14 to 512": convolution(512, 14, 512, 1),
    "conv2d 3x3, 64x56x56 to 64": convolution(64, 56, 64, 3),
    "conv2d 3x3, 256x14x14 to 256": convolution(256, 14, 256, 3),
    "conv2d 5x5, 64x28x28 to 64": convolution(64, 28, 64, 5),
    "conv2d 3x3 / 2, 128x56x56 to 128": convolution(128, 56, 128, 3, 2),
    "depthwise 3x3, 128x56x56": convolution(128, 56, 128, 3, 1, 128),
    "conv2d transposed 3x3 / 2, 64x28x28 to 64": transposed(64, 28, 64, 3),
    "conv2d transposed 4x4 / 2, 64x28x28 to 64": transposed(64, 28, 64, 4),
    "max pool 3x3 / 2, 64x112x112": greatest_of(3, 2, 1),
    "mean pool 2x2 / 2, 64x112x112": mean_of(2),
    "global mean pool 512x28x28": Operator(
        [(1, 512, 28, 28)],
        lambda a: nn.global_pool(a, "avg"),
        lambda a: a.mean(axis=(2, 3), keepdims=True),
        lambda t, a: t.nn.functional.adaptive_avg_pool2d(a, 1),
        ("GlobalAveragePool", {}),
    ),
    "softmax 1024": Operator(
        [SQUARE],
        nn.softmax,
        softmax,
        lambda t, a: t.nn.functional.softmax(a, dim=1),
        ("Softmax", {"axis": 1}),
    ),
    "layer norm 1024": Operator(
        [SQUARE, SQUARE[1:], SQUARE[1:]],
        lambda a, gamma, beta: nn.layer_norm(a, gamma, beta, 1),
        layer_norm,
        lambda t, a, g, b: t.nn.functional.layer_norm(a, g.shape, g, b, 1e-5),
        ("LayerNormalization", {"axis": 1, "epsilon": 1e-5}),
    ),
    "batch norm, relu 64x112x112": Operator(
        [(1, 64, 112, 112), (64,), (64,), (64,)],
        batch_norm_relu,
        batch_norm_relu_numpy,
        batch_norm_relu_torch,
        None,
        rtol=1e-3,
    ),
    "sum, axis 0": fold("sum", 0),
    "sum, axis 1": fold("sum", 1),
    "sum": fold("sum", None),
    "max, axis 0": fold("max", 0),
    "max, axis 1": fold("max", 1),
    "transpose 1024": Operator(
        [SQUARE],
        topi.transpose,
        lambda a: np.ascontiguousarray(a.T),
        lambda t, a: a.t().contiguous(),
        ("Transpose", {"perm": [1, 0]}),
    ),
    "transpose 64x112x112 to channels last": Operator(
        [(1, 64, 112, 112)],
        lambda a: topi.transpose(a, (0, 2, 3, 1)),
        lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)),
        lambda t, a: a.permute(0, 2, 3, 1).contiguous(),
        ("Transpose", {"perm": [0, 2, 3, 1]}),
    ),
    "concatenate, axis 0": Operator(
        [HALF, HALF],
        lambda a, b: topi.concatenate([a, b], 0),
        lambda a, b: np.concatenate([a, b], 0),
        lambda t, a, b: t.cat([a, b], 0),
        ("Concat", {"axis": 0}),
    ),
    "concatenate, axis 1": Operator(
        [HALF, HALF],
        lambda a, b: topi.concatenate([a, b], 1),
        lambda a, b: np.concatenate([a, b], 1),
        lambda t, a, b: t.cat([a, b], 1),
        ("Concat", {"axis": 1}),
    ),
    "take 1024 rows": Operator(
        [SQUARE, (1024,)],
        lambda a, at: topi.take(a, at, 0),
        lambda a, at: a.take(at, 0),
        lambda t, a, at: a.index_select(0, at),
        ("Gather", {"axis": 0}),
        positions=1024,
    ),
    "gather 1024x512 on axis 1": Operator(
        [SQUARE, (1024, 512)],
        lambda a, at: topi.gather(a, 1, at),
        lambda a, at: np.take_along_axis(a, at, 1),
        None,
        ("GatherElements", {"axis": 1}),
        positions=1024,
    ),
    "cumsum, axis 0": Operator(
        [SQUARE],
        lambda a: topi.cumsum(a, 0),
        lambda a: a.cumsum(0),
        lambda t, a: a.cumsum(0),
        ("CumSum", {}),
        extra=[np.array(0)],
    ),
    "cumsum, axis 1": Operator(
        [SQUARE],
        lambda a: topi.cumsum(a, 1),
        lambda a: a.cumsum(1),
        lambda t, a: a.cumsum(1),
        ("CumSum", {}),
        extra=[np.array(1)],
    ),
    "resize 512 to 1024, linear": resize("linear"),
    "resize 512 to 1024, nearest": resize("nearest"),
    "topk 10 of 1024": Operator(
        [SQUARE],
        lambda a: topi.topk(a, 10, ret_type="values"),
        sorted_first,
        lambda t, a: t.topk(a, 10)[0],
        ("TopK", {}),
        extra=[np.array([10])],
        outputs=2,
    ),
}

FIRST = "sum of 64"
"""What a process builds in front of the rows: that loads what all of them need."""

OPERATORS = {FIRST: Operator([(64,)], topi.sum, np.sum, None, None), **ROWS}
"""All operators that a library is asked for."""
