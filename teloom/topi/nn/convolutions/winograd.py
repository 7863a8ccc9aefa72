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
from teloom.topi.dtypes import common, is_float, of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same, ravelled, total, unravelled
from teloom.topi.nn.convolutions.winograd_matrices import constant, matrices
from teloom.topi.nn.padding import pad
from teloom.topi.tag import INJECTIVE
from teloom.topi.windows import Window, counts, windows


class _Way(NamedTuple):
    """How data and weights are laid out, and in which tiles they are taken."""

    tile: int
    """How many results a tile has along an axis."""
    space: tuple[int, ...]
    """The axes of the data along which windows move."""
    order: tuple[int, ...]
    """The axes of weights as they are transformed: taps, then channels."""
    outputs_last: bool
    """Whether the last of these are the channels of the result."""
    called: str
    """The argument that the weights are."""

    @property
    def channel(self) -> int:
        """The axis of channels of the data."""
        return next(axis for axis in range(1, len(self.order)) if axis not in self.space)

    def sides(self, channel: Any, tile: Any) -> tuple[Any, Any]:
        """What belongs to channels, and to tiles, in the order of the data's axes."""
        return (channel, tile) if self.channel < self.space[0] else (tile, channel)


NCHW = _Way(4, (2, 3), (2, 3, 1, 0), True, "weight")
NHWC = _Way(4, (1, 2), (0, 1, 3, 2), False, "weight")
NCDHW = _Way(2, (2, 3, 4), (2, 3, 4, 0, 1), False, "kernel")


def _along(
    name: str, data: te.Tensor, axes: Sequence[int], matrix: te.Tensor, transposed: bool
) -> te.Tensor:
    """The products of `matrix`, or its transposed, with the lines of `data` along `axes`."""
    extent, length = matrix.shape[transposed], matrix.shape[not transposed]
    for axis in axes:
        stage = name if axis == axes[-1] else f"{name}_along_{axis}"

        def value(*at: Any, data: te.Tensor = data, axis: int = axis) -> Any:
            k = te.reduce_axis((0, length), "k")
            there = [k if place == axis else one for place, one in enumerate(at)]
            factor = matrix(k, at[axis]) if transposed else matrix(at[axis], k)
            return te.sum(data(*there).astype(matrix.dtype) * factor, axis=k)

        shape = [extent if k == axis else one for k, one in enumerate(data.shape)]
        data = computed(stage, shape, value)
    return data


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
    places = [order.index(axis) for axis in range(kernel.ndim)]
    first = computed(
        f"{name}_taps",
        [kernel.shape[axis] for axis in order],
        lambda *at: kernel(*(at[place] for place in places)),
        INJECTIVE,
    )
    return _along(name, first, range(count), constant("G", g, dtype), False)


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
    """`conv2d_winograd_nchw` with `pre_computed` weights."""
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
    """`conv2d_winograd_nhwc` with `pre_computed` weights."""
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
    """`conv3d_ncdhw_winograd` of weights of `conv3d_winograd_weight_transform`, for tiles of 2."""
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
    dtype = common([data.dtype, weight.dtype]) if out_dtype is None else out_dtype
    _check(name, dtype, count, {"strides": strides, "dilation": dilation}, groups)
    places = tuple(range(count + 2)) if pre_computed else way.order
    taps = 2 + way.tile if pre_computed else 3
    _check_extents(name, data, weight, way, places, taps)
    inputs, outputs = places[-2:] if way.outputs_last else places[:-3:-1]
    given = {"data": data, way.called: weight}
    expect_same(name, given, {"data": channel, way.called: inputs})

    moved = windows(name, [3] * count, 1, padding, 1)
    shape = [*data.shape]
    shape[channel] = weight.shape[outputs]
    for axis, number in zip(way.space, counts(name, data, way.space, moved), strict=True):
        shape[axis] = number
    blocks = [data.shape[0], *(-(-shape[axis] // way.tile) for axis in way.space)]
    a, b, _ = matrices(name, way.tile, 3)
    tiled = _tiled(name, data, moved, blocks, way)
    transformed = _along(f"{name}_data", tiled, range(count), constant("B", b, dtype), True)
    if not pre_computed:
        weight = _weights(f"{name}_weight", weight, way.tile, way.order, count, dtype)
    product = _products(name, transformed, weight, way, dtype)
    results = _along(f"{name}_results", product, range(count), constant("A", a, dtype), True)

    def result(*at: Any) -> Any:
        tile = ravelled([at[0], *(at[axis] // way.tile for axis in way.space)], blocks)
        inner = [at[axis] % way.tile for axis in way.space]
        return results(*inner, *way.sides(at[channel], tile))

    return computed(name, shape, result, f"conv{count}d_winograd")


def _tiled(
    name: str, data: te.Tensor, moved: Sequence[Window], blocks: Sequence[Any], way: _Way
) -> te.Tensor:
    """The tiles of the padded data: by the place in a tile, the channel and the tile."""
    before, after = [0] * data.ndim, [0] * data.ndim
    for axis, one, number in zip(way.space, moved, blocks[1:], strict=True):
        before[axis] = one.before
        after[axis] = number * way.tile + 2 - data.shape[axis] - one.before
    padded = pad(data, before, after, name=f"{name.rpartition('.')[2]}_padded")

    def element(*at: Any) -> Any:
        c, tile = way.sides(*at[-2:])
        image, *numbers = unravelled(tile, blocks)
        places = [image, *[c] * (data.ndim - 1)]
        for axis, number, inner in zip(way.space, numbers, at[:-2], strict=True):
            places[axis] = number * way.tile + inner
        return padded(*places)

    sides = way.sides(data.shape[way.channel], total(blocks))
    shape = [*[way.tile + 2] * len(way.space), *sides]
    return computed(f"{name}_tiles", shape, element, INJECTIVE)


def _products(name: str, data: te.Tensor, weight: te.Tensor, way: _Way, dtype: Any) -> te.Tensor:
    """A product of matrices for each place in a tile: over the channels of the data."""
    channels, tiles = way.sides(*data.shape[-2:])
    c = te.reduce_axis((0, channels), "c")

    def value(*at: Any) -> Any:
        o, tile = way.sides(*at[-2:])
        pair = (c, o) if way.outputs_last else (o, c)
        factor = weight(*at[:-2], *pair)
        return te.sum(data(*at[:-2], *way.sides(c, tile)) * factor.astype(dtype), axis=c)

    outputs = weight.shape[-1 if way.outputs_last else -2]
    shape = [*data.shape[:-2], *way.sides(outputs, tiles)]
    return computed(f"{name}_products", shape, value)


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
    name: str, data: te.Tensor, weight: te.Tensor, way: _Way, places: Sequence[int], taps: int
) -> None:
    of_taps = list(places[:-2])
    if any(weight.shape[axis] != taps for axis in of_taps):
        problem = f"is {shown(weight)}, but must have {taps} elements on axes {of_taps}"
        raise wrong(name, way.called, problem)
    for axis in way.space:
        an_integer(name, f"data, {shown(data)}, on axis {axis},", data.shape[axis])
