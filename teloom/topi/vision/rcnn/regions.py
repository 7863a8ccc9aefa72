"""Regions of images, as in networks that look at each region of interest (R-CNN).

A region is a row (image, x1, y1, x2, y2), in the pixels of the image that the network was given;
`spatial_scale` times these are positions of `data`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, an_integer, integers, shown, wrong
from teloom.topi.dtypes import of_kind, precise
from teloom.topi.elementwise import computed
from teloom.topi.extents import same, with_extents

AVERAGE, GREATEST = ("avg", b"avg", 0), ("max", b"max", 1)

MOST_SAMPLES = 2**20
"""How many points a part of a region has at most along one side."""


def _regions(name: str, data: object, rois: object) -> tuple[te.Tensor, te.Tensor]:
    tensor = of_kind(name, "data", a_tensor(name, "data", data, 4), "float")
    rows = of_kind(name, "rois", a_tensor(name, "rois", rois, 2), "float")
    if not same(rows.shape[1], 5):
        raise wrong(name, "rois", f"is {shown(rows)}, whose rows are no (image, x1, y1, x2, y2)")
    return tensor, rows


def _image(rois: te.Tensor, r: Any, data: te.Tensor) -> Any:
    return te.bounded(rois(r, 0).astype("int32"), 0, data.shape[0])


def _between(
    read: Callable[[Any, Any], Any], place: Sequence[Any], extents: Sequence[Any], dtype: str
) -> Any:
    """The element at (y, x) between four; 0 from one position outside of the image on."""
    outside = te.const(False, "bool")
    corners, parts = [], []
    for x, extent in zip(place, extents, strict=True):
        size = te.multiply(extent, 1).astype(dtype)
        outside = outside | ~((x >= -1) & (x <= size))
        inner = te.min(te.max(te.const(0, dtype), x), size - 1)
        first = inner.astype("int32")
        ends = (te.bounded(one, 0, extent) for one in (first, te.min(first + 1, extent - 1)))
        corners.append([*ends])
        parts.append(inner - te.floor(inner))
    (y, x), one = parts, te.const(1, dtype)
    (top, bottom), (left, right) = corners
    found = (
        read(top, left) * (one - y) * (one - x)
        + read(top, right) * (one - y) * x
        + read(bottom, left) * y * (one - x)
        + read(bottom, right) * y * x
    )
    return te.if_then_else(outside, te.const(0, dtype), found)


def roi_align_nchw(
    data: te.Tensor,
    rois: te.Tensor,
    pooled_size: Any,
    spatial_scale: float,
    mode: Any,
    sample_ratio: int = -1,
) -> te.Tensor:
    """Each region of `data` in `pooled_size` parts: the mean or the greatest of points in each.

    `data` is (batch, channels, height, width), and the result (regions, channels, *pooled_size). A
    part has `sample_ratio` points along each side, at even distances, or, with -1, as many as it
    has positions, rounded up; each is between four elements. `mode` is "avg" or 0, or "max" or 1. A
    side is at least 1. Source: He et al., "Mask R-CNN", 2017. As ONNX's RoiAlign with
    output_half_pixel, but "max" is of points, not of what each of their four elements adds.

    >>> A, r = te.placeholder((1, 3, 8, 8), name="A"), te.placeholder((5, 5), name="rois")
    >>> roi_align_nchw(A, r, (2, 2), 1.0, "avg", 2)
    Tensor(shape=[5, 3, 2, 2], dtype=float32, name=roi_align_nchw)
    """
    how = pooled_size, spatial_scale, mode, sample_ratio
    return _roi_align("vision.roi_align_nchw", data, rois, how, "NCHW")


def roi_align_nhwc(
    data: te.Tensor,
    rois: te.Tensor,
    pooled_size: Any,
    spatial_scale: float,
    mode: Any,
    sample_ratio: int = -1,
) -> te.Tensor:
    """The same as `roi_align_nchw`, with the channels last, also in the result.

    >>> A, r = te.placeholder((1, 8, 8, 3), name="A"), te.placeholder((5, 5), name="rois")
    >>> roi_align_nhwc(A, r, 2, 0.5, "max")
    Tensor(shape=[5, 2, 2, 3], dtype=float32, name=roi_align_nhwc)
    """
    how = pooled_size, spatial_scale, mode, sample_ratio
    return _roi_align("vision.roi_align_nhwc", data, rois, how, "NHWC")


def _roi_align(
    name: str, data: te.Tensor, rois: te.Tensor, how: tuple[Any, Any, Any, Any], layout: str
) -> te.Tensor:
    pooled_size, spatial_scale, mode, sample_ratio = how
    _regions(name, data, rois)
    sizes = integers(name, "pooled_size", pooled_size, 2, 1)
    if mode not in (*AVERAGE, *GREATEST):
        raise wrong(name, "mode", f"is {mode!r}; known are 'avg' (0) and 'max' (1)")
    samples = an_integer(name, "sample_ratio", sample_ratio)
    dtype, axes = precise(rois.dtype), [layout.index(letter) for letter in "HW"]
    scale = a_number(name, "spatial_scale", spatial_scale, dtype)
    extents = [data.shape[axis] for axis in axes]

    def side(r: Any, k: int) -> tuple[Any, Any]:
        """Where the k-th of y and x begins, and the length of a part of it."""
        begin, end = (rois(r, column).astype(dtype) * scale for column in (2 - k, 4 - k))
        return begin, te.max(end - begin, te.const(1, dtype)) / sizes[k]

    def wanted(r: Any, k: Any) -> Any:
        length = te.select(k == 0, side(r, 0)[1], side(r, 1)[1])
        return te.min(te.ceil(length), float(MOST_SAMPLES)).astype("int32")

    numbers = computed(name, [rois.shape[0], 2], wanted, name="samples") if samples <= 0 else None

    def count(r: Any, k: int) -> Any:
        return samples if numbers is None else te.bounded(numbers(r, k), 1, MOST_SAMPLES + 1)

    def point(at: Sequence[Any], taps: Sequence[Any]) -> Any:
        place = []
        for k, axis in enumerate(axes):
            begin, length = side(at[0], k)
            number = te.multiply(count(at[0], k), 1).astype(dtype)
            step = (te.multiply(taps[k], 1).astype(dtype) + 0.5) * length / number
            place.append(begin + at[axis].astype(dtype) * length + step)

        def read(y: Any, x: Any) -> Any:
            here = {0: _image(rois, at[0], data), axes[0]: y, axes[1]: x}
            return data(*(here.get(axis, one) for axis, one in enumerate(at))).astype(dtype)

        return _between(read, place, extents, dtype)

    def fold(*at: Any) -> Any:
        taps = [te.reduce_axis((0, count(at[0], k)), f"k{k}") for k in range(2)]
        return (te.sum if mode in AVERAGE else te.max)(point(at, taps), axis=taps)

    shape = with_extents(data.shape, [0, *axes], [rois.shape[0], *sizes])
    if mode in GREATEST:
        found = computed(name, shape, fold, "pool,roi_align")
        return found if dtype == data.dtype else _cast(name, found, data.dtype)
    total = computed(f"{name}_sum", shape, fold, "pool,roi_align")

    def mean(*at: Any) -> Any:
        points = te.multiply(count(at[0], 0), count(at[0], 1))
        return (total(*at) / points.astype(dtype)).astype(data.dtype)

    return computed(name, shape, mean)


def _cast(name: str, tensor: te.Tensor, dtype: str) -> te.Tensor:
    return computed(name, tensor.shape, lambda *at: tensor(*at).astype(dtype))


def roi_pool_nchw(
    data: te.Tensor, rois: te.Tensor, pooled_size: Any, spatial_scale: float
) -> te.Tensor:
    """Each region of `data` in `pooled_size` parts: the greatest element of each, 0 of none.

    `data` is (batch, channels, height, width), and the result (regions, channels, *pooled_size).
    Corners are rounded to the nearest element, halves away from 0, which is the last one of the
    region; part k of n begins at `k * side / n`, rounded down, and ends before `(k + 1) * side /
    n`, rounded up. As ONNX's MaxRoiPool. Source: Girshick, "Fast R-CNN", 2015.

    >>> A, r = te.placeholder((1, 3, 8, 8), name="A"), te.placeholder((5, 5), name="rois")
    >>> roi_pool_nchw(A, r, 2, 1.0)
    Tensor(shape=[5, 3, 2, 2], dtype=float32, name=roi_pool_nchw)
    """
    name = "vision.roi_pool_nchw"
    _regions(name, data, rois)
    sizes = integers(name, "pooled_size", pooled_size, 2, 1)
    dtype = precise(rois.dtype)
    scale = a_number(name, "spatial_scale", spatial_scale, dtype)
    extents = data.shape[2:]

    def corner(r: Any, side: Any) -> Any:
        """x1, y1, x2 and y2 as positions; far outside is as far as it can matter."""
        place = te.round(rois(r, side + 1).astype(dtype) * scale)
        return te.max(te.min(place, 2.0**24), -(2.0**24)).astype("int32")

    corners = computed(name, [rois.shape[0], 4], corner, name="corners")

    def ends(at: Sequence[Any], k: int) -> tuple[Any, Any]:
        """Where the part of a region on y or x begins, and before which element it ends."""
        begin, end = corners(at[0], 1 - k), corners(at[0], 3 - k)
        length = te.max(end - begin + 1, 1)
        number, size, extent = at[2 + k], sizes[k], extents[k]
        first = begin + number * length // size
        last = begin + ((number + 1) * length + (size - 1)) // size
        inner = [te.max(te.min(one, extent), 0) for one in (first, last)]
        return te.bounded(inner[0], 0, extent + 1), te.bounded(inner[1], 0, extent + 1)

    def greatest(*at: Any) -> Any:
        taps = [te.reduce_axis(ends(at, k), f"k{k}") for k in range(2)]
        return te.max(data(_image(rois, at[0], data), at[1], *taps), axis=taps)

    shape = [rois.shape[0], data.shape[1], *sizes]
    found = computed(f"{name}_max", shape, greatest, "pool,roi_pool")

    def or_zero(*at: Any) -> Any:
        some = te.const(True, "bool")
        for k in range(2):
            first, last = ends(at, k)
            some = some & (first < last)
        return te.select(some, found(*at), te.const(0, data.dtype))

    return computed(name, shape, or_zero)
