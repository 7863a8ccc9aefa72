"""Convolutions of each channel by itself, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import common, is_float, is_integer, of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents, is_one, same
from teloom.topi.nn.convolutions.direct import padded, share, summed
from teloom.topi.nn.convolutions.transposed import spread
from teloom.topi.windows import Window, windows


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

    With `kernel_layout` "HWIO" the weights are (H, W, M, C). A dtype in its place is the
    `out_dtype`, as in programs from before it was there.

    >>> A, W = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((3, 3, 4, 2), name="W")
    >>> depthwise_conv2d_nhwc(A, W, 1, 1, 1)
    Tensor(shape=[1, 9, 9, 8], dtype=float32, name=depthwise_conv2d_nhwc)
    """
    name = "nn.depthwise_conv2d_nhwc"
    if out_dtype is None and (is_float(kernel_layout) or is_integer(kernel_layout)):
        kernel_layout, out_dtype = "HWOI", kernel_layout
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
    groups = an_integer(name, "Input", channels, 0)
    if not same(extents["C"], channels):
        problem = f"is {shown(kernel)}, for the {channels} channels of {shown(data)}"
        raise wrong(name, "Filter", problem)
    each = extents["M"]

    def weight(o: Any, i: Any, taps: Sequence[Any]) -> Any:
        of_each = 0 if is_one(each) else o % each
        place = {"C": share(o, each), "M": of_each, "H": taps[0], "W": taps[1]}
        return kernel(*(place[letter] for letter in letters))

    moved = windows(name, [extents["H"], extents["W"]], stride, padding, dilation)
    dtype = of_results(name, out_dtype, [data.dtype, kernel.dtype])
    parts = groups * each, 1, groups
    return summed(name, data, layout, moved, parts, weight, dtype, name.partition(".")[2])


def depthwise_conv2d_backward_input_nhwc(
    Filter: te.Tensor, Out_grad: te.Tensor, oshape: Any, ishape: Any, stride: Any, padding: Any
) -> te.Tensor:
    """The gradient of `depthwise_conv2d_nhwc` by its data, of the shape `ishape`.

    `Out_grad` is that by its result, of the shape `oshape`.

    >>> W, G = te.placeholder((3, 3, 4, 2), name="W"), te.placeholder((1, 5, 5, 8), name="G")
    >>> depthwise_conv2d_backward_input_nhwc(W, G, (1, 5, 5, 8), (1, 9, 9, 4), 2, 1)
    Tensor(shape=[1, 9, 9, 4], dtype=float32, name=depthwise_conv2d_backward_input_nhwc)
    """
    name = "nn.depthwise_conv2d_backward_input_nhwc"
    shape = as_extents(name, "ishape", ishape)
    weights = a_tensor(name, "Filter", Filter, 4).shape
    moved = _moved_back(name, Out_grad, (oshape, shape, weights), stride, padding)
    each = weights[3]
    dilated = spread(name, Out_grad, [1, 2], moved, shape[1:3])
    m = te.reduce_axis((0, each), "m")
    taps = [te.reduce_axis((0, one.size), f"k{k}") for k, one in enumerate(moved)]
    dtype = common([Filter.dtype, Out_grad.dtype])

    def value(n: Any, y: Any, x: Any, c: Any) -> Any:
        here = dilated(n, y + taps[0], x + taps[1], c * each + m)
        back = [one.size - 1 - tap for one, tap in zip(moved, taps, strict=True)]
        return te.sum(here.astype(dtype) * Filter(*back, c, m).astype(dtype), axis=[*taps, m])

    return computed(name, shape, value, name.partition(".")[2])


def depthwise_conv2d_backward_weight_nhwc(
    Input: te.Tensor, Out_grad: te.Tensor, oshape: Any, fshape: Any, stride: Any, padding: Any
) -> te.Tensor:
    """The gradient of `depthwise_conv2d_nhwc` by its weights, of the shape `fshape`.

    `Out_grad` is that by its result, of the shape `oshape`.

    >>> A, G = te.placeholder((1, 9, 9, 4), name="A"), te.placeholder((1, 5, 5, 8), name="G")
    >>> depthwise_conv2d_backward_weight_nhwc(A, G, (1, 5, 5, 8), (3, 3, 4, 2), 2, 1)
    Tensor(shape=[3, 3, 4, 2], dtype=float32, name=depthwise_conv2d_backward_weight_nhwc)
    """
    name = "nn.depthwise_conv2d_backward_weight_nhwc"
    shape = as_extents(name, "fshape", fshape)
    extents = a_tensor(name, "Input", Input, 4).shape
    moved = _moved_back(name, Out_grad, (oshape, extents, shape), stride, padding)
    each = shape[3]
    source = padded(name, Input, [1, 2], moved)
    over = [te.reduce_axis((0, Out_grad.shape[k]), f"k{k}") for k in range(3)]
    dtype = common([Input.dtype, Out_grad.dtype])

    def value(fy: Any, fx: Any, c: Any, m: Any) -> Any:
        there = [
            one.place(at, tap) + one.before
            for one, at, tap in zip(moved, over[1:], (fy, fx), strict=True)
        ]
        gradient = Out_grad(*over, c * each + m).astype(dtype)
        return te.sum(source(over[0], *there, c).astype(dtype) * gradient, axis=over)

    return computed(name, shape, value, name.partition(".")[2])


def _moved_back(
    name: str, gradient: te.Tensor, shapes: Sequence[Any], stride: Any, padding: Any
) -> list[Window]:
    """The windows of a convolution, whose result has the shape of its gradient.

    `shapes` are those of the result, the data and the weights.
    """
    result, data, weights = shapes
    for argument, one in (("the data", data), ("the weights", weights)):
        if len(one) != 4:
            raise wrong(name, "shape", f"of {argument} is {list(one)}, but must have 4 extents")
    moved = windows(name, weights[:2], stride, padding, 1)
    numbers = [one.count(extent) for one, extent in zip(moved, data[1:3], strict=True)]
    expected = [data[0], *numbers, weights[2] * weights[3]]
    given = as_extents(name, "oshape", result)
    a_tensor(name, "Out_grad", gradient, 4)
    fits = te.same_extents(given, expected) and te.same_extents(gradient.shape, expected)
    if not (fits and same(weights[2], data[3])):
        problem = f"is {shown(gradient)}, with oshape {tuple(given)}; a convolution of"
        both = f"{tuple(data)} and {tuple(weights)} has the shape {tuple(expected)}"
        raise wrong(name, "Out_grad", f"{problem} {both}")
    return moved
