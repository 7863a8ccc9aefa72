"""Winograd convolutions: products of transformed tiles, with fewer multiplications.

A tile of m results along an axis needs m + r - 1 elements for r taps, and as many products: of
`B^T d` and `G w`, from which `A^T` makes the results. The matrices evaluate and interpolate
polynomials at points (Toom-Cook). Rounding grows with the tile. Source: Lavin and Gray, Fast
Algorithms for Convolutional Neural Networks, 2015; the points are those that Barabasz et al.,
Error Analysis and Improving the Accuracy of Winograd Convolution, 2018, found to round least.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_integer, integers, shown, wrong
from teloom.topi.dtypes import common, is_float, of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same
from teloom.topi.nn.padding import pad
from teloom.topi.nn.windows import counts, windows
from teloom.topi.tag import INJECTIVE

Rows = list[list[Fraction]]

TILE = 4
"""How many results of `conv2d_winograd_nchw` and `conv2d_winograd_nhwc` are a tile, on an axis."""

_POINTS = {
    3: "0 -1 1",
    4: "0 -1 1 1/2",
    5: "0 -1 1 1/2 -2",
    6: "0 -1 1 1/2 -2 -1/2",
    7: "0 -1 1 1/2 -1/2 2 -2",
    8: "0 -1 1 1/2 -1/2 2 -2 -1/4",
    9: "0 -1 1 1/2 -1/2 2 -2 -1/4 4",
    10: "0 -1 1 1/2 -1/2 2 -2 -1/4 3/4 -4/3",
    11: "0 -1 1 1/2 -1/2 2 -2 -1/4 4 3/4 -4/3",
    12: "0 -1 1 1/2 -1/2 2 -2 -1/4 4 3/4 -4/3 1/4",
    13: "0 -1 1 1/2 -1/2 2 -2 -1/4 4 1/4 -3/4 4/3 -4",
}
"""The finite points for as many results and taps, less 2, along an axis; infinity is the last."""


def _matrices(name: str, tile: int, taps: Any) -> tuple[Rows, Rows, Rows]:
    """A, B and G, exactly: `A^T ((G w) * (B^T d))` are the results of a tile.

    >>> for row in _matrices("", 2, 3)[2]: print(*row)
    1 0 0
    1/2 -1/2 1/2
    1/2 1/2 1/2
    0 0 1
    """
    if not 2 <= tile <= 8:
        raise wrong(name, "tile_size", f"is {tile}, outside of 2..8")
    if not (isinstance(taps, int) and 3 <= taps <= 7):
        raise wrong(name, "kernel", f"has {taps} taps along an axis, outside of 3..7")
    points = [Fraction(one) for one in _POINTS[tile + taps - 2].split()]
    others = [[q for q in points if q != p] for p in points]
    scales = [
        math.prod((p - q for q in rest), start=Fraction(1))
        for p, rest in zip(points, others, strict=True)
    ]
    # Both signs of the first product may change; that of its weight is positive.
    sign = -1 if scales[0] < 0 else 1
    scales[0] *= sign
    a = [[p**k for k in range(tile)] for p in points] + [_unit(tile)]
    g = [[p**k / s for k in range(taps)] for p, s in zip(points, scales, strict=True)] + [
        _unit(taps)
    ]
    columns = [[*_product(rest), Fraction(0)] for rest in others] + [_product(points)]
    columns[0] = [one * sign for one in columns[0]]
    return a, [list(row) for row in zip(*columns, strict=True)], g


def _unit(length: int) -> list[Fraction]:
    return [Fraction(k == length - 1) for k in range(length)]


def _product(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial with these roots, from the lowest on."""
    found = [Fraction(1)]
    for root in roots:
        found = [
            x - root * y for x, y in zip([Fraction(0), *found], [*found, Fraction(0)], strict=True)
        ]
    return found


def winograd_transform_matrices(
    tile_size: int, kernel_size: int, out_dtype: Any
) -> tuple[te.Tensor, te.Tensor, te.Tensor]:
    """The matrices A, B and G, for `tile_size` results (2 to 8) and `kernel_size` taps (3 to 7).

    They are of the shapes (n, tile_size), (n, n) and (n, kernel_size), where n is the sum of the
    two sizes, less 1.

    >>> [one.shape for one in winograd_transform_matrices(4, 3, "float32")]
    [(6, 4), (6, 6), (6, 3)]
    """
    name = "nn.winograd_transform_matrices"
    sizes = an_integer(name, "tile_size", tile_size), an_integer(name, "kernel_size", kernel_size)
    a, b, g = _matrices(name, *sizes)
    return _constant("A", a, out_dtype), _constant("B", b, out_dtype), _constant("G", g, out_dtype)


def _constant(name: str, rows: Rows, dtype: Any) -> te.Tensor:
    flat = [te.const(float(one), dtype) for row in rows for one in row]

    def value(i: Any, j: Any) -> Any:
        found = flat[-1]
        for k, one in reversed([*enumerate(flat[:-1])]):
            found = te.select(i * len(rows[0]) + j == k, one, found)
        return found

    return computed(f"nn.winograd_{name}", (len(rows), len(rows[0])), value, "const_matrix")


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
    _, _, g = _matrices(name, tile, taps[0])
    places = [order.index(axis) for axis in range(kernel.ndim)]
    first = computed(
        f"{name}_taps",
        [kernel.shape[axis] for axis in order],
        lambda *at: kernel(*(at[place] for place in places)),
        INJECTIVE,
    )
    return _along(name, first, range(count), _constant("G", g, dtype), False)


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
    return _winograd("nn.conv2d_winograd_nchw", data, weight, how, [2, 3], [2, 3, 1, 0])


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
    return _winograd("nn.conv2d_winograd_nhwc", data, weight, how, [1, 2], [0, 1, 3, 2])


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


def _winograd(
    name: str,
    data: te.Tensor,
    weight: te.Tensor,
    how: Sequence[Any],
    space: Sequence[int],
    order: Sequence[int],
) -> te.Tensor:
    """`space` are H and W of the data, `order` the axes of weights in the order of products.

    These have taps, then channels: those of the result last, if the channels of the data stand
    before its space, else first. So have the products, with tiles in the place of the others.
    """
    strides, padding, dilation, out_dtype, pre_computed = how
    channel = ({1, 2, 3} - {*space}).pop()
    first = channel < space[0]
    dtype = common([data.dtype, weight.dtype]) if out_dtype is None else out_dtype
    places = list(range(4)) if pre_computed else list(order)
    _check(name, data, weight, dtype, {"strides": strides, "dilation": dilation})
    _check_taps(name, data, weight, space, places, TILE + 2 if pre_computed else 3)
    inputs, outputs = places[2:] if first else places[:1:-1]
    expect_same(name, {"data": data, "weight": weight}, {"data": channel, "weight": inputs})

    a, b, _ = _matrices(name, TILE, 3)
    moved = windows(name, [3, 3], 1, padding, 1)
    shape = [*data.shape]
    shape[channel] = weight.shape[outputs]
    shape[space[0]], shape[space[1]] = counts(name, data, space, moved)
    rows, columns = (-(-shape[axis] // TILE) for axis in space)
    before, after = [0] * 4, [0] * 4
    for axis, one, tiles in zip(space, moved, (rows, columns), strict=True):
        before[axis], after[axis] = one.before, tiles * TILE + 2 - data.shape[axis] - one.before
    padded = pad(data, before, after, name=f"{name.rpartition('.')[2]}_padded")

    def element(e: Any, f: Any, *rest: Any) -> Any:
        c, tile = rest if first else rest[::-1]
        at = {0: tile // (rows * columns), channel: c}
        at[space[0]] = tile // columns % rows * TILE + e
        at[space[1]] = tile % columns * TILE + f
        return padded(*(at[axis] for axis in range(4)))

    sides = [data.shape[channel], data.shape[0] * (rows * columns)]
    tiled = computed(
        f"{name}_tiles", [TILE + 2] * 2 + sides[:: 1 if first else -1], element, INJECTIVE
    )
    transformed = _along(f"{name}_data", tiled, [0, 1], _constant("B", b, dtype), True)
    if not pre_computed:
        weight = _weights(f"{name}_weight", weight, TILE, order, 2, dtype)
    product = _products(name, transformed, weight, first, dtype)
    results = _along(f"{name}_results", product, [0, 1], _constant("A", a, dtype), True)

    def result(*at: Any) -> Any:
        y, x = (at[axis] for axis in space)
        tile = (at[0] * rows + y // TILE) * columns + x // TILE
        rest = (at[channel], tile) if first else (tile, at[channel])
        return results(y % TILE, x % TILE, *rest)

    return computed(name, shape, result, "conv2d_winograd")


def _products(name: str, data: te.Tensor, weight: te.Tensor, first: bool, dtype: Any) -> te.Tensor:
    """A product of matrices for each place in a tile: over the channels of the data."""
    c = te.reduce_axis((0, data.shape[2 if first else 3]), "c")

    def value(e: Any, f: Any, i: Any, j: Any) -> Any:
        here = data(e, f, c, j) if first else data(e, f, i, c)
        factor = weight(e, f, c, i) if first else weight(e, f, j, c)
        return te.sum(here * factor.astype(dtype), axis=c)

    outputs = weight.shape[3 if first else 2]
    rest = [outputs, data.shape[3]] if first else [data.shape[2], outputs]
    return computed(f"{name}_products", [*data.shape[:2], *rest], value)


def _check(
    name: str, data: te.Tensor, weight: te.Tensor, dtype: Any, given: Mapping[str, Any]
) -> None:
    a_tensor(name, "data", data, 4)
    a_tensor(name, "weight", weight, 4)
    for argument, value in given.items():
        if integers(name, argument, value, 2) != [1, 1]:
            raise wrong(name, argument, f"is {value}, but must be 1")
    if not is_float(dtype):
        raise wrong(name, "out_dtype", f"is {dtype}, but the transformed numbers are fractions")


def _check_taps(
    name: str,
    data: te.Tensor,
    weight: te.Tensor,
    space: Sequence[int],
    places: Sequence[int],
    taps: int,
) -> None:
    if [weight.shape[axis] for axis in places[:2]] != [taps, taps]:
        problem = f"is {shown(weight)}, but must have {taps} elements on axes {places[:2]}"
        raise wrong(name, "weight", problem)
    for axis in space:
        an_integer(name, f"data, {shown(data)}, on axis {axis},", data.shape[axis])
