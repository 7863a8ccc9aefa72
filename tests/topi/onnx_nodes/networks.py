"""ONNX's layers of networks, by those of topi.nn."""

from typing import Any

from topi.onnx_nodes.cases import Adapter, NodeCase
from topi.onnx_nodes.positions import matmul

from teloom import te, topi
from teloom.topi import nn


def paddings(case: NodeCase, kernel: list[int], strides: list[int]) -> list[int]:
    """What is around the data: before all axes, then behind all."""
    mode, rank = case.attribute("auto_pad", "NOTSET"), len(kernel)
    if mode in ("NOTSET", "VALID"):
        return list(case.attribute("pads", [0] * 2 * rank))
    dilations = case.attribute("dilations", [1] * rank)
    before, after = [], []
    for extent, taps, stride, apart in zip(
        case.tensor(0).shape[2:], kernel, strides, dilations, strict=True
    ):
        reach = (taps - 1) * apart + 1
        missing = max(0, (-(-extent // stride) - 1) * stride + reach - extent)
        less, more = missing // 2, missing - missing // 2
        before.append(less if mode == "SAME_UPPER" else more)
        after.append(more if mode == "SAME_UPPER" else less)
    return before + after


def convolved(case: NodeCase, data: te.Tensor, kernel: te.Tensor) -> te.Tensor:
    taps = list(kernel.shape[2:])
    strides = list(case.attribute("strides", [1] * len(taps)))
    return nn.conv(
        data,
        kernel,
        strides,
        paddings(case, taps, strides),
        list(case.attribute("dilations", [1] * len(taps))),
        case.attribute("group", 1),
        "NC" + "DHW"[3 - len(taps) :],
    )


def with_bias(found: te.Tensor, bias: te.Tensor) -> te.Tensor:
    return found + topi.reshape(bias, (-1, *[1] * (found.ndim - 2)))


def conv(case: NodeCase) -> te.Tensor:
    found = convolved(case, case.tensor(0), case.tensor(1))
    return with_bias(found, case.tensor(2)) if case.has(2) else found


def integer_convolution(
    case: NodeCase, data_and_zero: tuple[int, int], kernel_and_zero: tuple[int, int]
) -> te.Tensor:
    """In int32, of integers less their zero points, which are the inputs of these numbers."""
    (x, x_zero), (w, w_zero) = data_and_zero, kernel_and_zero
    data, kernel = (topi.cast(case.tensor(k), "int32") for k in (x, w))
    if case.has(x_zero):
        data = data - topi.cast(case.tensor(x_zero), "int32")
    if case.has(w_zero):
        zeros = topi.cast(case.tensor(w_zero), "int32")
        kernel = kernel - topi.reshape(zeros, [-1] + [1] * (kernel.ndim - 1))
    return convolved(case, data, kernel)


TRANSPOSED: dict[tuple[int, bool], Any] = {
    (1, False): nn.conv1d_transpose_ncw,
    (2, False): nn.conv2d_transpose_nchw,
    (3, False): nn.conv3d_transpose_ncdhw,
    (1, True): nn.group_conv1d_transpose_ncw,
    (2, True): nn.group_conv2d_transpose_nchw,
}


def transposed_conv(case: NodeCase) -> te.Tensor:
    data, kernel = case.tensor(0), case.tensor(1)
    rank, groups = data.ndim - 2, case.attribute("group", 1)
    strides = list(case.attribute("strides", [1] * rank))
    more = list(case.attribute("output_padding", [0] * rank))
    dilations = list(case.attribute("dilations", [1] * rank))
    if any(one > 1 for one in dilations):
        kernel = nn.dilate(kernel, [1, 1, *dilations])
    before, after = [0] * rank, [0] * rank
    if case.attribute("pads"):
        pads = list(case.attribute("pads"))
        before, after = pads[:rank], pads[rank:]
    shape = case.attribute("output_shape")
    if shape is None and case.attribute("auto_pad", "NOTSET").startswith("SAME"):
        shape = [extent * stride for extent, stride in zip(data.shape[2:], strides, strict=True)]
    for axis, wanted in enumerate(shape or ()):
        whole = (data.shape[2 + axis] - 1) * strides[axis] + kernel.shape[2 + axis] + more[axis]
        less = whole - wanted
        if less < 0:  # what is missing stands behind
            before[axis], after[axis], more[axis] = 0, 0, more[axis] - less
        else:
            before[axis], after[axis] = less // 2, less - less // 2
    operator = TRANSPOSED[rank, groups > 1]
    return operator(
        data, kernel, strides, before + after, data.dtype, more, *[groups] * (groups > 1)
    )


POOLS: dict[int, Any] = {1: nn.pool1d, 2: nn.pool2d, 3: nn.pool3d}


def pooled(case: NodeCase, data: te.Tensor, kind: str, counts_padding: bool = True) -> te.Tensor:
    kernel = list(case.attribute("kernel_shape"))
    strides = list(case.attribute("strides", [1] * len(kernel)))
    pads = paddings(case, kernel, strides)
    found = POOLS[len(kernel)](
        data,
        kernel,
        strides,
        list(case.attribute("dilations", [1] * len(kernel))),
        pads,
        kind,
        bool(case.attribute("ceil_mode", 0)),
        count_include_pad=counts_padding,
    )
    # ONNX has no window that begins behind the data.
    shape = [
        number - ((number - 1) * stride >= extent + before)
        for number, stride, extent, before in zip(found.shape[2:], strides, data.shape[2:], pads)
    ]
    return topi.strided_slice(found, [0] * len(kernel), shape, axes=[*range(2, found.ndim)])


def average_pool(case: NodeCase) -> te.Tensor:
    counts = bool(case.attribute("count_include_pad", 0))
    return pooled(case, case.tensor(0), "avg", counts)


def lp_pool(case: NodeCase) -> te.Tensor:
    """The p-norm of each window: the mean of powers times their number."""
    p, taps = case.attribute("p", 2), 1
    for extent in case.attribute("kernel_shape"):
        taps *= extent
    powers = topi.power(topi.abs(case.tensor(0)), float(p))
    return topi.power(pooled(case, powers, "avg") * float(taps), 1 / p)


def batch_norm(case: NodeCase) -> list[te.Tensor]:
    data, scale, bias, mean, variance = (case.tensor(k) for k in range(5))
    found = nn.batch_norm(
        data,
        scale,
        bias,
        mean,
        variance,
        axis=1,
        epsilon=case.attribute("epsilon", 1e-5),
        training=bool(case.attribute("training_mode", 0)),
        momentum=1 - case.attribute("momentum", 0.9),
    )
    return found[: len(case.outputs)]


def normalized_axes(case: NodeCase) -> list[int]:
    ndim = case.tensor(0).ndim
    return list(range(case.attribute("axis", -1) % ndim, ndim))


def layer_norm(case: NodeCase) -> list[te.Tensor]:
    bias = case.tensor(2) if case.has(2) else None
    epsilon = case.attribute("epsilon", 1e-5)
    return [nn.layer_norm(case.tensor(0), case.tensor(1), bias, normalized_axes(case), epsilon)]


def group_norm(case: NodeCase) -> te.Tensor:
    data, scale, bias = (case.tensor(k) for k in range(3))
    groups, axes = case.attribute("num_groups"), list(range(2, data.ndim))
    return nn.group_norm(data, scale, bias, groups, 1, axes, case.attribute("epsilon", 1e-5))


def instance_norm(case: NodeCase) -> te.Tensor:
    data = case.tensor(0)
    axes, epsilon = list(range(2, data.ndim)), case.attribute("epsilon", 1e-5)
    return nn.instance_norm(data, case.tensor(1), case.tensor(2), axes, epsilon)


def global_pool(kind: str) -> Adapter:
    return lambda case: nn.global_pool(case.tensor(0), kind)


def quantized(data: te.Tensor, scale: te.Tensor, zero: te.Tensor, axis: int = -1) -> te.Tensor:
    """Integers of the dtype of `zero`, the nearest ones that it has."""
    return nn.quantize(data, scale, zero, axis, zero.dtype)


def channels(case: NodeCase) -> int:
    """The axis of a scale that is a list of several; of one it says nothing."""
    return case.attribute("axis", 1) if case.tensor(1).ndim else -1


def quantize(case: NodeCase) -> te.Tensor:
    dtype = str(case.outputs[0].dtype)
    zero = case.tensor(2) if case.has(2) else 0
    return nn.quantize(case.tensor(0), case.tensor(1), zero, channels(case), dtype)


def dequantize(case: NodeCase) -> te.Tensor:
    scale, zero = case.tensor(1), case.tensor(2) if case.has(2) else 0
    return nn.dequantize(case.tensor(0), scale, zero, channels(case), scale.dtype)


def dynamically_quantized(case: NodeCase) -> list[te.Tensor]:
    """As uint8, with the scale and the zero that the extremes of the data ask for."""
    x = case.tensor(0)
    greatest, least = topi.maximum(topi.max(x), 0.0), topi.minimum(topi.min(x), 0.0)
    scale = topi.divide(topi.subtract(greatest, least), topi.full((), x.dtype, 255))
    zero = topi.cast(topi.clip(topi.round(topi.divide(-least, scale)), 0, 255), "uint8")
    return [quantized(x, scale, zero), scale, zero]


def dropout(case: NodeCase) -> list[te.Tensor]:
    """Where nothing is dropped: the cases that drop are listed apart."""
    x = case.tensor(0)
    return [topi.identity(x), topi.full(x.shape, "bool", True)][: len(case.outputs)]


def quantized_matmul(case: NodeCase) -> te.Tensor:
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = (case.tensor(k) for k in range(8))
    left = topi.cast(a, "int32") - topi.cast(a_zero, "int32")
    right = topi.cast(b, "int32") - topi.cast(b_zero, "int32")
    product = topi.cast(matmul(left, right), "float32")
    factor = topi.cast(a_scale, "float32") * topi.cast(b_scale, "float32")
    return quantized(product * factor, topi.cast(scale, "float32"), zero)


NETWORKS: dict[str, Adapter] = {
    "AveragePool": average_pool,
    "BatchNormalization": batch_norm,
    "Conv": conv,
    "ConvInteger": lambda case: integer_convolution(case, (0, 2), (1, 3)),
    "ConvTranspose": transposed_conv,
    "DequantizeLinear": dequantize,
    "Dropout": dropout,
    "DynamicQuantizeLinear": dynamically_quantized,
    "GlobalAveragePool": global_pool("avg"),
    "GlobalMaxPool": global_pool("max"),
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm,
    "LpPool": lp_pool,
    "MaxPool": lambda case: pooled(case, case.tensor(0), "max"),
    "QLinearMatMul": quantized_matmul,
    "QuantizeLinear": quantize,
    "RMSNormalization": lambda case: nn.rms_norm(
        case.tensor(0), case.tensor(1), normalized_axes(case), case.attribute("epsilon", 1e-5)
    ),
}
