"""Data with more elements along its spatial axes, by interpolation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_flag, a_tensor, one_of, shown, wrong
from teloom.topi.extents import as_extents
from teloom.topi.image.resize import resize2d, resize3d
from teloom.topi.transform.layouts import lettered_axes


def upsampling(
    data: te.Tensor,
    scale_h: float,
    scale_w: float,
    layout: str = "NCHW",
    method: str = "nearest_neighbor",
    align_corners: bool = False,
    output_shape: Any = None,
) -> te.Tensor:
    """`data` with its extents along H and W times `scale_h` and `scale_w`, rounded.

    `method` is "nearest_neighbor", "bilinear" or "bicubic". The first elements of data and result
    are at one place, and with `align_corners` the last ones, too. With `output_shape`, the result
    has the extents of that. It is `image.resize2d` of these extents.

    >>> upsampling(te.placeholder((1, 3, 8, te.var("n")), name="A"), 1.5, 2, method="bilinear")
    Tensor(shape=[1, 3, 12, (n * 2)], dtype=float32, name=resize2d)
    """
    name = "nn.upsampling"
    one_of(name, "method", method, ("nearest_neighbor", "bilinear", "bicubic"))
    scales = {"H": ("scale_h", scale_h), "W": ("scale_w", scale_w)}
    sizes = _sizes(name, data, layout, scales, output_shape)
    mode = "align_corners" if a_flag(name, "align_corners", align_corners) else "asymmetric"
    return resize2d(data, None, sizes, layout, method.removeprefix("bi"), mode)


def upsampling3d(
    data: te.Tensor,
    scale_d: float,
    scale_h: float,
    scale_w: float,
    layout: str = "NCDHW",
    method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "half_pixel",
    output_shape: Any = None,
) -> te.Tensor:
    """`data` with its extents along D, H and W times scales; see `upsampling`.

    `method` is "nearest_neighbor" or "trilinear". It is `image.resize3d` of these extents.

    >>> upsampling3d(te.placeholder((1, 3, 4, 4, 4), name="A"), 2, 2, 2, method="trilinear")
    Tensor(shape=[1, 3, 8, 8, 8], dtype=float32, name=resize3d)
    """
    name = "nn.upsampling3d"
    one_of(name, "method", method, ("nearest_neighbor", "trilinear"))
    scales = {"D": ("scale_d", scale_d), "H": ("scale_h", scale_h), "W": ("scale_w", scale_w)}
    sizes = _sizes(name, data, layout, scales, output_shape)
    way = method.removeprefix("tri")
    return resize3d(data, None, sizes, layout, way, coordinate_transformation_mode)


def _sizes(
    name: str,
    data: te.Tensor,
    layout: str,
    scales: dict[str, tuple[str, Any]],
    output_shape: Any,
) -> Sequence[Any]:
    """The extents of the result along the axes of some letters."""
    axes = lettered_axes(name, layout, a_tensor(name, "data", data), "".join(scales))
    if output_shape is None:
        return [
            _scaled(name, data, axis, argument, scale)
            for axis, (argument, scale) in zip(axes, scales.values(), strict=True)
        ]
    shape = as_extents(name, "output_shape", output_shape)
    if len(shape) != data.ndim:
        raise wrong(name, "output_shape", f"is {shape}, for the axes of {shown(data)}")
    return [shape[axis] for axis in axes]


def _scaled(name: str, data: te.Tensor, axis: int, argument: str, scale: Any) -> Any:
    """An extent times a scale, rounded, halves up."""
    extent = data.shape[axis]
    if not isinstance(scale, int | float) or not 0 < scale < math.inf:
        raise wrong(name, argument, f"is {scale!r}, but must be a number above 0")
    if isinstance(extent, int):
        return math.floor(extent * scale + 0.5)
    if scale != int(scale):
        problem = f"is {scale}, but axis {axis} of {shown(data)}, whose extent is a size, has"
        raise wrong(name, argument, f"{problem} no integer times that")
    return extent * int(scale)
