"""Images of other sizes.

An element of the result has a coordinate between the elements of the data, which
`coordinate_transformation_mode` says, as that attribute of ONNX's Resize does; `method` says what
is made of the elements around it:

- "nearest_neighbor": the one that `rounding_method` chooses: round, round_prefer_floor,
  round_prefer_ceil, floor or ceil; by default round with align_corners, else floor;
- "linear": of two along each axis, in proportion to their distances;
- "cubic": of four along each axis, by cubic convolution with `bicubic_alpha`; with
  `bicubic_exclude`, those outside of the data do not count.

What is outside of the data is as the nearest element of it, but with the mode tf_crop_and_resize
`extrapolation_value`; with that mode, `roi` are the begins and then the ends of the part that is
resized, along each axis from 0 to 1. The coordinates of the other modes are quotients of integers:
no position depends on rounding. A sum is computed in float32, or in float64 if the data or the
result are of a wider dtype, and is cast to `out_dtype`, or to the dtype of the data. The weight of
an element is a product, of one weight for each axis, so axes are resized one after the other: of
elements around a point of n axes a cubic sum would have 4^n, and these have 4 n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_flag, a_list, a_number, a_tensor, a_text, one_of, shown, wrong
from teloom.topi.dtypes import of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents, divisor, same, with_extents
from teloom.topi.image.coordinates import (
    CROP,
    MODES,
    QUOTIENTS,
    ROUNDINGS,
    ExactPosition,
    RoundedPosition,
    SourcePosition,
    cropped,
    near,
)
from teloom.topi.image.taps import (
    Tap,
    clamped,
    cubic,
    interpolated,
    linear,
    only_inside,
    rounded_to,
    weights_dtype,
)
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.layouts import lettered_axes
from teloom.topi.transform.positions import from_front, positions

METHODS = ("nearest_neighbor", "linear", "cubic")


class _How(NamedTuple):
    """An interpolation: how the elements around a coordinate are combined."""

    method: str
    rounding: str
    alpha: float
    exclude: bool

    @property
    def is_sum(self) -> bool:
        """Whether an element is a weighted sum: then each axis has sums of its own."""
        return self.method != "nearest_neighbor"

    def taps(self, x: SourcePosition, extent: Any, dtype: str) -> list[Tap]:
        if self.method == "nearest_neighbor":
            found: list[Tap] = [(ROUNDINGS[self.rounding](x), None)]
        elif self.method == "linear":
            found = linear(x, dtype)
        else:
            found = cubic(x, self.alpha, dtype)
            found = only_inside(found, extent) if self.exclude else found
        return [(clamped(place, extent), weight) for place, weight in found]


def _how(name: str, method: str, rounding: str, mode: str, alpha: Any, exclude: Any) -> _How:
    way = one_of(name, "method", a_text(name, "method", method).lower(), METHODS)
    default = "round" if mode == "align_corners" else "floor"
    rounding = one_of(name, "rounding_method", rounding or default, tuple(ROUNDINGS))
    if not isinstance(alpha, int | float):
        raise wrong(name, "bicubic_alpha", f"is {alpha!r}, not a number")
    return _How(way, rounding, float(alpha), a_flag(name, "bicubic_exclude", exclude))


def _sizes(name: str, data: te.Tensor, axes: Sequence[int], argument: str, size: Any) -> list[Any]:
    found = as_extents(name, argument, size)
    if len(found) != len(axes):
        raise wrong(name, argument, f"is {found}, but there are {len(axes)} axes to resize")
    for axis, wanted in zip(axes, found, strict=True):
        if same(data.shape[axis], 0) and not same(wanted, 0):
            raise wrong(name, "data", f"is {shown(data)}, which has no elements on axis {axis}")
    return found


def _part(name: str, roi: Any, count: int, dtype: str) -> list[tuple[Any, Any]]:
    """Begin and end of the part of each axis."""
    if isinstance(roi, te.Tensor):
        of_kind(name, "roi", a_tensor(name, "roi", roi, 1), "float")
        listed = [roi(k).astype(dtype) for k in range(2 * count)]
    else:
        listed = [a_number(name, "roi", one, dtype) for one in a_list(name, "roi", roi)]
    if len(listed) != 2 * count or (
        isinstance(roi, te.Tensor) and not same(roi.shape[0], 2 * count)
    ):
        raise wrong(name, "roi", f"is {roi}, but must be {count} begins and then {count} ends")
    return list(zip(listed[:count], listed[count:], strict=True))


def _any(conditions: Sequence[Any]) -> Any:
    found = conditions[0]
    for one in conditions[1:]:
        found = found | one
    return found


class _Source(NamedTuple):
    """Where an element comes from: taps on each axis; and what it is instead if it is outside."""

    taps: list[list[Tap]]
    outside: Any
    instead: Any


def _resized(
    name: str,
    data: te.Tensor,
    axes: Sequence[int],
    shape: Sequence[Any],
    source: Callable[[Sequence[Any]], _Source],
    batch: Callable[[Sequence[Any]], dict[int, Any]],
    dtypes: tuple[str, str],
) -> te.Tensor:
    dtype, out_dtype = dtypes

    def value(*at: Any) -> Any:
        found, elsewhere = source(at), batch(at)

        def read(places: list[Any]) -> Any:
            moved = dict(zip(axes, places, strict=True)) | elsewhere
            return data(*(moved.get(k, one) for k, one in enumerate(at)))

        result = interpolated(read, found.taps, dtype)
        if found.outside is not None:
            result = te.if_then_else(found.outside, found.instead.astype(result.dtype), result)
        return rounded_to(result, out_dtype)

    return computed(name, shape, value, INJECTIVE)


def _taps_of(
    name: str, how: _How, mode: str, extent: Any, size: Any, dtype: str
) -> Callable[[Any], list[Tap]]:
    """The taps of each element of an axis; where sizes are symbolic, from a table of all of them.

    So the divisions are not done again for each element of the other axes.
    """
    if isinstance(extent, int) and isinstance(size, int):
        sides = extent, divisor(size)
        return lambda i: how.taps(ExactPosition(*QUOTIENTS[mode](i, *sides)), extent, dtype)

    def row(i: Any) -> tuple[Any, ...]:
        wide = (te.multiply(one, 1).astype("int64") for one in (i, extent, size))
        taps = how.taps(ExactPosition(*QUOTIENTS[mode](*wide)), extent, dtype)
        weights = [weight for _, weight in taps if weight is not None]
        return *(place.astype("int32") for place, _ in taps), *weights

    made = te.compute((size,), row, f"{name.rpartition('.')[2]}_taps")
    columns = [made] if isinstance(made, te.Tensor) else list(made)
    count = 1 if how.method == "nearest_neighbor" else len(columns) // 2

    def taps(i: Any) -> list[Tap]:
        weights = [one(i) for one in columns[count:]] or [None]
        places = [te.bounded(one(i), 0, extent) for one in columns[:count]]
        return list(zip(places, weights, strict=True))

    return taps


def _resized_along(
    name: str, data: te.Tensor, axis: int, size: Any, taps: Callable[[Any], list[Tap]], dtype: str
) -> te.Tensor:
    """The data with other elements along one axis, which is not the last one."""
    shape = [size if k == axis else extent for k, extent in enumerate(data.shape)]

    def value(*at: Any) -> Any:
        return interpolated(
            lambda places: data(*at[:axis], *places, *at[axis + 1 :]), [taps(at[axis])], dtype
        )

    return computed(f"{name}_along_{axis}", shape, value, INJECTIVE)


def _dtypes(data: te.Tensor, out_dtype: Any) -> tuple[str, str]:
    """The dtype in which a sum is computed, and the dtype of the result."""
    wanted = data.dtype if out_dtype is None else str(out_dtype)
    return weights_dtype(data.dtype, wanted), wanted


def _in_parts(
    how: _How,
    parts: Sequence[tuple[Any, Any]],
    indices: Sequence[Any],
    extents: Sequence[Any],
    sizes: Sequence[Any],
    instead: Any,
    dtype: str,
) -> _Source:
    """Taps in a part of each axis; what is outside of the axis is another value."""
    taps, beyond = [], []
    for (begin, end), index, extent, size in zip(parts, indices, extents, sizes, strict=True):
        place = cropped(index, extent, size, begin, end, dtype)
        last = te.multiply(extent - 1, 1).astype(dtype)
        beyond.append(~((place >= 0) & (place <= last)))
        taps.append(how.taps(RoundedPosition(near(place, extent)), extent, dtype))
    return _Source(taps, _any(beyond), instead)


def _resize(
    name: str,
    data: te.Tensor,
    letters: str,
    layout: str,
    roi: Any,
    size: Any,
    mode: str,
    how: tuple[str, str, Any, Any],
    extrapolation_value: Any,
    out_dtype: Any,
    output_shape: Any,
) -> te.Tensor:
    axes = lettered_axes(name, layout, a_tensor(name, "data", data), letters)
    sizes = _sizes(name, data, axes, "size", size)
    one_of(name, "coordinate_transformation_mode", mode, MODES)
    method, rounding, alpha, exclude = how
    dtype, _ = dtypes = _dtypes(data, out_dtype)
    parts = _part(name, roi, len(axes), dtype) if mode == CROP else []
    instead = a_number(name, "extrapolation_value", extrapolation_value, dtype)
    shape = with_extents(data.shape, axes, sizes)
    if output_shape is not None and not te.same_extents(
        as_extents(name, "output_shape", output_shape), shape
    ):
        raise wrong(name, "output_shape", f"is {output_shape}, but the result has {tuple(shape)}")
    extents = [data.shape[axis] for axis in axes]
    way = _how(name, method, rounding, mode, alpha, exclude)
    tables = [
        _taps_of(name, way, mode, *sides, dtype)
        for sides in (zip(extents, sizes, strict=True) if mode != CROP else ())
    ]
    while len(tables) > 1 and way.is_sum:
        (axis, *axes), (wanted, *sizes), (table, *tables) = axes, sizes, tables
        data = _resized_along(name, data, axis, wanted, table, dtype)

    def source(at: Sequence[Any]) -> _Source:
        here = [at[axis] for axis in axes]
        if mode == CROP:
            return _in_parts(way, parts, here, extents, sizes, instead, dtype)
        return _Source([table(i) for table, i in zip(tables, here, strict=True)], None, None)

    return _resized(name, data, axes, shape, source, lambda at: {}, dtypes)


def resize1d(
    data: te.Tensor,
    roi: Any,
    size: Any,
    layout: str = "NCW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    bicubic_alpha: float = -0.5,
    bicubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: Any = None,
    output_shape: Any = None,
) -> te.Tensor:
    """`data` with `size` elements along W; see `resize2d`.

    >>> resize1d(te.placeholder((1, 3, 8), name="A"), None, (16,))
    Tensor(shape=[1, 3, 16], dtype=float32, name=resize1d)
    """
    how = method, rounding_method, bicubic_alpha, bicubic_exclude
    rest = extrapolation_value, out_dtype, output_shape
    mode = coordinate_transformation_mode
    return _resize("image.resize1d", data, "W", layout, roi, size, mode, how, *rest)


def resize2d(
    data: te.Tensor,
    roi: Any,
    size: Any,
    layout: str = "NCHW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    bicubic_alpha: float = -0.5,
    bicubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: Any = None,
    output_shape: Any = None,
) -> te.Tensor:
    """`data` with `size` elements along H and W, by nearest, linear or cubic interpolation.

    What the arguments mean, `teloom.topi.image.resize` says. `output_shape` is accepted as TVM's,
    and has to be the shape of the result. As ONNX's Resize of given sizes.

    >>> resize2d(te.placeholder((1, 3, 8, te.var("n")), name="A"), None, (16, 12), method="cubic")
    Tensor(shape=[1, 3, 16, 12], dtype=float32, name=resize2d)
    """
    how = method, rounding_method, bicubic_alpha, bicubic_exclude
    rest = extrapolation_value, out_dtype, output_shape
    mode = coordinate_transformation_mode
    return _resize("image.resize2d", data, "HW", layout, roi, size, mode, how, *rest)


def resize3d(
    data: te.Tensor,
    roi: Any,
    size: Any,
    layout: str = "NCDHW",
    method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "align_corners",
    rounding_method: str = "",
    bicubic_alpha: float = -0.5,
    bicubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: Any = None,
    output_shape: Any = None,
) -> te.Tensor:
    """`data` with `size` elements along D, H and W; see `resize2d`.

    >>> resize3d(te.placeholder((1, 3, 4, 4, 4), name="A"), None, (8, 8, 8), "NCDHW", "linear")
    Tensor(shape=[1, 3, 8, 8, 8], dtype=float32, name=resize3d)
    """
    how = method, rounding_method, bicubic_alpha, bicubic_exclude
    rest = extrapolation_value, out_dtype, output_shape
    mode = coordinate_transformation_mode
    return _resize("image.resize3d", data, "DHW", layout, roi, size, mode, how, *rest)


def crop_and_resize(
    data: te.Tensor,
    boxes: te.Tensor,
    box_indices: te.Tensor,
    crop_size: Any,
    layout: str = "NCHW",
    method: str = "bilinear",
    extrapolation_value: float | None = None,
    out_dtype: Any = None,
) -> te.Tensor:
    """The parts of images in boxes, each resized to `crop_size` along H and W.

    Box k is a row of `boxes`, (y1, x1, y2, x2), 0 at the first and 1 at the last element of an
    axis; it is one of the image `box_indices[k]`. A box may be turned round, with y1 above y2.
    `method` is "bilinear" or "nearest_neighbor", which rounds to the nearest. What is outside of
    the image is `extrapolation_value`, by default 0. As TensorFlow's crop_and_resize.

    >>> A, b = te.placeholder((2, 3, 8, 8), name="A"), te.placeholder((5, 4), name="boxes")
    >>> crop_and_resize(A, b, te.placeholder((5,), "int32", name="at"), (4, 4))
    Tensor(shape=[5, 3, 4, 4], dtype=float32, name=crop_and_resize)
    """
    name = "image.crop_and_resize"
    axes = lettered_axes(name, layout, a_tensor(name, "data", data), "HW")
    (n,) = lettered_axes(name, layout, data, "N")
    of_kind(name, "boxes", a_tensor(name, "boxes", boxes, 2), "float")
    positions(name, "box_indices", a_tensor(name, "box_indices", box_indices, 1))
    if not same(boxes.shape[1], 4):
        raise wrong(name, "boxes", f"is {shown(boxes)}, whose rows are no (y1, x1, y2, x2)")
    if not same(box_indices.shape[0], boxes.shape[0]):
        raise wrong(name, "box_indices", f"is {shown(box_indices)}, but boxes is {shown(boxes)}")
    sizes = _sizes(name, data, axes, "crop_size", crop_size)
    way = one_of(name, "method", method, ("bilinear", "linear", "nearest_neighbor"))
    how = _How(way.removeprefix("bi"), "round", 0.0, False)
    dtype, _ = dtypes = _dtypes(data, out_dtype)
    instead = a_number(name, "extrapolation_value", extrapolation_value or 0.0, dtype)
    shape = with_extents(data.shape, [n, *axes], [boxes.shape[0], *sizes])
    extents = [data.shape[axis] for axis in axes]

    def source(at: Sequence[Any]) -> _Source:
        y1, x1, y2, x2 = (boxes(at[n], k).astype(dtype) for k in range(4))
        here = [at[axis] for axis in axes]
        return _in_parts(how, [(y1, y2), (x1, x2)], here, extents, sizes, instead, dtype)

    def batch(at: Sequence[Any]) -> dict[int, Any]:
        return {n: from_front(box_indices(at[n]), data.shape[n])}

    return _resized(name, data, axes, shape, source, batch, dtypes)
