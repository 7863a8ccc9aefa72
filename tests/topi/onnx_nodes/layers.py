"""ONNX's layers that are more than one step: recurrent ones, losses, and quantized convolutions."""

from collections.abc import Sequence

from topi.onnx_nodes.cases import Adapter, NodeCase
from topi.onnx_nodes.networks import integer_convolution, paddings, quantized

from teloom import te, topi
from teloom.topi import nn


def part(tensor: te.Tensor, k: int, axis: int = 0) -> te.Tensor:
    """Position k of an axis."""
    shape = [one for place, one in enumerate(tensor.shape) if place != axis]
    return te.compute(shape, lambda *at: tensor(*at[:axis], k, *at[axis:]), name="part")


REVERSED = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}


def lstm(case: NodeCase) -> list[te.Tensor]:
    """In each direction by itself; where batches are the first axis, they are moved behind time."""
    batches_first = case.attribute("layout", 0) == 1
    data = topi.transpose(case.tensor(0), (1, 0, 2)) if batches_first else case.tensor(0)
    results = []
    for d, backwards in enumerate(REVERSED[case.attribute("direction", "forward")]):
        hidden, cells = one_direction(case, data, d, backwards)
        last = data.shape[0] - 1
        in_order = topi.flip(hidden, 0) if backwards else hidden
        results.append((in_order, part(hidden, last), part(cells, last)))
    places = (2, 1, 1) if batches_first else (1, 0, 0)
    outputs = []
    for name, place, listed in zip(case.node.output, places, zip(*results, strict=True)):
        ordered = listed
        if batches_first and place == 2:
            ordered = [topi.transpose(one, (1, 0, 2)) for one in listed]
        outputs += [topi.stack(ordered, place)] if name else []
    return outputs


def one_direction(case: NodeCase, data: te.Tensor, d: int, backwards: bool) -> Sequence[te.Tensor]:
    weights, recurrent = (part(case.tensor(k), d) for k in (1, 2))
    size, batch = weights.shape[0] // 4, data.shape[1]
    biases: list[te.Tensor | None] = [None, None]
    if case.has(3):
        both = topi.reshape(part(case.tensor(3), d), (2, 4 * size))
        biases = [part(both, 0), part(both, 1)]
    states = [part(case.tensor(k), d) if case.has(k) else None for k in (5, 6)]
    peepholes: list[te.Tensor | None] = [None] * 3
    if case.has(7):
        three = topi.reshape(part(case.tensor(7), d), (3, size))
        peepholes = [topi.broadcast_to(part(three, k), (batch, size)) for k in (0, 2, 1)]
    return nn.lstm(
        data,
        weights,
        recurrent,
        biases[0],
        biases[1],
        states[0],
        states[1],
        None,
        peepholes[0],
        peepholes[1],
        peepholes[2],
        reverse=backwards,
        weight_layout="IOFG",
    )


def loss(case: NodeCase, logarithms: te.Tensor) -> te.Tensor:
    classes = logarithms.shape[1]
    weights = case.tensor(2) if case.has(2) else topi.full((classes,), logarithms.dtype, 1)
    # Without a class that is ignored, one that no target has.
    ignored = case.attribute("ignore_index", classes)
    how = case.attribute("reduction", "mean"), ignored
    return nn.nll_loss(logarithms, case.tensor(1), weights, *how)


def cross_entropy(case: NodeCase) -> list[te.Tensor]:
    logarithms = nn.log_softmax(case.tensor(0), 1)
    return [loss(case, logarithms), logarithms][: len(case.outputs)]


def deformable(case: NodeCase) -> te.Tensor:
    """The data is padded before: what is between it and the padding counts in part."""
    data, kernel, offset = (case.tensor(k) for k in range(3))
    strides = list(case.attribute("strides", [1, 1]))
    pads = paddings(case, list(kernel.shape[2:]), strides)
    return nn.deformable_conv2d_nchw(
        nn.pad(data, [0, 0, *pads[:2]], [0, 0, *pads[2:]]),
        offset,
        kernel,
        strides,
        0,
        list(case.attribute("dilations", [1, 1])),
        case.attribute("offset_group", 1),
        case.attribute("group", 1),
        data.dtype,
    )


def quantized_conv(case: NodeCase) -> te.Tensor:
    product = integer_convolution(case, (0, 2), (3, 5))
    scales = case.tensor(1), topi.reshape(case.tensor(4), (-1, 1, 1))
    return quantized(
        topi.cast(product, "float32") * scales[0] * scales[1], case.tensor(6), case.tensor(7)
    )


LAYERS: dict[str, Adapter] = {
    "DeformConv": deformable,
    "LRN": lambda case: nn.lrn(
        case.tensor(0),
        case.attribute("size"),
        1,
        case.attribute("alpha", 1e-4),
        case.attribute("beta", 0.75),
        case.attribute("bias", 1.0),
    ),
    "LSTM": lstm,
    "NegativeLogLikelihoodLoss": lambda case: loss(case, case.tensor(0)),
    "QLinearConv": quantized_conv,
    "SoftmaxCrossEntropyLoss": cross_entropy,
}
