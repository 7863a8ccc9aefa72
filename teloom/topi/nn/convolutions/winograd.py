"""Winograd convolutions: products of transformed tiles, with fewer multiplications.

A tile of m results along an axis needs m + r - 1 elements for r taps, and as many products: of
`B^T d` and `G w`, from which `A^T` makes the results. Rounding grows with the tile. Source: Lavin
and Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, integers, shown, wrong
from teloom.topi.dtypes import is_float, of_kind, of_results
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same, ravelled, total, unravelled
from teloom.topi.nn.convolutions.winograd_matrices import Rows, matrices
from teloom.topi.nn.convolutions.winograd_transforms import along, lines, transformed
from teloom.topi.nn.padding import pad
from teloom.topi.tag import WINOGRAD_TRANSFORM
from teloom.topi.transform.shapes import transpose
from teloom.topi.windows import Window, counts, windows


class _Way(NamedTuple):
    """A way to convolve: the layouts of data and weights, and the tiles."""

    tile: int
    """How many results a tile has along an axis."""
    space: tuple[int, ...]
    """The axes of the data along which windows move."""
    taps: tuple[int, ...]
    """Those of the weights."""
    outputs: int
    """The axis of the weights that are the channels of the result."""
    inputs: int
    ready: tuple[int, int]
    """`outputs` and `inputs` of weights that are transformed."""
    called: str
    """The argument that the weights are."""

    @property
    def channel(self) -> int:
        """The axis of channels of the data."""
        return next(axis for axis in range(1, len(self.space) + 2) if axis not in self.space)


NCHW = _Way(4, (2, 3), (2, 3), 0, 1, (3, 2), "weight")
NHWC = _Way(4, (1, 2), (0, 1), 3, 2, (2, 3), "weight")
NCDHW = _Way(2, (2, 3, 4), (2, 3, 4), 0, 1, (3, 4), "kernel")


def conv2d_winograd_weight_transform(kernel: te.Tensor, tile_size: int) -> te.Tensor:
    """`G w G^T` of weights OIHW, as (n, n, O, I), for tiles of `tile_size` results.

    n is `tile_size` and the taps along an axis, less 1.

    >>> conv2d_winograd_weight_transform(te.placeholder((8, 4, 3, 3), name="W"), 4)
    Tensor(shape=[6, 6, 8, 4], dtype=float32, name=conv2d_winograd_weight_transform)
    """
    name = "nn.conv2d_winograd_weight_transform"
    a_tensor(name, "kernel", kernel, 4)
    return _weights(name, kernel, tile_size, [2, 3, 0, 1], 2, kernel.dtype)


def conv3d_winograd_weight_transform(kernel: te.Tensor, tile_size: int) -> te.Tensor:
    """The weights OIDHW along D, H and W times G, as (n, n, n, O, I), for tiles of `tile_size`.

    Where D has other than 3 to 7 taps, or other than H, it stays: (n, n, D, O, I).

    >>> conv3d_winograd_weight_transform(te.placeholder((8, 4, 1, 3, 3), name="W"), 4)
    Tensor(shape=[6, 6, 1, 8, 4], dtype=float32, name=conv3d_winograd_weight_transform)
    """
    name = "nn.conv3d_winograd_weight_transform"
    depth, height = a_tensor(name, "kernel", kernel, 5).shape[2:4]
    if isinstance(depth, int) and 3 <= depth <= 7 and depth == height:
        return _weights(name, kernel, tile_size, [2, 3, 4, 0, 1], 3, kernel.dtype)
    return _weights(name, kernel, tile_size, [3, 4, 2, 0, 1], 2, kernel.dtype)


def _weights(
    name: str, kernel: te.Tensor, tile_size: Any, order: Sequence[int], count: int, dtype: Any
) -> te.Tensor:
    """The weights with their axes in `order`, the first `count` of which are transformed."""
    tile = an_integer(name, "tile_size", tile_size)
    taps = [of_kind(name, "kernel", kernel, "float").shape[axis] for axis in order[:count]]
    if any(one != taps[0] for one in taps):
        raise wrong(name, "kernel", f"is {shown(kernel)}, which has not as many taps on each axis")
    _, _, g = matrices(name, tile, taps[0])
    return _transformed_weights(name, kernel, order, count, g, dtype)


def _transformed_weights(
    name: str, kernel: te.Tensor, order: Sequence[int], count: int, g: Rows, dtype: Any
) -> te.Tensor:
    places = [order.index(axis) for axis in range(kernel.ndim)]
    shape = [kernel.shape[axis] for axis in order]
    return transformed(
        name, lambda *at: kernel(*(at[place] for place in places)), shape, count, g, dtype
    )


def conv2d_winograd_nchw(
    data: te.Tensor,
    weight: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any,
    pre_computed: bool = False,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """`conv2d_nchw` of 3 x 3 taps by way of tiles of 4 x 4 results, with strides of 1.

    With `pre_computed`, the weights are transformed, of the shape (6, 6, I, O). Extents of H and W
    are constant; the last two arguments are accepted as TVM's, and say nothing here.

    >>> A, W = te.placeholder((1, 8, 9, 9), name="A"), te.placeholder((6, 8, 3, 3), name="W")
    >>> conv2d_winograd_nchw(A, W, 1, 1, 1, "float32")
    Tensor(shape=[1, 6, 9, 9], dtype=float32, name=conv2d_winograd_nchw)
    """
    how = strides, padding, dilation, out_dtype, pre_computed
    return _winograd("nn.conv2d_winograd_nchw", data, weight, how, NCHW)


def conv2d_winograd_nhwc(
    data: te.Tensor,
    weight: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any,
    pre_computed: bool = False,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """`conv2d_nhwc` of 3 x 3 taps, as `conv2d_winograd_nchw`.

    With `pre_computed`, the weights are of the shape (6, 6, O, I).

    >>> A, W = te.placeholder((1, 9, 9, 8), name="A"), te.placeholder((3, 3, 8, 6), name="W")
    >>> conv2d_winograd_nhwc(A, W, 1, 1, 1, "float32")
    Tensor(shape=[1, 9, 9, 6], dtype=float32, name=conv2d_winograd_nhwc)
    """
    how = strides, padding, dilation, out_dtype, pre_computed
    return _winograd("nn.conv2d_winograd_nhwc", data, weight, how, NHWC)


def conv2d_winograd_nchw_without_weight_transform(
    data: te.Tensor,
    weight: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """`conv2d_winograd_nchw` with `pre_computed` weights, of the shape (6, 6, I, O).

    >>> A, W = te.placeholder((1, 8, 9, 9), name="A"), te.placeholder((6, 6, 8, 5), name="W")
    >>> conv2d_winograd_nchw_without_weight_transform(A, W, 1, 1, 1, "float32")
    Tensor(shape=[1, 5, 9, 9], dtype=float32, name=conv2d_winograd_nchw)
    """
    return conv2d_winograd_nchw(data, weight, strides, padding, dilation, out_dtype, True)


def conv2d_winograd_nhwc_without_weight_transform(
    data: te.Tensor,
    weight: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    out_dtype: Any,
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Any = None,
) -> te.Tensor:
    """`conv2d_winograd_nhwc` with `pre_computed` weights, of the shape (6, 6, O, I).

    >>> A, W = te.placeholder((1, 9, 9, 8), name="A"), te.placeholder((6, 6, 5, 8), name="W")
    >>> conv2d_winograd_nhwc_without_weight_transform(A, W, 1, 1, 1, "float32")
    Tensor(shape=[1, 9, 9, 5], dtype=float32, name=conv2d_winograd_nhwc)
    """
    return conv2d_winograd_nhwc(data, weight, strides, padding, dilation, out_dtype, True)


def conv3d_ncdhw_winograd(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out_dtype: Any,
) -> te.Tensor:
    """`conv3d_ncdhw` of 3 x 3 x 3 taps by way of tiles of 2 x 2 x 2 results, with strides of 1.

    Extents of D, H and W are constant; `groups` is 1.

    >>> A, W = te.placeholder((1, 8, 5, 5, 5), name="A"), te.placeholder((6, 8, 3, 3, 3), name="W")
    >>> conv3d_ncdhw_winograd(A, W, 1, 1, 1, 1, "float32")
    Tensor(shape=[1, 6, 5, 5, 5], dtype=float32, name=conv3d_ncdhw_winograd)
    """
    name = "nn.conv3d_ncdhw_winograd"
    how = strides, padding, dilation, out_dtype, False
    return _winograd(name, data, kernel, (*how, groups), NCDHW)


def conv3d_ncdhw_winograd_without_weight_transform(
    data: te.Tensor,
    kernel: te.Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out_dtype: Any,
) -> te.Tensor:
    """`conv3d_ncdhw_winograd` of weights of `conv3d_winograd_weight_transform`, for tiles of 2.

    >>> A, W = te.placeholder((1, 8, 5, 5, 5), name="A"), te.placeholder((6, 8, 3, 3, 3), name="W")
    >>> ready = conv3d_winograd_weight_transform(W, 2)
    >>> conv3d_ncdhw_winograd_without_weight_transform(A, ready, 1, 1, 1, 1, "float32").shape
    (1, 6, 5, 5, 5)
    """
    name = "nn.conv3d_ncdhw_winograd_without_weight_transform"
    how = strides, padding, dilation, out_dtype, True
    return _winograd(name, data, kernel, (*how, groups), NCDHW)


def _winograd(
    name: str, data: te.Tensor, weight: te.Tensor, how: Sequence[Any], way: _Way
) -> te.Tensor:
    strides, padding, dilation, out_dtype, pre_computed, *groups = how
    count, channel = len(way.space), way.channel
    a_tensor(name, "data", data, count + 2)
    of_kind(name, way.called, a_tensor(name, way.called, weight, count + 2), "float")
    dtype = of_results(name, out_dtype, [data.dtype, weight.dtype])
    _check(name, dtype, count, {"strides": strides, "dilation": dilation}, groups)
    _check_extents(name, data, weight, way, pre_computed)
    outputs, inputs = way.ready if pre_computed else (way.outputs, way.inputs)
    expect_same(name, {"data": data, way.called: weight}, {"data": channel, way.called: inputs})

    moved = windows(name, [3] * count, 1, padding, 1)
    numbers = counts(name, data, way.space, moved)
    blocks = [data.shape[0], *(-(-number // way.tile) for number in numbers)]
    a, b, g = matrices(name, way.tile, 3)
    if not pre_computed:
        order = [*way.taps, way.inputs, way.outputs]
        weight = _transformed_weights(f"{name}_weight", weight, order, count, g, dtype)
    is_last = not pre_computed or outputs > inputs
    source = _padded(name, data, moved, blocks, way)
    tiled = _transformed_tiles(name, source, blocks, way.tile, b, dtype)
    product = _products(name, tiled, weight, is_last, dtype)
    shape = [data.shape[0], *numbers, product.shape[-1]]
    tag = f"conv{count}d_winograd"
    if channel == count + 1:
        return _results(name, product, shape, blocks, way.tile, a, tag)
    last = _results(f"{name}_last", product, shape, blocks, way.tile, a, "")
    shape = [shape[0], shape[-1], *shape[1:-1]]
    return computed(name, shape, lambda n, c, *at: last(n, *at, c), tag)


def _padded(
    name: str, data: te.Tensor, moved: Sequence[Window], blocks: Sequence[Any], way: _Way
) -> te.Tensor:
    """The data with channels last, and what the tiles read around it."""
    called = name.rpartition(".")[2]
    order = [0, *way.space, way.channel]
    if order != sorted(order):
        data = transpose(data, order)
    before = [0, *(one.before for one in moved), 0]
    ends = [number * way.tile + 2 for number in blocks[1:]]
    after = [0, *(ends[k] - data.shape[k + 1] - before[k + 1] for k in range(len(ends))), 0]
    return pad(data, before, after, name=f"{called}_padded")


def _transformed_tiles(
    name: str, source: te.Tensor, blocks: Sequence[Any], tile: int, b: Rows, dtype: Any
) -> te.Tensor:
    """The transformed tiles of data: by the place in a tile, the tile and the channel."""
    count = len(blocks) - 1

    def element(*at: Any) -> Any:
        image, *numbers = unravelled(at[count], blocks)
        places = (n * tile + inner for n, inner in zip(numbers, at[:count], strict=True))
        return source(image, *places, at[-1])

    shape = [*[tile + 2] * count, total(blocks), source.shape[-1]]
    return transformed(f"{name}_data", element, shape, count, _turned(b), dtype)


def _products(
    name: str, data: te.Tensor, weight: te.Tensor, is_last: bool, dtype: Any
) -> te.Tensor:
    """A product of matrices for each place in a tile: tiles by channels of the result.

    `is_last` says whether these are the last axis of the weights.
    """
    c = te.reduce_axis((0, data.shape[-1]), "c")

    def value(*at: Any) -> Any:
        *places, tile, o = at
        factor = weight(*places, *((c, o) if is_last else (o, c)))
        return te.sum(data(*places, tile, c) * factor.astype(dtype), axis=c)

    return computed(f"{name}_products", [*data.shape[:-1], weight.shape[-1 - (not is_last)]], value)


def _results(
    name: str,
    product: te.Tensor,
    shape: Sequence[Any],
    blocks: Sequence[Any],
    tile: int,
    a: Rows,
    tag: str,
) -> te.Tensor:
    """The results with channels last, of the transformed ones of tiles."""
    count, rows = len(blocks) - 1, _turned(a)
    inner, _ = lines(name, product, product.shape, count - 1, rows, product.dtype)
    element = along(inner, count - 1, rows, product.dtype)

    def value(*at: Any) -> Any:
        number = ravelled([at[0], *(one // tile for one in at[1:-1])], blocks)
        return element(*(one % tile for one in at[1:-1]), number, at[-1])

    tags = ",".join(one for one in (tag, WINOGRAD_TRANSFORM) if one)
    return computed(name, shape, value, tags, attrs={WINOGRAD_TRANSFORM: tile})


def _turned(rows: Rows) -> Rows:
    return [[*row] for row in zip(*rows, strict=True)]


def _check(
    name: str, dtype: Any, count: int, given: Mapping[str, Any], groups: Sequence[Any]
) -> None:
    for argument, value in given.items():
        if integers(name, argument, value, count) != [1] * count:
            raise wrong(name, argument, f"is {value}, but must be 1")
    if not is_float(dtype):
        raise wrong(name, "out_dtype", f"is {dtype}, but the transformed numbers are fractions")
    if groups and an_integer(name, "groups", groups[0]) != 1:
        raise wrong(name, "groups", f"is {groups[0]}, but must be 1")


def _check_extents(
    name: str, data: te.Tensor, weight: te.Tensor, way: _Way, is_transformed: bool
) -> None:
    axes = [*range(len(way.taps))] if is_transformed else [*way.taps]
    taps = way.tile + 2 if is_transformed else 3
    if any(weight.shape[axis] != taps for axis in axes):
        problem = f"is {shown(weight)}, but must have {taps} elements on axes {axes}"
        raise wrong(name, way.called, problem)
    for axis in way.space:
        an_integer(name, f"data, {shown(data)}, on axis {axis},", data.shape[axis])
