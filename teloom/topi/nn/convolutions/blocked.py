"""Convolutions of channels in blocks: a vector of channels is contiguous.

The data is NCHWc: the axis C counts blocks, and c, the last one, the channels of a block. The
layouts that these operators take as arguments are accepted as TVM's, and say nothing here: the
shapes tell the blocks. See `windows` for strides, padding and dilation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, shown, wrong
from teloom.topi.dtypes import of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same, same, unravelled
from teloom.topi.nn.convolutions.direct import padded
from teloom.topi.tag import INJECTIVE
from teloom.topi.windows import Window, counts, windows

Term = Callable[[Any, Any, Sequence[Any]], tuple[Any, Any, Any]]


def conv2d_NCHWc(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    layout: str,
    out_layout: str,
    out_dtype: Any = "float32",
) -> te.Tensor:
    """A convolution along H and W; the weights are (O, I, H, W, i, o), in blocks i of the data's.

    With fewer channels in the weights than in the data, it is in groups, each of whole blocks.

    >>> A = te.placeholder((1, 2, 9, 9, 4), name="A")
    >>> W = te.placeholder((3, 2, 3, 3, 4, 8), name="W")
    >>> conv2d_NCHWc(A, W, 1, 1, 1, "NCHW4c", "NCHW8c")
    Tensor(shape=[1, 3, 9, 9, 8], dtype=float32, name=conv2d_NCHWc)
    """
    name = "nn.conv2d_NCHWc"
    given = {"data": a_tensor(name, "data", data, 5), "kernel": a_tensor(name, "kernel", kernel, 6)}
    block = te.reduce_axis((0, expect_same(name, given, {"data": 4, "kernel": 4})), "block")
    chunk, place = _of_group(name, data, kernel)

    def term(o: Any, b: Any, taps: Sequence[Any]) -> tuple[Any, Any, Any]:
        return place(o), block, kernel(o, chunk, *taps, block, b)

    how = stride, padding, dilation, out_dtype
    return _blocked(name, data, kernel, kernel.shape[5], how, term, [chunk, block])


def conv2d_NCHWc_int8(
    data: te.Tensor,
    kernel: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    layout: str,
    out_layout: str,
    out_dtype: Any = "int32",
    n_elems: int = 4,
) -> te.Tensor:
    """`conv2d_NCHWc` of weights (O, I, H, W, i / n_elems, o, n_elems).

    The innermost loop sums `n_elems` products, as an instruction for dot products of bytes does.

    >>> A = te.placeholder((1, 2, 9, 9, 8), "uint8", name="A")
    >>> W = te.placeholder((3, 2, 3, 3, 2, 16, 4), "int8", name="W")
    >>> conv2d_NCHWc_int8(A, W, 1, 1, 1, "NCHW8c", "NCHW16c")
    Tensor(shape=[1, 3, 9, 9, 16], dtype=int32, name=conv2d_NCHWc_int8)
    """
    name = "nn.conv2d_NCHWc_int8"
    a_tensor(name, "data", data, 5)
    a_tensor(name, "kernel", kernel, 7)
    count = an_integer(name, "n_elems", n_elems, 1)
    if not (same(kernel.shape[4] * count, data.shape[4]) and same(kernel.shape[6], count)):
        problem = f"is {shown(kernel)}, whose axes 4 and 6 are not blocks of {count} channels of"
        raise wrong(name, "kernel", f"{problem} axis 4 of {shown(data)}")
    outer, inner = te.reduce_axis((0, kernel.shape[4]), "outer"), te.reduce_axis((0, count), "k")
    chunk, place = _of_group(name, data, kernel)

    def term(o: Any, b: Any, taps: Sequence[Any]) -> tuple[Any, Any, Any]:
        return place(o), outer * count + inner, kernel(o, chunk, *taps, outer, b, inner)

    how = stride, padding, dilation, out_dtype
    return _blocked(name, data, kernel, kernel.shape[5], how, term, [chunk, outer, inner])


def depthwise_conv2d_NCHWc(
    Input: te.Tensor,
    Filter: te.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    layout: str,
    out_layout: str,
    out_dtype: Any = None,
) -> te.Tensor:
    """Each channel by itself; the weights are (O, 1, H, W, 1, o), for channels of the result.

    Channel `c * m + k` of it is channel c of the data, where it has m times as many.

    >>> A = te.placeholder((1, 2, 9, 9, 4), name="A")
    >>> W = te.placeholder((4, 1, 3, 3, 1, 4), name="W")
    >>> depthwise_conv2d_NCHWc(A, W, 1, 1, 1, "NCHW4c", "NCHW4c")
    Tensor(shape=[1, 4, 9, 9, 4], dtype=float32, name=depthwise_conv2d_NCHWc)
    """
    name = "nn.depthwise_conv2d_NCHWc"
    a_tensor(name, "Input", Input, 5)
    a_tensor(name, "Filter", Filter, 6)
    chunks, block, outputs, out_block = (
        an_integer(name, argument, extent, 1)
        for argument, extent in (
            ("Input", Input.shape[1]),
            ("Input", Input.shape[4]),
            ("Filter", Filter.shape[0]),
            ("Filter", Filter.shape[5]),
        )
    )
    channels = chunks * block
    ones = [Filter.shape[1], Filter.shape[4]]
    if outputs * out_block % channels or not te.same_extents(ones, [1, 1]):
        problem = f"is {shown(Filter)}, for the {channels} channels of {shown(Input)}"
        raise wrong(name, "Filter", problem)
    each = outputs * out_block // channels

    # Blocks of the result that come of one block of the data; 0 if some come of two.
    parts = each * block // out_block if each * block % out_block == 0 else 0

    def term(o: Any, b: Any, taps: Sequence[Any]) -> tuple[Any, Any, Any]:
        if parts:
            first = o % parts * out_block if parts > 1 else 0
            return o // parts, (first + b) // each, Filter(o, 0, *taps, 0, b)
        channel = (o * out_block + b) // each
        return channel // block, channel % block, Filter(o, 0, *taps, 0, b)

    how = stride, padding, dilation, out_dtype
    return _blocked(name, Input, Filter, out_block, how, term, [])


def unpack_NCHWc_to_nchw(packed_out: te.Tensor, out_dtype: Any) -> te.Tensor:
    """The NCHW of a tensor of the layout NCHWc, as `out_dtype`.

    >>> unpack_NCHWc_to_nchw(te.placeholder((1, 3, 9, 9, 8), name="A"), "float32")
    Tensor(shape=[1, 24, 9, 9], dtype=float32, name=unpack_NCHWc_to_nchw)
    """
    name = "nn.unpack_NCHWc_to_nchw"
    n, chunks, height, width, block = a_tensor(name, "packed_out", packed_out, 5).shape

    def value(n: Any, c: Any, h: Any, w: Any) -> Any:
        return packed_out(n, c // block, h, w, c % block).astype(out_dtype)

    return computed(name, [n, chunks * block, height, width], value, f"{INJECTIVE},unpack_nchwc")


def conv2d_gemm_weight_transform(kernel: te.Tensor, tile_rows: int, tile_cols: int) -> te.Tensor:
    """Weights HWIO as a matrix in tiles: (O / tile_rows, HWI / tile_cols, tile_rows, tile_cols).

    Where a tile has no weights, it has 0. The result times rows of windows is the convolution.

    >>> conv2d_gemm_weight_transform(te.placeholder((3, 3, 4, 6), name="W"), 4, 16)
    Tensor(shape=[2, 3, 4, 16], dtype=float32, name=conv2d_gemm_weight_transform)
    """
    name = "nn.conv2d_gemm_weight_transform"
    height, width, inputs, outputs = a_tensor(name, "kernel", kernel, 4).shape
    rows = an_integer(name, "tile_rows", tile_rows, 1)
    columns = an_integer(name, "tile_cols", tile_cols, 1)
    length = height * width * inputs
    shape = [(outputs + (rows - 1)) // rows, (length + (columns - 1)) // columns, rows, columns]

    def value(x: Any, y: Any, row: Any, column: Any) -> Any:
        o, k = x * rows + row, y * columns + column
        here = kernel(*unravelled(k, [height, width, inputs]), o)
        return te.if_then_else((o < outputs) & (k < length), here, te.const(0, kernel.dtype))

    return computed(name, shape, value, INJECTIVE)


def _of_group(
    name: str, data: te.Tensor, kernel: te.Tensor
) -> tuple[te.IterVar, Callable[[Any], Any]]:
    """The reduce axis over the blocks of a group, and the place of such a block for block o."""
    blocks, each, outputs = data.shape[1], kernel.shape[1], kernel.shape[0]
    chunk = te.reduce_axis((0, each), "chunk")
    if same(blocks, each):
        return chunk, lambda o: chunk
    known = all(isinstance(one, int) for one in (blocks, each, outputs))
    if not known or not each or blocks % each or outputs % (blocks // each):
        problem = f"is {shown(kernel)}, whose {outputs} blocks of {each} blocks are no groups of"
        raise wrong(name, "kernel", f"{problem} the {blocks} blocks of {shown(data)}")
    of_group = outputs // (blocks // each)
    return chunk, lambda o: o // of_group * each + chunk


def _blocked(
    name: str,
    data: te.Tensor,
    kernel: te.Tensor,
    block: Any,
    how: Sequence[Any],
    term: Term,
    over: Sequence[te.IterVar],
) -> te.Tensor:
    """The sum over taps and the axes `over`.

    `term(o, b, taps)` is, for channel b of block o, the block of the data, the channel in it, and
    the weight.
    """
    stride, padding, dilation, out_dtype = how
    moved: list[Window] = windows(name, kernel.shape[2:4], stride, padding, dilation)
    numbers = counts(name, data, [2, 3], moved)
    source = padded(name, data, [2, 3], moved)
    dtype = of_results(name, out_dtype, [data.dtype, kernel.dtype])
    taps = [te.reduce_axis((0, one.size), f"k{k}") for k, one in enumerate(moved)]

    def value(n: Any, o: Any, y: Any, x: Any, b: Any) -> Any:
        chunk, inner, weight = term(o, b, taps)
        there = [
            one.place(at, tap) + one.before
            for one, at, tap in zip(moved, (y, x), taps, strict=True)
        ]
        here = source(n, chunk, *there, inner)
        return te.sum(here.astype(dtype) * weight.astype(dtype), axis=[*over, *taps])

    shape = [data.shape[0], kernel.shape[0], *numbers, block]
    return computed(name, shape, value, name.rpartition(".")[2])
