"""ONNX's operators that move elements or make them from their positions, by those of topi."""

from itertools import accumulate
from typing import Any

from topi.onnx_nodes.cases import Adapter, NodeCase

from teloom import te, topi
from teloom.topi import nn


def axes_of(case: NodeCase) -> list[int] | None:
    """The axes that an input or an attribute lists."""
    return case.attribute("axes", case.value(1))


def shape_of(case: NodeCase) -> te.Tensor:
    x = case.tensor(0)
    begin, end, _ = slice(case.attribute("start"), case.attribute("end")).indices(x.ndim)
    return topi.strided_slice(topi.shape(x, "int64"), [begin], [max(begin, end)])


def reshaped(case: NodeCase) -> te.Tensor:
    x, shape = case.tensor(0), case.value(1)
    copied = not case.attribute("allowzero", 0)
    shape = [x.shape[k] if copied and one == 0 else one for k, one in enumerate(shape)]
    return topi.reshape(x, shape)


def unsqueezed(case: NodeCase) -> te.Tensor:
    x, axes = case.tensor(0), axes_of(case) or []
    ndim = x.ndim + len(axes)
    for axis in sorted(axis % ndim for axis in axes):
        x = topi.expand_dims(x, axis)
    return x


def flattened(case: NodeCase) -> te.Tensor:
    x = case.tensor(0)
    axis = case.attribute("axis", 1)
    rows = 1
    for extent in x.shape[:axis]:
        rows *= extent
    return topi.reshape(x, (rows, -1))


def expanded(case: NodeCase) -> te.Tensor:
    x, shape = case.tensor(0), case.value(1)
    return topi.add(x, topi.full(shape, x.dtype, 0))


def sliced(case: NodeCase) -> te.Tensor:
    return topi.strided_slice(
        case.tensor(0), case.value(1), case.value(2), case.value(4), case.value(3)
    )


def parts(case: NodeCase) -> list[te.Tensor]:
    x, axis = case.tensor(0), case.attribute("axis", 0)
    lengths = case.attribute("split", case.value(1))
    if lengths is None:
        length = -(-x.shape[axis] // len(case.outputs))
        lengths = [length] * len(case.outputs)
    return topi.split(x, [*accumulate(lengths)][:-1], axis)


def padded(case: NodeCase) -> te.Tensor:
    x, mode = case.tensor(0), case.attribute("mode", "constant")
    axes = case.value(3, list(range(x.ndim)))
    widths, count = case.value(1), len(axes)
    before, after = [0] * x.ndim, [0] * x.ndim
    for k, axis in enumerate(axes):
        before[axis], after[axis] = widths[k], widths[count + k]
    if mode == "constant":
        return nn.pad(x, before, after, case.value(2, 0))
    if mode == "reflect":
        return nn.mirror_pad(x, before, after, "REFLECT")
    for axis, extent in enumerate(x.shape):
        at = topi.arange(-before[axis], extent + after[axis], dtype="int32")
        x = topi.take(x, at, axis, mode={"edge": "clip", "wrap": "wrap"}[mode])
    return x


def cropped_or_padded(case: NodeCase) -> te.Tensor:
    x, shape = case.tensor(0), case.value(1)
    before, begin, end = [0] * x.ndim, [0] * x.ndim, list(x.shape)
    after = [*before]
    for axis, wanted in zip(case.attribute("axes", range(x.ndim)), shape, strict=True):
        extent = x.shape[axis]
        if wanted > extent:
            before[axis] = (wanted - extent) // 2
            after[axis] = wanted - extent - before[axis]
        begin[axis] = max(0, (extent - wanted) // 2)
        end[axis] = begin[axis] + min(wanted, extent)
    return nn.pad(topi.strided_slice(x, begin, end), before, after)


def constant_of_shape(case: NodeCase) -> te.Tensor:
    (wanted,) = case.outputs
    filled = case.attribute("value")
    value = filled.float_data or filled.int64_data or filled.int32_data if filled else [0]
    return topi.full(case.value(0), wanted.dtype, value[0])


def identity_matrix(case: NodeCase) -> te.Tensor:
    (wanted,) = case.outputs
    of = str(wanted.dtype)
    rows, columns = wanted.shape
    k = case.attribute("k", 0)
    length = min(rows + min(k, 0), columns - max(k, 0))
    ones = topi.full((length,), of, 1)
    return topi.matrix_set_diag(topi.full((rows, columns), of, 0), ones, k)


def triangle(case: NodeCase) -> te.Tensor:
    return topi.trilu(case.tensor(0), case.value(1, 0), bool(case.attribute("upper", 1)))


def range_of(case: NodeCase) -> te.Tensor:
    start, stop, step = (case.value(k) for k in range(3))
    return topi.arange(start, stop, step, str(case.outputs[0].dtype))


def one_hot(case: NodeCase) -> te.Tensor:
    (wanted,) = case.outputs
    off, on = case.value(2)
    depth = case.value(1)
    depth = int(depth[0] if isinstance(depth, list) else depth)
    at = case.tensor(0)
    at = topi.where(at < 0, topi.cast(at, "int64") + depth, topi.cast(at, "int64"))
    return topi.one_hot(at, on, off, depth, case.attribute("axis", -1), str(wanted.dtype))


def reverse_sequence(case: NodeCase) -> te.Tensor:
    axes = case.attribute("time_axis", 0), case.attribute("batch_axis", 1)
    return topi.reverse_sequence(case.tensor(0), case.tensor(1), *axes)


def window(*factors: float) -> Adapter:
    """A sum of cosines; of a periodic one, the last point of a symmetric one is left out."""

    def adapter(case: NodeCase) -> te.Tensor:
        count = case.value(0)
        periods = count if case.attribute("periodic", 1) else count - 1
        at = topi.arange(count, dtype="float32") * (2 * 3.141592653589793 / periods)
        total: Any = factors[0]
        for k, factor in enumerate(factors[1:], 1):
            total = topi.cos(at * float(k)) * factor + total
        return topi.cast(total, str(case.outputs[0].dtype))

    return adapter


SHAPES: dict[str, Adapter] = {
    "BlackmanWindow": window(0.42, -0.5, 0.08),
    "CenterCropPad": cropped_or_padded,
    "Concat": lambda case: topi.concatenate(case.tensors(), case.attribute("axis")),
    "ConstantOfShape": constant_of_shape,
    "DepthToSpace": lambda case: nn.depth_to_space(
        case.tensor(0), case.attribute("blocksize"), mode=case.attribute("mode", "DCR")
    ),
    "Expand": expanded,
    "EyeLike": identity_matrix,
    "Flatten": flattened,
    "HammingWindow": window(25 / 46, -21 / 46),
    "HannWindow": window(0.5, -0.5),
    "OneHot": one_hot,
    "Pad": padded,
    "Range": range_of,
    "Reshape": reshaped,
    "ReverseSequence": reverse_sequence,
    "Shape": shape_of,
    "Size": lambda case: topi.ndarray_size(case.tensor(0), "int64"),
    "Slice": sliced,
    "SpaceToDepth": lambda case: nn.space_to_depth(
        case.tensor(0), case.attribute("blocksize"), mode=case.attribute("mode", "DCR")
    ),
    "Split": parts,
    "Squeeze": lambda case: topi.squeeze(case.tensor(0), axes_of(case)),
    "Tile": lambda case: topi.tile(case.tensor(0), case.value(1)),
    "Transpose": lambda case: topi.transpose(case.tensor(0), case.attribute("perm")),
    "Trilu": triangle,
    "Unsqueeze": unsqueezed,
}
