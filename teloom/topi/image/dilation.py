"""Dilation of images, as of mathematical morphology: the greatest sum of an element and a weight.

An element around the data counts in no maximum. As TensorFlow's dilation2d, and as SciPy's
grey_dilation with a mirrored structure.
"""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor
from teloom.topi.dtypes import lowest, of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same, with_extents
from teloom.topi.windows import counts, windows


def dilation2d_nchw(
    input: te.Tensor,
    filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilations: Any,
    out_dtype: Any = None,
) -> te.Tensor:
    """The greatest sum of an element of each window and its weight, channel by channel.

    `filter` has the shape (channel, height, width). `stride`, `padding` and `dilations` are as in
    `nn.conv2d_nchw`. Data and weights are cast to `out_dtype`, or to the dtype of the data.

    >>> A, w = te.placeholder((1, 3, 8, 8), name="A"), te.placeholder((3, 3, 3), name="w")
    >>> dilation2d_nchw(A, w, 1, "SAME", 1)
    Tensor(shape=[1, 3, 8, 8], dtype=float32, name=dilation2d_nchw)
    """
    how = stride, padding, dilations, out_dtype
    return _dilation2d("image.dilation2d_nchw", input, filter, how, "NCHW", "CHW")


def dilation2d_nhwc(
    input: te.Tensor,
    filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilations: Any,
    out_dtype: Any = None,
) -> te.Tensor:
    """The same as `dilation2d_nchw`, with the channels last: `filter` is (height, width, channel).

    >>> A, w = te.placeholder((1, 8, 8, 3), name="A"), te.placeholder((3, 3, 3), name="w")
    >>> dilation2d_nhwc(A, w, 2, 0, 1)
    Tensor(shape=[1, 3, 3, 3], dtype=float32, name=dilation2d_nhwc)
    """
    how = stride, padding, dilations, out_dtype
    return _dilation2d("image.dilation2d_nhwc", input, filter, how, "NHWC", "HWC")


def _dilation2d(
    name: str,
    data: te.Tensor,
    weights: te.Tensor,
    how: tuple[Any, Any, Any, Any],
    layout: str,
    weight_layout: str,
) -> te.Tensor:
    stride, padding, dilations, out_dtype = how
    given = {"input": a_tensor(name, "input", data, 4), "filter": weights}
    a_tensor(name, "filter", weights, 3)
    expect_same(name, given, {"input": layout.index("C"), "filter": weight_layout.index("C")})
    axes = [layout.index(letter) for letter in "HW"]
    extents = dict(zip(weight_layout, weights.shape, strict=True))
    moved = windows(name, [extents["H"], extents["W"]], stride, padding, dilations)
    shape = with_extents(data.shape, axes, counts(name, data, axes, moved))
    dtype = of_results(name, out_dtype, [data.dtype])
    taps = {letter: te.reduce_axis((0, extents[letter]), f"k{letter.lower()}") for letter in "HW"}

    def value(*at: Any) -> Any:
        here = dict(zip(layout, at, strict=True))
        inside = []
        for axis, letter, one in zip(axes, "HW", moved, strict=True):
            here[letter] = one.place(at[axis], taps[letter])
            if one.before:
                inside.append(here[letter] >= 0)
            if one.after:
                inside.append(here[letter] < data.shape[axis])
        places = taps | {"C": at[layout.index("C")]}
        weight = weights(*(places[letter] for letter in weight_layout)).astype(dtype)
        total = data(*here.values()).astype(dtype) + weight
        if inside:
            total = te.if_then_else(te.all(*inside), total, lowest(total.dtype))
        return te.max(total, axis=[*taps.values()])

    return computed(name, shape, value, name.rpartition(".")[2])
