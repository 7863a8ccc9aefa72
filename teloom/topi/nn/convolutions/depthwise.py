"""Convolutions of each channel by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import common
from teloom.topi.extents import same
from teloom.topi.nn.convolutions.direct import summed
from teloom.topi.nn.windows import windows


def depthwise_conv2d_nchw(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any = None,
) -> te.Tensor:
    """Each channel by itself: the data is NCHW, the weights are (C, M, H, W), the result has C * M.

    Channel `c * M + m` of it is channel c of the data with the weights m.

    >>> A, W = te.placeholder((1, 4, 9, 9), name="A"), te.placeholder((4, 2, 3, 3), name="W")
    >>> depthwise_conv2d_nchw(A, W, 1, 1, 1)
    Tensor(shape=[1, 8, 9, 9], dtype=float32, name=depthwise_conv2d_nchw)
    """
    name = "nn.depthwise_conv2d_nchw"
    how = stride, padding, dilation, out_dtype
    return _depthwise(name, Input, Filter, how, "NCHW", "CMHW")


def depthwise_conv2d_nhwc(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    kernel_layout: str = "HWOI",
    out_dtype: Any = None,
) -> te.Tensor:
    """Each channel by itself: the data is NHWC, the weights are (H, W, C, M), the result has C * M.

    With `kernel_layout` "HWIO" the weights are (H, W, M, C).

    >>> A, W = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((3, 3, 4, 2), name="W")
    >>> depthwise_conv2d_nhwc(A, W, 1, 1, 1)
    Tensor(shape=[1, 9, 9, 8], dtype=float32, name=depthwise_conv2d_nhwc)
    """
    name = "nn.depthwise_conv2d_nhwc"
    layout = one_of(name, "kernel_layout", kernel_layout, ("HWOI", "HWIO"))
    letters = layout.replace("O", "C").replace("I", "M")
    return _depthwise(name, Input, Filter, (stride, padding, dilation, out_dtype), "NHWC", letters)


def _depthwise(
    name: str, data: te.Tensor, kernel: te.Tensor, how: Sequence[Any], layout: str, letters: str
) -> te.Tensor:
    stride, padding, dilation, out_dtype = how
    a_tensor(name, "Input", data, 4)
    a_tensor(name, "Filter", kernel, 4)
    channels = data.shape[layout.index("C")]
    extents = dict(zip(letters, kernel.shape, strict=True))
    groups = an_integer(name, "Input", channels, 1)
    if not same(extents["C"], channels):
        problem = f"is {shown(kernel)}, for the {channels} channels of {shown(data)}"
        raise wrong(name, "Filter", problem)
    each = extents["M"]

    def weight(o: Any, i: Any, taps: Sequence[Any]) -> Any:
        place = {"C": o // each, "M": o % each, "H": taps[0], "W": taps[1]}
        return kernel(*(place[letter] for letter in letters))

    moved = windows(name, [extents["H"], extents["W"]], stride, padding, dilation)
    dtype = common([data.dtype, kernel.dtype]) if out_dtype is None else out_dtype
    parts = groups * each, 1, groups
    return summed(name, data, layout, moved, parts, weight, dtype, name.partition(".")[2])
