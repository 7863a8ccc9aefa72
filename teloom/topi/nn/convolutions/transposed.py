"""Transposed convolutions: each element of the data adds its multiple of the weights to a window.

The data is NC and the spatial axes, the weights are (channels of the data, those of the result in
one group, spatial axes). The result has `(extent - 1) * stride + size - padding + output_padding`
positions along an axis, where the padding on both sides counts. As ONNX's ConvTranspose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, integers, shown, wrong
from teloom.topi.dtypes import of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import same, with_extents
from teloom.topi.nn.convolutions.phases import Channels, PhaseAxis, summed_by_phases
from teloom.topi.tag import INJECTIVE
from teloom.topi.windows import Window, windows


def conv1d_transpose_ncw(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
) -> te.Tensor:
    """A transposed convolution along W: (N, I, W) and (I, O, taps) give (N, O, ...).

    Each element of the data adds its multiple of the weights to a window of the result, which has
    `(extent - 1) * stride + taps - padding + output_padding` positions; that padding is of both
    sides, given as in `conv`. The dtype is `out_dtype`, or that of the data if it is None. Raises
    `teloom.Error` for an `output_padding` that is not less than the stride. As ONNX's
    ConvTranspose.

    >>> A, W = te.placeholder((1, 4, 5), name="A"), te.placeholder((4, 2, 3), name="W")
    >>> conv1d_transpose_ncw(A, W, 2, 1, "float32", 1)
    Tensor(shape=[1, 2, 10], dtype=float32, name=conv1d_transpose_ncw)
    """
    how = stride, padding, output_padding, 1, out_dtype
    return _transposed("nn.conv1d_transpose_ncw", data, kernel, how, 1)


def group_conv1d_transpose_ncw(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
    groups: int,
) -> te.Tensor:
    """`conv1d_transpose_ncw` in groups of channels: the weights are (I, O of one group, taps).

    >>> A, W = te.placeholder((1, 4, 5), name="A"), te.placeholder((4, 1, 3), name="W")
    >>> group_conv1d_transpose_ncw(A, W, 2, 1, "float32", 1, 2)
    Tensor(shape=[1, 2, 10], dtype=float32, name=group_conv1d_transpose_ncw)
    """
    how = stride, padding, output_padding, groups, out_dtype
    return _transposed("nn.group_conv1d_transpose_ncw", data, kernel, how, 1)


def conv2d_transpose_nchw(
    Input: te.Tensor,
    Filter: te.Tensor,
    strides: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
) -> te.Tensor:
    """A transposed convolution along H and W, as `conv1d_transpose_ncw` is one along W.

    >>> A, W = te.placeholder((1, 4, 5, 5), name="A"), te.placeholder((4, 2, 3, 3), name="W")
    >>> conv2d_transpose_nchw(A, W, 2, 0, "float32", 0)
    Tensor(shape=[1, 2, 11, 11], dtype=float32, name=conv2d_transpose_nchw)
    """
    how = strides, padding, output_padding, 1, out_dtype
    return _transposed("nn.conv2d_transpose_nchw", Input, Filter, how, 2)


def group_conv2d_transpose_nchw(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
    groups: int,
) -> te.Tensor:
    """`conv2d_transpose_nchw` in groups of channels: the weights are (I, O of one group, taps).

    >>> A, W = te.placeholder((1, 4, 5, 5), name="A"), te.placeholder((4, 3, 3, 3), name="W")
    >>> group_conv2d_transpose_nchw(A, W, 2, 0, "float32", 0, 2)
    Tensor(shape=[1, 6, 11, 11], dtype=float32, name=group_conv2d_transpose_nchw)
    """
    how = stride, padding, output_padding, groups, out_dtype
    return _transposed("nn.group_conv2d_transpose_nchw", data, kernel, how, 2)


def conv3d_transpose_ncdhw(
    Input: te.Tensor,
    Filter: te.Tensor,
    strides: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
) -> te.Tensor:
    """A transposed convolution along D, H and W, as `conv1d_transpose_ncw` is one along W.

    >>> A, W = te.placeholder((1, 2, 3, 3, 3), name="A"), te.placeholder((2, 4, 2, 2, 2), name="W")
    >>> conv3d_transpose_ncdhw(A, W, 1, 0, "float32", 0)
    Tensor(shape=[1, 4, 4, 4, 4], dtype=float32, name=conv3d_transpose_ncdhw)
    """
    how = strides, padding, output_padding, 1, out_dtype
    return _transposed("nn.conv3d_transpose_ncdhw", Input, Filter, how, 3)


def group_conv3d_transpose_ncdhw(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any,
    padding: Any,
    out_dtype: Any,
    output_padding: Any,
    groups: int,
) -> te.Tensor:
    """`conv3d_transpose_ncdhw` in groups of channels: the weights are (I, O of one group, taps).

    >>> A, W = te.placeholder((1, 2, 3, 3, 3), name="A"), te.placeholder((2, 2, 2, 2, 2), name="W")
    >>> group_conv3d_transpose_ncdhw(A, W, 1, 0, "float32", 0, 2)
    Tensor(shape=[1, 4, 4, 4, 4], dtype=float32, name=group_conv3d_transpose_ncdhw)
    """
    how = strides, padding, output_padding, groups, out_dtype
    return _transposed("nn.group_conv3d_transpose_ncdhw", data, kernel, how, 3)


def _transposed(
    name: str, data: te.Tensor, kernel: te.Tensor, how: Sequence[Any], count: int
) -> te.Tensor:
    stride, padding, output_padding, groups, out_dtype = how
    a_tensor(name, "data", data, count + 2)
    a_tensor(name, "kernel", kernel, count + 2)
    parts = an_integer(name, "groups", groups, 1)
    channels = data.shape[1]
    if not same(kernel.shape[0], channels) or not same(channels // parts * parts, channels):
        problem = f"is {shown(kernel)}, in {parts} groups, for {shown(data)}"
        raise wrong(name, "kernel", problem)
    moved = windows(name, kernel.shape[2:], stride, padding, 1)
    more = integers(name, "output_padding", output_padding, count, 0)
    for one, extra in zip(moved, more, strict=True):
        if extra >= one.stride:
            raise wrong(name, "output_padding", f"is {more}, not less than the strides {stride}")
    sides = [PhaseAxis(*one) for one in zip(moved, data.shape[2:], more, strict=True)]
    shape = [side.length for side in sides]
    if any(isinstance(one, int) and one < 1 for one in shape):
        raise wrong(name, "data", f"is {shown(data)}, which leaves the result the extents {shape}")
    each, inputs = kernel.shape[1], channels // parts
    dtype = of_results(name, out_dtype, [data.dtype])
    if any(one.stride > 1 for one in moved) and all(isinstance(one.size, int) for one in moved):

        def weight(group: Any, o: Any, i: Any, taps: Sequence[Any]) -> Any:
            return kernel(group * inputs + i, o, *taps)

        return summed_by_phases(name, data, sides, Channels(parts, inputs, each), weight, dtype)
    dilated = spread(name, data, range(2, data.ndim), moved, shape)
    i = te.reduce_axis((0, inputs), "i")
    taps = [te.reduce_axis((0, one.size), f"k{k}") for k, one in enumerate(moved)]

    def value(n: Any, o: Any, *at: Any) -> Any:
        group = o // each if parts > 1 else 0
        here = dilated(n, group * inputs + i, *(a + k for a, k in zip(at, taps, strict=True)))
        back = [one.size - 1 - k for one, k in zip(moved, taps, strict=True)]
        factor = kernel(group * inputs + i, o % each if parts > 1 else o, *back)
        return te.sum(here.astype(dtype) * factor.astype(dtype), axis=[i, *taps])

    return computed(name, [data.shape[0], each * parts, *shape], value, name.rpartition(".")[2])


def spread(
    name: str,
    data: te.Tensor,
    space: Sequence[int],
    moved: Sequence[Window],
    extents: Sequence[Any],
) -> te.Tensor:
    """The data with its elements `stride` apart on the axes `space`, and 0 between and around them.

    A window of it from position k on, back to front, has what is added to position k of a result
    of `extents` on these axes.
    """
    longer = [one.size - 1 + extent for one, extent in zip(moved, extents, strict=True)]
    shape = with_extents(data.shape, space, longer)

    def value(*at: Any) -> Any:
        places, conditions = list(at), []
        for axis, one in zip(space, moved, strict=True):
            distance = at[axis] - (one.size - 1 - one.before)
            places[axis] = distance // one.stride
            conditions += [distance >= 0, places[axis] < data.shape[axis]]
            conditions += [distance % one.stride == 0] if one.stride > 1 else []
        return te.if_then_else(te.all(*conditions), data(*places), te.const(0, data.dtype))

    return computed(f"{name}_spread", shape, value, INJECTIVE)
