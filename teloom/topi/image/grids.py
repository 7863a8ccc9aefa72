"""Images sampled at the points of a grid, whose coordinates are data.

A coordinate is from -1 to 1: with `align_corners` these are the middles of the first and the last
element of an axis, else their outer sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, integers, one_of, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import computed
from teloom.topi.extents import same, with_extents
from teloom.topi.image.coordinates import RoundedPosition, SourcePosition, near
from teloom.topi.image.taps import (
    Tap,
    clamped,
    cubic,
    interpolated,
    linear,
    rounded_to,
    weights_dtype,
)
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.layouts import lettered_axes

ALPHA = -0.75
"""Of cubic convolution, as in PyTorch and in ONNX's GridSample."""


def affine_grid(data: te.Tensor, target_shape: Any, align_corners: bool = True) -> te.Tensor:
    """A grid of `target_shape` points, moved by the affine maps `data`, for `grid_sample`.

    `data` has the shape (batch, 2, 3), and the shape of the target two extents; or (batch, 3, 4)
    and three. The result has the shape (batch, 2, height, width), with x first on axis 1; or
    (batch, 3, depth, height, width). As ONNX's AffineGrid, but for the place of that axis.

    >>> affine_grid(te.placeholder((1, 2, 3), name="theta"), (4, 5))
    Tensor(shape=[1, 2, 4, 5], dtype=float32, name=affine_grid)
    """
    name = "image.affine_grid"
    of_kind(name, "data", a_tensor(name, "data", data, 3), "float")
    rank = data.shape[1]
    if rank not in (2, 3) or not te.same_extents(data.shape[1:], [rank, rank + 1]):
        raise wrong(name, "data", f"is {shown(data)}, but must be (batch, 2, 3) or (batch, 3, 4)")
    is_aligned = a_flag(name, "align_corners", align_corners)
    sizes = integers(name, "target_shape", target_shape, rank, 2 if is_aligned else 0)

    dtype = precise(data.dtype)

    def point(index: Any, size: int) -> Any:
        if is_aligned:
            return index.astype(dtype) * (2 / (size - 1)) - 1
        return (index * 2 + 1).astype(dtype) * (1 / size) - 1

    def value(n: Any, row: Any, *at: Any) -> Any:
        found = data(n, row, rank).astype(dtype)
        for column, (index, size) in enumerate(zip(at[::-1], sizes[::-1], strict=True)):
            found = found + data(n, row, column).astype(dtype) * point(index, size)
        return found.astype(data.dtype)

    return computed(name, [data.shape[0], rank, *sizes], value, INJECTIVE)


def _reflected(x: Any, extent: Any, aligned: bool) -> Any:
    """A coordinate mirrored at the ends of an axis, as often as it is needed."""
    size = te.multiply(extent, 1).astype(x.dtype)
    begin, length = (0, size - 1) if aligned else (-0.5, size)
    turn = te.fmod(te.abs(x - begin), length * 2)
    return length - te.abs(turn - length) + begin


def _mirrored(place: Any, extent: Any, aligned: bool) -> Any:
    """A position mirrored at the ends of an axis, as often as it is needed."""
    if aligned:
        period = te.max(extent * 2 - 2, 1)
        turn = te.abs(place) % period
        return te.min(turn, period - turn)
    turn = te.max(place, -1 - place) % (extent * 2)
    return te.min(turn, extent * 2 - 1 - turn)


def _always(place: Any, extent: Any) -> Any:
    return None


def _inside(place: Any, extent: Any) -> Any:
    return (place >= 0) & (place < extent)


class _Padding(NamedTuple):
    """A padding mode: the position that replaces one outside, and whether there is one."""

    coordinate: Callable[[Any, Any, bool], Any]
    position: Callable[[Any, Any, bool], Any]
    is_there: Callable[[Any, Any], Any]


PADDINGS = {
    "zeros": _Padding(lambda x, extent, _: x, lambda k, extent, _: k, _inside),
    "border": _Padding(lambda x, extent, _: x, lambda k, extent, _: k, _always),
    "reflection": _Padding(_reflected, _mirrored, _always),
}


def _nearest(x: SourcePosition, dtype: str) -> list[Tap]:
    assert isinstance(x, RoundedPosition)
    return [(te.nearbyint(x.value).astype("int32"), None)]


METHODS: dict[str, Callable[[RoundedPosition, str], list[Tap]]] = {
    "nearest": _nearest,
    "bilinear": linear,
    "bicubic": lambda x, dtype: cubic(x, ALPHA, dtype),
}


def grid_sample(
    data: te.Tensor,
    grid: te.Tensor,
    method: str = "bilinear",
    layout: str = "NCHW",
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> te.Tensor:
    """`data` at the points of `grid`, between its elements.

    `grid` has the shape (batch, 2, height, width), with the coordinates x and y on axis 1; of data
    with D, H and W, such as of the layout NCDHW, (batch, 3, depth, height, width), with x, y and
    z. `method` is "nearest", halves to the even position, "bilinear" (of three axes, too) or
    "bicubic". Outside of the data are zeros, the elements at the "border", or, with "reflection",
    its mirror images. As ONNX's GridSample, but for the place of the axis of coordinates; of a
    "bicubic" point outside of the border, each of the four elements is one inside, as in PyTorch.

    >>> A, g = te.placeholder((1, 3, 8, 8), name="A"), te.placeholder((1, 2, 4, 5), name="grid")
    >>> grid_sample(A, g)
    Tensor(shape=[1, 3, 4, 5], dtype=float32, name=grid_sample)
    """
    name = "image.grid_sample"
    letters = "HW" if a_tensor(name, "data", data).ndim == 4 else "DHW"
    axes = lettered_axes(name, layout, data, letters)
    (n,) = lettered_axes(name, layout, data, "N")
    rank = len(axes)
    of_kind(name, "grid", a_tensor(name, "grid", grid, 2 + rank), "float")
    if not same(grid.shape[0], data.shape[n]) or not same(grid.shape[1], rank):
        problem = f"is {shown(grid)}, but must begin with ({data.shape[n]}, {rank})"
        raise wrong(name, "grid", f"{problem}, as data is {shown(data)}")
    taps_of = METHODS[one_of(name, "method", method, tuple(METHODS))]
    is_aligned = a_flag(name, "align_corners", align_corners)
    padding = PADDINGS[one_of(name, "padding_mode", padding_mode, tuple(PADDINGS))]
    dtype = weights_dtype(data.dtype)
    shape = with_extents(data.shape, axes, grid.shape[2:])

    def taps(at: Sequence[Any], k: int) -> list[Tap]:
        """Those on the k-th of the axes, which are in the reverse order of the coordinates."""
        extent = data.shape[axes[k]]
        place = grid(at[n], rank - 1 - k, *(at[axis] for axis in axes)).astype(precise(grid.dtype))
        size = te.multiply(extent, 1).astype(place.dtype)
        x = (place + 1) * (size - 1) / 2 if is_aligned else ((place + 1) * size - 1) / 2
        return taps_of(
            RoundedPosition(near(padding.coordinate(x, extent, is_aligned), extent)), dtype
        )

    def value(*at: Any) -> Any:
        def read(places: list[Any]) -> Any:
            return _padded(data, at, dict(zip(axes, places, strict=True)), padding, is_aligned)

        found = interpolated(read, [taps(at, k) for k in range(rank)], dtype)
        return rounded_to(found, data.dtype)

    return computed(name, shape, value, INJECTIVE)


def _padded(
    data: te.Tensor, at: Sequence[Any], places: dict[int, Any], padding: _Padding, aligned: bool
) -> Any:
    """The element at other places on some axes, which may be outside."""
    moved, conditions = {}, []
    for axis, place in places.items():
        inner = padding.position(place, data.shape[axis], aligned)
        conditions.append(padding.is_there(inner, data.shape[axis]))
        moved[axis] = clamped(inner, data.shape[axis])
    here = data(*(moved.get(axis, one) for axis, one in enumerate(at)))
    there = [one for one in conditions if one is not None]
    return te.if_then_else(te.all(*there), here, te.const(0, data.dtype)) if there else here
