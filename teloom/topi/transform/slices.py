"""Parts of a tensor: slices with steps, sections, windows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import (
    a_list,
    a_place,
    a_tensor,
    an_axis,
    an_integer,
    distinct_axes,
    integers,
    one_of,
    shown,
    wrong,
)
from teloom.topi.elementwise import computed
from teloom.topi.extents import same
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.data_slices import dynamic_strided_slice, strided_set_by_data


class _Side(NamedTuple):
    """The positions `begin`, `begin + stride`, ... of an axis, `extent` many."""

    begin: Any
    stride: int
    extent: Any


def _known(value: object) -> bool:
    return isinstance(value, int)


def _side(name: str, extent: Any, begin: Any, end: Any, stride: Any) -> _Side:
    """A slice of Python, of an axis of that extent; None is what Python makes of it."""
    step = an_integer(name, "strides", 1 if stride is None else stride)
    if step == 0:
        raise wrong(name, "strides", "has a 0")
    begin, end = (
        one if one is None else a_place(name, argument, one)
        for argument, one in (("begin", begin), ("end", end))
    )
    if all(one is None or _known(one) for one in (begin, end)) and _known(extent):
        begin, end, step = slice(begin, end, step).indices(extent)
        return _Side(begin, step, len(range(begin, end, step)))
    first = _from_front(extent, begin, 0 if step > 0 else extent - 1)
    last = _from_front(extent, end, extent if step > 0 else -1)
    count = last - first if step > 0 else first - last
    return _Side(first, step, count if abs(step) == 1 else (count + abs(step) - 1) // abs(step))


def _from_front(extent: Any, place: Any, default: Any) -> Any:
    if place is None:
        return default
    return extent - -place if _known(place) and place < 0 else place


def _sides(name: str, a: te.Tensor, begin: Any, end: Any, strides: Any, axes: Any) -> list[_Side]:
    whole = [_Side(0, 1, extent) for extent in a.shape]
    begins = a_list(name, "begin", begin)
    places = range(len(begins)) if axes is None else a_list(name, "axes", axes)
    ends = [None] * len(begins) if end is None else a_list(name, "end", end)
    steps = [1] if strides is None else a_list(name, "strides", strides)
    steps = steps * len(begins) if len(steps) == 1 else steps
    if not len(begins) == len(ends) == len(steps) == len(places):
        listed = f"{begins}, end {ends}, strides {steps} and axes {list(places)}"
        raise wrong(name, "begin", f"is {listed}: these have different lengths")
    if len(begins) > a.ndim:
        raise wrong(name, "begin", f"is {begins}, longer than {shown(a)} has axes")
    at = distinct_axes(name, places, a.ndim, "axes")
    for axis, first, last, step in zip(at, begins, ends, steps, strict=True):
        whole[axis] = _side(name, a.shape[axis], first, last, step)
    return whole


def strided_slice(
    a: te.Tensor,
    begin: Sequence[Any] | te.Tensor,
    end: Sequence[Any] | te.Tensor | None,
    strides: Sequence[int] | te.Tensor | None = None,
    axes: Sequence[int] | None = None,
    slice_mode: str = "end",
    assume_inbound: bool = True,
) -> te.Tensor:
    """`a[begin:end:strides]`, axis by axis from the first on, or on `axes`, as in NumPy.

    A negative place counts from the end; None is where Python's slice would begin or end. What is
    beyond a constant extent is cut off. Of a symbolic one, places are taken as they are, and have
    to be inside: `assume_inbound` is accepted as TVM's. With `slice_mode="size"`, `end` has the
    extents; -1 is all that is left, and strides are 1. Places may be data, all as tensors of
    integers on the first axes: then the array of the result says its extents there.

    >>> A = te.placeholder((8, te.var("n")), name="A")
    >>> strided_slice(A, [6, 1], [None, -1], [-2, 1])
    Tensor(shape=[4, ((n - 1) - 1)], dtype=float32, name=strided_slice)
    """
    name = "strided_slice"
    a_tensor(name, "a", a)
    if isinstance(begin, te.Tensor):
        return _by_data(name, a, begin, end, strides, axes, slice_mode)
    if one_of(name, "slice_mode", slice_mode, ("end", "size")) == "size":
        strides = None
        end = [
            None if _known(size) and size < 0 else first + size
            for first, size in zip(
                a_list(name, "begin", begin), a_list(name, "end", end), strict=False
            )
        ]
    sides = _sides(name, a, begin, end, strides, axes)
    return computed(
        name, [one.extent for one in sides], lambda *i: a(*map(_place, sides, i)), INJECTIVE
    )


def _by_data(
    name: str,
    a: te.Tensor,
    begin: te.Tensor,
    end: Any,
    strides: Any,
    axes: Sequence[int] | None,
    slice_mode: str,
) -> te.Tensor:
    """A slice whose places are tensors, of as many elements as the array of the result has."""
    mode = one_of(name, "slice_mode", slice_mode, ("end", "size"))
    if axes is not None or mode != "end":
        said = f"axes {axes} and slice_mode {mode!r}"
        raise wrong(name, "begin", f"is {shown(begin)}, data; with it there are no {said}")
    count = a_tensor(name, "begin", begin, 1).shape[0]
    if not isinstance(count, int) or count > a.ndim:
        raise wrong(name, "begin", f"is {shown(begin)}, more places than axes of {shown(a)}")
    if strides is None:
        strides = te.compute((count,), lambda k: te.const(1, begin.dtype), name=f"{name}.strides")
    extents = [te.var(f"{name}_extent{axis}") for axis in range(count)]
    return dynamic_strided_slice(a, begin, end, strides, [*extents, *a.shape[count:]])


def _place(side: _Side, index: Any) -> Any:
    return side.begin + index * side.stride


def strided_set(
    a: te.Tensor,
    v: te.Tensor,
    begin: Sequence[Any] | te.Tensor,
    end: Sequence[Any] | te.Tensor,
    strides: Sequence[int] | te.Tensor | None = None,
) -> te.Tensor:
    """`a` with the elements of `v` at `a[begin:end:strides]`, axis by axis from the first on.

    The shape of `v` is that of the slice. Places may be data, all as tensors of integers, as in
    TVM: how many elements the slice has is then not checked.

    >>> A, v = te.placeholder((8, 4), name="A"), te.placeholder((2, 4), name="v")
    >>> strided_set(A, v, [1], [7], [3])
    Tensor(shape=[8, 4], dtype=float32, name=strided_set)
    """
    name = "strided_set"
    a_tensor(name, "a", a)
    a_tensor(name, "v", v)
    if any(isinstance(one, te.Tensor) for one in (begin, end, strides)):
        return strided_set_by_data(name, a, v, begin, end, strides)
    sides = _sides(name, a, begin, end, strides, None)
    if v.dtype != a.dtype or not te.same_extents(v.shape, [one.extent for one in sides]):
        extents = tuple(one.extent for one in sides)
        raise wrong(name, "v", f"is {shown(v)}, but the slice has the shape {extents} of {a.dtype}")

    def value(*indices: Any) -> Any:
        inside, at = te.const(True, "bool"), []
        for one, index in zip(sides, indices, strict=True):
            distance = index - one.begin if one.stride > 0 else one.begin - index
            step = abs(one.stride)
            at.append(distance // step)
            inside = inside & (distance >= 0) & (distance // step < one.extent)
            inside = inside & (distance % step == 0) if step > 1 else inside
        return te.if_then_else(inside, v(*at), a(*indices))

    return computed(name, a.shape, value, INJECTIVE)


def split(ary: te.Tensor, indices_or_sections: Any, axis: int = 0) -> list[te.Tensor]:
    """`ary` cut along `axis` before each of the positions given, or into so many equal parts.

    Raises `teloom.Error` for a number of parts that does not divide the extent.

    >>> [one.shape for one in split(te.placeholder((8, 4), name="A"), (2, 5))]
    [(2, 4), (3, 4), (3, 4)]
    """
    name = "split"
    along = an_axis(name, axis, a_tensor(name, "ary", ary).ndim)
    extent = ary.shape[along]
    if isinstance(indices_or_sections, list | tuple):
        cuts = [a_place(name, "indices_or_sections", one) for one in indices_or_sections]
        cuts = [0, *cuts, extent]
    else:
        count = an_integer(name, "indices_or_sections", indices_or_sections, 1)
        part = extent // count
        if not same(part * count, extent):
            problem = f"is {count}, which does not divide the extent {extent} of axis {along}"
            raise wrong(name, "indices_or_sections", f"{problem} of {shown(ary)}")
        cuts = [*(k * part for k in range(count)), extent]
    if all(map(_known, cuts)) and cuts != sorted(cuts):
        raise wrong(name, "indices_or_sections", f"is {cuts[1:-1]}, not in order in 0..{extent}")

    def part_of(begin: Any, end: Any) -> te.Tensor:
        shape = [end - begin if k == along else one for k, one in enumerate(ary.shape)]

        def value(*indices: Any) -> Any:
            return ary(*(one + begin if k == along else one for k, one in enumerate(indices)))

        return computed(name, shape, value, INJECTIVE)

    return [part_of(begin, end) for begin, end in pairwise(cuts)]


def sliding_window(data: te.Tensor, axis: int, window_shape: object, strides: object) -> te.Tensor:
    """All windows of `window_shape` over the axes from `axis` on, `strides` apart.

    The result has the axes before, one axis for each of the window's that says which window it
    is, and the axes of a window.

    >>> sliding_window(te.placeholder((2, 10, 8), name="A"), 1, [3, 4], [2, 1])
    Tensor(shape=[2, 4, 5, 3, 4], dtype=float32, name=sliding_window)
    """
    name = "sliding_window"
    place = an_axis(name, axis, a_tensor(name, "data", data).ndim)
    count = data.ndim - place
    windows = integers(name, "window_shape", window_shape, count, 1)
    steps = integers(name, "strides", strides, count, 1)
    extents = data.shape[place:]
    for extent, window in zip(extents, windows, strict=True):
        if _known(extent) and extent < window:
            raise wrong(name, "window_shape", f"is {windows}, which is larger than {shown(data)}")
    numbers = [
        (extent - window) // step + 1
        for extent, window, step in zip(extents, windows, steps, strict=True)
    ]

    def value(*indices: Any) -> Any:
        which, inside = indices[place : place + count], indices[place + count :]
        at = (w * step + k for w, step, k in zip(which, steps, inside, strict=True))
        return data(*indices[:place], *at)

    return computed(name, [*data.shape[:place], *numbers, *windows], value, INJECTIVE)
