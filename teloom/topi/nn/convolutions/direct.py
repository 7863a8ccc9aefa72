"""Convolutions: sums over channels and the taps of a window of data times weights.

A layout names the axes: of data N, C and the spatial ones, of weights O (channels of the result),
I (channels of the data, of one group) and the spatial ones. See `windows` for strides, padding and
dilation. Factors are cast to `out_dtype`, or to the dtype in which they meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, a_text, an_integer, shown, wrong
from teloom.topi.dtypes import of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import is_one, same, with_extents
from teloom.topi.nn.padding import pad
from teloom.topi.windows import Window, counts, spatial_axes, windows

Weight = Callable[..., Any]


def conv(
    inp: te.Tensor,
    filt: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    data_layout: str,
    kernel_layout: str = "",
    out_dtype: Any = None,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
    auto_scheduler_should_rewrite_layout: bool = True,
) -> te.Tensor:
    """A convolution of any layout, with any number of spatial axes and groups of channels.

    Without a layout of the weights, it is OI and the spatial axes if C stands before these in that
    of the data, else the spatial axes and IO. `padding` is one integer, one for each spatial axis,
    those before and then those behind all axes, "VALID", which is none, or "SAME". The dtype is
    `out_dtype`, or that in which both meet. The last three arguments are accepted as TVM's, and say
    nothing here. Raises `teloom.Error` for channels that are not those of the weights times
    `groups`. As ONNX's Conv.

    >>> A, W = te.placeholder((1, 8, 9, 9), name="A"), te.placeholder((6, 4, 3, 3), name="W")
    >>> conv(A, W, 2, "SAME", 1, 2, "NCHW")
    Tensor(shape=[1, 6, 5, 5], dtype=float32, name=conv)
    """
    how = stride, padding, dilation, groups, out_dtype
    return _conv("nn.conv", inp, filt, how, data_layout, kernel_layout)


def _conv(
    name: str,
    data: te.Tensor,
    kernel: te.Tensor,
    how: tuple[Any, Any, Any, int, Any],
    data_layout: str,
    kernel_layout: str = "",
    tag: str = "conv",
) -> te.Tensor:
    stride, padding, dilation, groups, out_dtype = how
    space = spatial_axes(name, "data_layout", data_layout, a_tensor(name, "data", data), "NC")
    letters = "".join(data_layout[axis] for axis in space)
    if not kernel_layout:
        first = data_layout.index("C") < space[0]
        kernel_layout = f"OI{letters}" if first else f"{letters}IO"
    a_tensor(name, "kernel", kernel)
    a_text(name, "kernel_layout", kernel_layout)
    if sorted(kernel_layout) != sorted(f"OI{letters}") or len(kernel_layout) != kernel.ndim:
        problem = f"is {kernel_layout!r}, for {shown(kernel)} and data of layout {data_layout!r}"
        raise wrong(name, "kernel_layout", problem)
    extents = dict(zip(kernel_layout, kernel.shape, strict=True))
    check_channels(name, data, kernel, data_layout.index("C"), extents, groups)

    def weight(o: Any, i: Any, taps: Sequence[Any]) -> Any:
        place = dict(zip(f"OI{letters}", (o, i, *taps), strict=True))
        return kernel(*(place[letter] for letter in kernel_layout))

    sizes = [extents[letter] for letter in letters]
    moved = windows(name, sizes, stride, padding, dilation)
    dtype = of_results(name, out_dtype, [data.dtype, kernel.dtype])
    channels = extents["O"], extents["I"], groups
    return summed(name, data, data_layout, moved, channels, weight, dtype, tag)


def check_channels(
    name: str, data: te.Tensor, kernel: te.Tensor, axis: int, extents: dict[str, Any], groups: int
) -> None:
    """Refuses channels of data and weights that are not those of so many groups.

    `axis` is that of the data's channels, `extents` those of the weights by their letters.
    """
    count = an_integer(name, "groups", groups, 1)
    if not same(extents["I"] * count, data.shape[axis]):
        problem = f"is {shown(kernel)}, for {extents['I']} channels in each of {count} groups"
        has = f"has {data.shape[axis]} channels on axis {axis}"
        raise wrong(name, "kernel", f"{problem}; but {shown(data)} {has}")
    if not same(extents["O"] // count * count, extents["O"]):
        problem = f"is {count}, which does not divide the {extents['O']} channels of the result"
        raise wrong(name, "groups", problem)


def summed(
    name: str,
    data: te.Tensor,
    layout: str,
    moved: Sequence[Window],
    channels: tuple[Any, Any, int],
    weight: Weight,
    dtype: Any,
    tag: str,
) -> te.Tensor:
    """The convolution: the sum over input channels of a group, and over taps.

    `channels` are how many the result has, how many a group of the data has, and the groups;
    `weight(o, i, taps)` is that of channel i of the group of o.
    """
    space = [axis for axis, letter in enumerate(layout) if letter not in "NC"]
    outputs, inputs, groups = channels
    numbers = counts(name, data, space, moved)
    source = padded(name, data, space, moved)
    channel = layout.index("C")
    shape = with_extents(data.shape, [channel, *space], [outputs, *numbers])
    i = te.reduce_axis((0, inputs), "i")
    taps = [te.reduce_axis((0, one.size), f"k{k}") for k, one in enumerate(moved)]

    def value(*at: Any) -> Any:
        places = list(at)
        group = share(at[channel], outputs // groups) if groups > 1 else 0
        places[channel] = group * inputs + i
        for axis, one, tap in zip(space, moved, taps, strict=True):
            places[axis] = one.place(at[axis], tap) + one.before
        factor = weight(at[channel], i, taps)
        return te.sum(source(*places).astype(dtype) * factor.astype(dtype), axis=[i, *taps])

    return computed(name, shape, value, tag)


def share(position: Any, count: Any) -> Any:
    """The number of the group of `count` that a position is in."""
    return position if is_one(count) else position // count


def padded(name: str, data: te.Tensor, space: Sequence[int], moved: Sequence[Window]) -> te.Tensor:
    """The data with 0 where windows along the axes `space` lie beside it."""
    if not any(one.before or one.after for one in moved):
        return data
    before, after = [0] * data.ndim, [0] * data.ndim
    for axis, one in zip(space, moved, strict=True):
        before[axis], after[axis] = one.before, one.after
    return pad(data, before, after, name=f"{name.rpartition('.')[2]}_padded")


def conv1d(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    groups: int = 1,
    data_layout: str = "NCW",
    kernel_layout: str = "",
    out_dtype: Any = None,
) -> te.Tensor:
    """A convolution along W; for padding, layouts and dtypes see `conv`.

    >>> conv1d(te.placeholder((1, 4, 9), name="A"), te.placeholder((6, 4, 3), name="W"))
    Tensor(shape=[1, 6, 7], dtype=float32, name=conv1d)
    """
    how = strides, padding, dilation, groups, out_dtype
    return _conv("nn.conv1d", data, kernel, how, data_layout, kernel_layout)


def conv1d_ncw(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv1d` of the layouts NCW and OIW.

    >>> A, W = te.placeholder((1, 4, 9), name="A"), te.placeholder((6, 4, 3), name="W")
    >>> conv1d_ncw(A, W, padding=1)
    Tensor(shape=[1, 6, 9], dtype=float32, name=conv1d_ncw)
    """
    how = strides, padding, dilation, 1, out_dtype
    return _conv("nn.conv1d_ncw", data, kernel, how, "NCW", tag="conv1d_ncw")


def conv1d_nwc(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv1d` of the layouts NWC and WIO.

    >>> A, W = te.placeholder((1, 9, 4), name="A"), te.placeholder((3, 4, 6), name="W")
    >>> conv1d_nwc(A, W, padding=1)
    Tensor(shape=[1, 9, 6], dtype=float32, name=conv1d_nwc)
    """
    how = strides, padding, dilation, 1, out_dtype
    return _conv("nn.conv1d_nwc", data, kernel, how, "NWC", tag="conv1d_nwc")


def group_conv1d_ncw(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    groups: int = 1,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv1d` of the layouts NCW and OIW, in groups of channels.

    >>> A, W = te.placeholder((1, 4, 9), name="A"), te.placeholder((6, 2, 3), name="W")
    >>> group_conv1d_ncw(A, W, 2, groups=2)
    Tensor(shape=[1, 6, 4], dtype=float32, name=group_conv1d_ncw)
    """
    how = strides, padding, dilation, groups, out_dtype
    return _conv("nn.group_conv1d_ncw", data, kernel, how, "NCW", tag="group_conv1d_ncw")


def group_conv1d_nwc(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    groups: int = 1,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv1d` of the layouts NWC and WIO, in groups of channels.

    >>> A, W = te.placeholder((1, 9, 4), name="A"), te.placeholder((3, 2, 6), name="W")
    >>> group_conv1d_nwc(A, W, 2, groups=2)
    Tensor(shape=[1, 4, 6], dtype=float32, name=group_conv1d_nwc)
    """
    how = strides, padding, dilation, groups, out_dtype
    return _conv("nn.group_conv1d_nwc", data, kernel, how, "NWC", tag="group_conv1d_nwc")


def conv2d(
    input: te.Tensor,
    filter: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    data_layout: str = "NCHW",
    kernel_layout: str = "",
    out_dtype: Any = None,
) -> te.Tensor:
    """A convolution along H and W; for padding, layouts and dtypes see `conv`.

    >>> A, W = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((3, 3, 4, 6), name="W")
    >>> conv2d(A, W, 1, (1, 1, 1, 1), 1, data_layout="NHWC")
    Tensor(shape=[1, 9, 9, 6], dtype=float32, name=conv2d)
    """
    how = strides, padding, dilation, 1, out_dtype
    return _conv("nn.conv2d", input, filter, how, data_layout, kernel_layout)


def conv2d_nchw(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv2d` of the layouts NCHW and OIHW.

    >>> A, W = te.placeholder((1, 4, 9, 9), name="A"), te.placeholder((6, 4, 3, 3), name="W")
    >>> conv2d_nchw(A, W, 2, "SAME", 1)
    Tensor(shape=[1, 6, 5, 5], dtype=float32, name=conv2d_nchw)
    """
    how = stride, padding, dilation, 1, out_dtype
    return _conv("nn.conv2d_nchw", Input, Filter, how, "NCHW", tag="conv2d_nchw")


def conv2d_nhwc(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = "float32",
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """`conv2d` of the layouts NHWC and HWIO, of float32 unless `out_dtype` is another one.

    The last two arguments are accepted as TVM's, and say nothing here.

    >>> A, W = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((3, 3, 4, 6), name="W")
    >>> conv2d_nhwc(A, W, 2, "SAME", 1)
    Tensor(shape=[1, 5, 5, 6], dtype=float32, name=conv2d_nhwc)
    """
    how = stride, padding, dilation, 1, out_dtype
    return _conv("nn.conv2d_nhwc", Input, Filter, how, "NHWC", tag="conv2d_nhwc")


def conv2d_hwcn(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv2d` of the layouts HWCN and HWIO.

    >>> A, W = te.placeholder((9, 9, 4, 1), name="A"), te.placeholder((3, 3, 4, 6), name="W")
    >>> conv2d_hwcn(A, W, 2, "SAME", 1)
    Tensor(shape=[5, 5, 6, 1], dtype=float32, name=conv2d_hwcn)
    """
    how = stride, padding, dilation, 1, out_dtype
    return _conv("nn.conv2d_hwcn", Input, Filter, how, "HWCN", tag="conv2d_hwcn")


def group_conv2d_nchw(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv2d` of the layouts NCHW and OIHW, in groups of channels.

    >>> A, W = te.placeholder((1, 4, 9, 9), name="A"), te.placeholder((6, 2, 3, 3), name="W")
    >>> group_conv2d_nchw(A, W, 1, 1, 1, 2)
    Tensor(shape=[1, 6, 9, 9], dtype=float32, name=group_conv2d_nchw)
    """
    how = stride, padding, dilation, groups, out_dtype
    return _conv("nn.group_conv2d_nchw", Input, Filter, how, "NCHW", tag="group_conv2d_nchw")


def group_conv2d_nhwc(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out_dtype: Any = None,
) -> te.Tensor:
    """`conv2d` of the layouts NHWC and HWIO, in groups of channels.

    >>> A, W = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((3, 3, 2, 6), name="W")
    >>> group_conv2d_nhwc(A, W, 1, 1, 1, 2)
    Tensor(shape=[1, 9, 9, 6], dtype=float32, name=group_conv2d_nhwc)
    """
    how = stride, padding, dilation, groups, out_dtype
    return _conv("nn.group_conv2d_nhwc", Input, Filter, how, "NHWC", tag="group_conv2d_nhwc")


def conv3d_ncdhw(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out_dtype: Any = None,
) -> te.Tensor:
    """A convolution along D, H and W of the layouts NCDHW and OIDHW; see `conv`.

    >>> A, W = te.placeholder((1, 2, 4, 4, 4), name="A"), te.placeholder((3, 2, 2, 2, 2), name="W")
    >>> conv3d_ncdhw(A, W, 2, 0, 1, 1)
    Tensor(shape=[1, 3, 2, 2, 2], dtype=float32, name=conv3d_ncdhw)
    """
    how = stride, padding, dilation, groups, out_dtype
    return _conv("nn.conv3d_ncdhw", Input, Filter, how, "NCDHW", tag="conv3d_ncdhw")


def conv3d_ndhwc(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out_dtype: Any = "float32",
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_origin_shape: Any = None,
) -> te.Tensor:
    """`conv3d_ncdhw` of the layouts NDHWC and DHWIO, of float32 unless `out_dtype` is another one.

    The last two arguments are accepted as TVM's, and say nothing here.

    >>> A, W = te.placeholder((1, 4, 4, 4, 2), name="A"), te.placeholder((2, 2, 2, 2, 3), name="W")
    >>> conv3d_ndhwc(A, W, 2, 0, 1, 1)
    Tensor(shape=[1, 2, 2, 2, 3], dtype=float32, name=conv3d_ndhwc)
    """
    how = stride, padding, dilation, groups, out_dtype
    return _conv("nn.conv3d_ndhwc", Input, Filter, how, "NDHWC", tag="conv3d_ndhwc")
