"""Blocks of positions that become channels or batches, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_list, a_tensor, an_integer, integers, one_of, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import ravelled, same, unravelled, with_extents
from teloom.topi.nn.padding import pad
from teloom.topi.tag import INJECTIVE

_LAYOUTS = ("NCHW", "NHWC")
_MODES = ("DCR", "CRD", "CDR")


def depth_to_space(
    data: te.Tensor, block_size: int, layout: str = "NCHW", mode: str = "DCR"
) -> te.Tensor:
    """Channels as squares of `block_size` positions on a side, as ONNX's DepthToSpace.

    The parts of a channel axis are its blocks and then the channels of the result with the mode
    "DCR", or the channels and then the blocks with "CRD" or "CDR".

    >>> depth_to_space(te.placeholder((1, 12, 4, 4), name="A"), 2)
    Tensor(shape=[1, 3, 8, 8], dtype=float32, name=depth_to_space)
    """
    name = "nn.depth_to_space"
    size, channel, height, width = _sides(name, data, block_size, layout)
    one_of(name, "mode", mode, _MODES)
    shape = [*data.shape]
    each = _part(name, data, channel, size * size)
    shape[channel], shape[height], shape[width] = each, shape[height] * size, shape[width] * size

    def value(*at: Any) -> Any:
        places = list(at)
        block = at[height] % size * size + at[width] % size
        c = at[channel]
        places[channel] = block * each + c if mode == "DCR" else c * (size * size) + block
        places[height], places[width] = at[height] // size, at[width] // size
        return data(*places)

    return computed(name, shape, value, INJECTIVE)


def space_to_depth(
    data: te.Tensor, block_size: int, layout: str = "NCHW", mode: str = "DCR"
) -> te.Tensor:
    """Squares of `block_size` positions on a side as channels, as ONNX's SpaceToDepth.

    `mode` is as in `depth_to_space`, of which it is the inverse.

    >>> space_to_depth(te.placeholder((1, 3, 8, 8), name="A"), 2)
    Tensor(shape=[1, 12, 4, 4], dtype=float32, name=space_to_depth)
    """
    name = "nn.space_to_depth"
    size, channel, height, width = _sides(name, data, block_size, layout)
    one_of(name, "mode", mode, _MODES)
    channels = data.shape[channel]
    parts = [_part(name, data, axis, size) for axis in (height, width)]
    shape = with_extents(data.shape, [channel, height, width], [channels * (size * size), *parts])

    def value(*at: Any) -> Any:
        places = list(at)
        inner = channels if mode == "DCR" else size * size
        outer, rest = at[channel] // inner, at[channel] % inner
        block, places[channel] = (outer, rest) if mode == "DCR" else (rest, outer)
        places[height] = at[height] * size + block // size
        places[width] = at[width] * size + block % size
        return data(*places)

    return computed(name, shape, value, INJECTIVE)


def _sides(name: str, data: te.Tensor, block_size: Any, layout: str) -> tuple[int, int, int, int]:
    """The size of a block, and the axes C, H and W."""
    one_of(name, "layout", layout, _LAYOUTS)
    a_tensor(name, "data", data, 4)
    size = an_integer(name, "block_size", block_size, 1)
    return size, layout.index("C"), layout.index("H"), layout.index("W")


def _part(name: str, data: te.Tensor, axis: int, size: int) -> Any:
    """How many blocks of `size` an axis has."""
    extent = data.shape[axis]
    if not same(extent // size * size, extent):
        problem = f"is {shown(data)}, whose axis {axis} has no whole blocks of {size}"
        raise wrong(name, "data", problem)
    return extent // size


def space_to_batch_nd(
    data: te.Tensor, block_shape: Any, pad_before: Any, pad_after: Any, pad_value: Any = 0.0
) -> te.Tensor:
    """Blocks of positions on the axes from 1 on as further batches, as TensorFlow's.

    The axes are first padded with `pad_value`. Batch `block * N + n` of the result is, at block k
    along an axis, the position at that place of block k of batch n.

    >>> space_to_batch_nd(te.placeholder((1, 4, 7, 3), name="A"), [2, 2], [0, 0], [0, 1])
    Tensor(shape=[4, 2, 4, 3], dtype=float32, name=space_to_batch_nd)
    """
    name = "nn.space_to_batch_nd"
    sizes = _block_sizes(name, data, block_shape)
    count, ndim = len(sizes), data.ndim
    before, after = (
        [0, *integers(name, argument, given, count, 0), *[0] * (ndim - 1 - count)]
        for argument, given in (("pad_before", pad_before), ("pad_after", pad_after))
    )
    source = data
    if any(before + after):
        source = pad(data, before, after, pad_value, "space_to_batch_nd_padded")
    shape = [*source.shape]
    for axis, size in enumerate(sizes, 1):
        shape[axis] = _part(name, source, axis, size)
        shape[0] = shape[0] * size
    batches = 1 if same(data.shape[0], 0) else data.shape[0]  # of none, no element is computed

    def value(n: Any, *at: Any) -> Any:
        block = unravelled(n // batches, sizes)
        there = [x * size + k for x, size, k in zip(at, sizes, block, strict=False)]
        return source(n % batches, *there, *at[count:])

    return computed(name, shape, value, INJECTIVE)


def batch_to_space_nd(
    data: te.Tensor, block_shape: Any, crop_begin_list: Any, crop_end_list: Any
) -> te.Tensor:
    """Batches as blocks of positions on the axes from 1 on, which are cropped, as TensorFlow's.

    It is the inverse of `space_to_batch_nd`, with crops in the place of padding.

    >>> batch_to_space_nd(te.placeholder((4, 2, 4, 3), name="A"), [2, 2], [0, 0], [0, 1])
    Tensor(shape=[1, 4, 7, 3], dtype=float32, name=batch_to_space_nd)
    """
    name = "nn.batch_to_space_nd"
    sizes = _block_sizes(name, data, block_shape)
    count = len(sizes)
    begins, ends = (
        integers(name, argument, given, count, 0)
        for argument, given in (
            ("crop_begin_list", crop_begin_list),
            ("crop_end_list", crop_end_list),
        )
    )
    blocks = 1
    for size in sizes:
        blocks *= size
    batches = _part(name, data, 0, blocks)
    shape = [batches, *data.shape[1:]]
    for axis, (size, begin, end) in enumerate(zip(sizes, begins, ends, strict=True), 1):
        shape[axis] = data.shape[axis] * size - (begin + end)
        if isinstance(shape[axis], int) and shape[axis] < 0:
            problem = f"are {begin, end} on axis {axis}, which has {shape[axis] + begin + end}"
            raise wrong(name, "crops", f"{problem} positions in blocks: data is {shown(data)}")

    def value(n: Any, *at: Any) -> Any:
        whole = [x + begin for x, begin in zip(at, begins, strict=False)]
        block = ravelled([x % size for x, size in zip(whole, sizes, strict=True)], sizes)
        there = [x // size for x, size in zip(whole, sizes, strict=True)]
        return data(block * batches + n, *there, *at[count:])

    return computed(name, shape, value, INJECTIVE)


def _block_sizes(name: str, data: te.Tensor, block_shape: Any) -> Sequence[int]:
    """The sizes of blocks on the axes from 1 on, as many as are given."""
    given = a_list(name, "block_shape", block_shape)
    if len(given) > a_tensor(name, "data", data).ndim - 1:
        problem = f"is {given}, for the axes behind the first one of {shown(data)}"
        raise wrong(name, "block_shape", problem)
    return integers(name, "block_shape", given, len(given), 1)
