"""Pools: the greatest element or the mean of the elements in a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, check_defined, integers, one_of, shown, wrong
from teloom.topi.dtypes import lowest, of_means
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import same, with_extents
from teloom.topi.folds import folded, summed
from teloom.topi.tag import BROADCAST
from teloom.topi.transform.layouts import layout_sides, lettered_axes
from teloom.topi.windows import Window, counts, windows

MAX, SUM = "pool_max", "pool_sum"
ADAPTIVE_MAX, ADAPTIVE_SUM = "adaptive_pool_max", "adaptive_pool_sum"


def pool1d(
    data: te.Tensor,
    kernel: Any,
    stride: Any,
    dilation: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCW",
    count_include_pad: bool = True,
) -> te.Tensor:
    """The greatest element, or the mean, of each window along W; see `pool2d`.

    >>> pool1d(te.placeholder((1, 3, 9), name="A"), 3, 2, 1, (1, 1), "max")
    Tensor(shape=[1, 3, 5], dtype=float32, name=pool1d)
    """
    how = stride, dilation, padding, ceil_mode, count_include_pad
    return _pool("nn.pool1d", data, kernel, pool_type, layout, "W", how)


def pool2d(
    data: te.Tensor,
    kernel: Any,
    stride: Any,
    dilation: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCHW",
    count_include_pad: bool = True,
) -> te.Tensor:
    """The greatest element ("max"), or the mean ("avg"), of each window along H and W.

    A window has `kernel` taps, `dilation` apart, and begins at every `stride`-th position;
    `padding` are the positions around the data on which it may lie: those before both axes, then
    those behind both. With `ceil_mode`, the last window may end behind these. Padding counts in no
    maximum, and as 0 in a mean; without `count_include_pad` it does not count there either, and
    what is behind the padding never counts. NaN counts in no maximum. In padding alone the maximum
    is the least value, -inf of floats, and the mean is 0. As ONNX's MaxPool and AveragePool, which
    leave out a last window that begins behind the data.

    >>> pool2d(te.placeholder((1, 3, 9, 8), name="A"), 3, 2, 1, [1, 1, 1, 1], "avg")
    Tensor(shape=[1, 3, 5, 4], dtype=float32, name=pool2d)
    """
    how = stride, dilation, padding, ceil_mode, count_include_pad
    return _pool("nn.pool2d", data, kernel, pool_type, layout, "HW", how)


def pool3d(
    data: te.Tensor,
    kernel: Any,
    stride: Any,
    dilation: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCDHW",
    count_include_pad: bool = True,
) -> te.Tensor:
    """The greatest element, or the mean, of each window along D, H and W; see `pool2d`.

    >>> pool3d(te.placeholder((1, 3, 4, 4, 4), name="A"), 2, 2, 1, 0, "max")
    Tensor(shape=[1, 3, 2, 2, 2], dtype=float32, name=pool3d)
    """
    how = stride, dilation, padding, ceil_mode, count_include_pad
    return _pool("nn.pool3d", data, kernel, pool_type, layout, "DHW", how)


def axes_in(name: str, data: te.Tensor, layout: str, letters: str) -> list[int]:
    """The axes of the letters in a layout, in the order of the letters.

    Other axes may be in blocks, as the channels of NCHW4c.
    """
    axes = lettered_axes(name, layout, a_tensor(name, "data", data), letters)
    for one, extent in zip(layout_sides(name, "layout", layout), data.shape, strict=True):
        if one.block and one.primal in letters:
            raise wrong(name, "layout", f"is {layout!r}, which has blocks of {one.primal}")
        if one.block and not same(one.block, extent):
            problem = f"is {layout!r}, but data is {shown(data)}, without blocks of {one.block}"
            raise wrong(name, "layout", problem)
    return axes


def _pool(
    name: str,
    data: te.Tensor,
    kernel: Any,
    pool_type: str,
    layout: str,
    letters: str,
    how: tuple[Any, Any, Any, bool, bool],
) -> te.Tensor:
    stride, dilation, padding, ceil_mode, count_include_pad = how
    axes = axes_in(name, data, layout, letters)
    sizes = integers(name, "kernel", kernel, len(axes), 1)
    moved = windows(name, sizes, stride, padding, dilation)
    shape = with_extents(data.shape, axes, counts(name, data, axes, moved, ceil_mode))
    is_max = one_of(name, "pool_type", pool_type, ("max", "avg")) == "max"
    taps = [te.reduce_axis((0, size), f"k{k}") for k, size in enumerate(sizes)]
    check_defined(name, data, te.maximum if is_max else te.add)
    neutral = lowest(data.dtype) if is_max else te.const(0, data.dtype)
    wide = of_means(data.dtype)

    def value(*at: Any) -> Any:
        here, inside = tap_of(data, at, axes, moved, taps, ceil_mode)
        here = here if inside is None else te.if_then_else(inside, here, neutral)
        return te.max(here, axis=taps) if is_max else te.sum(here.astype(wide), axis=taps)

    if is_max:
        return computed(name, shape, value, MAX)
    total = computed(f"{name}_sum", shape, value, SUM)

    def mean(*at: Any) -> Any:
        places = [at[axis] for axis in axes]
        extents = [data.shape[axis] for axis in axes]
        count = counted(moved, places, extents, count_include_pad, ceil_mode)
        return divided(total(*at), count).astype(data.dtype)

    return computed(name, shape, mean, BROADCAST)


def counted(
    moved: Sequence[Window],
    places: Sequence[Any],
    extents: Sequence[Any],
    with_padding: bool,
    ceil_mode: bool,
) -> Any:
    """By how many elements the sum of a window is divided, at least 1."""
    if with_padding and not ceil_mode:
        return _taps_of([one.size for one in moved])
    inside = [
        one.inside(place, extent, with_padding)
        for one, place, extent in zip(moved, places, extents, strict=True)
    ]
    return te.max(_taps_of(inside), 1)


def _taps_of(sizes: Sequence[Any]) -> Any:
    """How many taps a window has that has so many along each axis."""
    count: Any = 1
    for size in sizes:
        count = count * size
    return count


def divided(total: Any, count: Any) -> Any:
    """A sum over a number of elements, in the dtype of the sum."""
    return te.div(total, te.multiply(count, 1).astype(total.dtype))


def tap_of(
    data: te.Tensor,
    at: Sequence[Any],
    axes: Sequence[int],
    moved: Sequence[Window],
    taps: Sequence[Any],
    ceil_mode: bool,
) -> tuple[Any, Any]:
    """The element at a tap of a window, and whether there is one; None if there always is."""
    places, conditions = list(at), []
    for axis, one, tap in zip(axes, moved, taps, strict=True):
        places[axis] = one.place(at[axis], tap)
        if one.before:
            conditions.append(places[axis] >= 0)
        if one.after or ceil_mode:
            conditions.append(places[axis] < data.shape[axis])
    return data(*places), te.all(*conditions) if conditions else None


def global_pool(data: te.Tensor, pool_type: str, layout: str = "NCHW") -> te.Tensor:
    """The greatest element ("max"), or the mean ("avg"), over all of H and W, whose extents are 1.

    >>> global_pool(te.placeholder((1, 3, 8, te.var("n")), name="A"), "avg")
    Tensor(shape=[1, 3, 1, 1], dtype=float32, name=global_pool)
    """
    name = "nn.global_pool"
    axes = sorted(axes_in(name, data, layout, "HW"))
    if one_of(name, "pool_type", pool_type, ("max", "avg")) == "max":
        return folded(name, data, axes, True, lambda v, k: te.max(v, axis=k), MAX)
    total = summed(name, data, axes, of_means(data.dtype), tag=SUM)
    count = _taps_of([data.shape[axis] for axis in axes])
    return applied(name, lambda value: divided(value, count).astype(data.dtype), total)


def adaptive_pool(
    data: te.Tensor, output_size: Any, pool_type: str, layout: str = "NCHW"
) -> te.Tensor:
    """H and W in `output_size` windows that cover them: the greatest element or mean of each.

    Window k of n begins at `k * extent // n`, and ends before `(k + 1) * extent / n`, rounded up.
    The extents of H and W are constant.

    >>> adaptive_pool(te.placeholder((1, 3, 9, 8), name="A"), (4, 2), "max")
    Tensor(shape=[1, 3, 4, 2], dtype=float32, name=adaptive_pool)
    """
    return _adaptive("nn.adaptive_pool", data, output_size, pool_type, layout, "HW")


def adaptive_pool1d(
    data: te.Tensor, output_size: Any, pool_type: str, layout: str = "NCW"
) -> te.Tensor:
    """W in `output_size` windows that cover it; see `adaptive_pool`.

    >>> adaptive_pool1d(te.placeholder((1, 9, 3), name="A"), 4, "avg", layout="NWC")
    Tensor(shape=[1, 4, 3], dtype=float32, name=adaptive_pool1d)
    """
    return _adaptive("nn.adaptive_pool1d", data, output_size, pool_type, layout, "W")


def adaptive_pool3d(
    data: te.Tensor, output_size: Any, pool_type: str, layout: str = "NCDHW"
) -> te.Tensor:
    """D, H and W in `output_size` windows that cover them; see `adaptive_pool`.

    >>> adaptive_pool3d(te.placeholder((1, 3, 9, 8, 8), name="A"), (4, 2, 1), "max")
    Tensor(shape=[1, 3, 4, 2, 1], dtype=float32, name=adaptive_pool3d)
    """
    return _adaptive("nn.adaptive_pool3d", data, output_size, pool_type, layout, "DHW")


def _adaptive(
    name: str, data: te.Tensor, output_size: Any, pool_type: str, layout: str, letters: str
) -> te.Tensor:
    axes = axes_in(name, data, layout, letters)
    sizes = integers(name, "output_size", output_size, len(axes), 1)
    is_max = one_of(name, "pool_type", pool_type, ("max", "avg")) == "max"
    extents = [data.shape[axis] for axis in axes]
    symbolic = [str(axis) for axis in sorted(axes) if not isinstance(data.shape[axis], int)]
    if symbolic:
        one, several = "axis {} must have a constant extent", "axes {} must have constant extents"
        must = (several if symbolic[1:] else one).format(", ".join(symbolic))
        problem = f"is {shown(data)}, but {must} for the layout {layout!r}"
        raise wrong(name, "data", problem)
    shape = with_extents(data.shape, axes, sizes)

    def sides(at: Sequence[Any]) -> list[tuple[Any, Any]]:
        return [
            (at[axis] * extent // size, ((at[axis] + 1) * extent + (size - 1)) // size)
            for axis, size, extent in zip(axes, sizes, extents, strict=True)
        ]

    def fold(reducer: Callable[..., Any], dtype: str) -> Callable[..., Any]:
        def value(*at: Any) -> Any:
            taps = [te.reduce_axis(side, f"k{k}") for k, side in enumerate(sides(at))]
            places = list(at)
            for axis, tap in zip(axes, taps, strict=True):
                places[axis] = tap
            return reducer(data(*places).astype(dtype), axis=taps)

        return value

    if is_max:
        return computed(name, shape, fold(te.max, data.dtype), ADAPTIVE_MAX)
    total = computed(f"{name}_sum", shape, fold(te.sum, of_means(data.dtype)), ADAPTIVE_SUM)

    def mean(*at: Any) -> Any:
        count = _taps_of([end - begin for begin, end in sides(at)])
        return divided(total(*at), count).astype(data.dtype)

    return computed(name, shape, mean, BROADCAST)
