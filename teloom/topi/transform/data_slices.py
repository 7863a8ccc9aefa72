"""Slices whose places are data: their elements, and elements put at them."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, shown, wrong
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents, expect_same
from teloom.topi.tag import INJECTIVE
from teloom.topi.transform.positions import positions, signed


def dynamic_strided_slice(
    a: te.Tensor, begin: te.Tensor, end: te.Tensor, strides: te.Tensor, output_shape: Any
) -> te.Tensor:
    """`a[begin:end:strides]`, as `strided_slice`, with places that are data: tensors of integers.

    They are places on the first axes. `output_shape` is the shape of the result, in which the
    places have to be as many as `end` says; that compiled code does not check.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((1,), "int64", name="at")
    >>> dynamic_strided_slice(A, at, at, at, (te.var("n"), 4))
    Tensor(shape=[n, 4], dtype=float32, name=dynamic_strided_slice)
    """
    name = "dynamic_strided_slice"
    a_tensor(name, "a", a)
    given = {"begin": begin, "end": end, "strides": strides}
    for argument, one in given.items():
        positions(name, argument, a_tensor(name, argument, one, 1))
    count = expect_same(name, given, dict.fromkeys(given, 0))
    shape = as_extents(name, "output_shape", output_shape)
    if not isinstance(count, int) or count > a.ndim:
        raise wrong(name, "begin", f"is {shown(begin)}, more places than axes of {shown(a)}")
    if len(shape) != a.ndim or not te.same_extents(shape[count:], a.shape[count:]):
        raise wrong(name, "output_shape", f"is {shape}, which no slice of {shown(a)} has")

    def place(k: int, index: Any) -> Any:
        extent, step = _wide(a.shape[k]), _wide(strides(k))
        first = _cut_off(_wide(begin(k)), extent, step)
        return te.bounded(first + _wide(index) * step, 0, a.shape[k])

    def value(*at: Any) -> Any:
        return a(*(place(k, one) if k < count else one for k, one in enumerate(at)))

    return computed(name, shape, value, INJECTIVE)


def strided_set_by_data(
    name: str, a: te.Tensor, v: te.Tensor, begin: object, end: object, strides: object
) -> te.Tensor:
    """`a` with the elements of `v` at `a[begin:end:strides]`, of which the places are tensors.

    They are those of the first axes: of the others all elements are meant. `v` has to have as many
    elements as the slice, which compiled code does not check.
    """
    given = {"begin": begin, "end": end} | ({} if strides is None else {"strides": strides})
    places = {key: a_tensor(name, key, one, 1) for key, one in given.items()}
    for key, one in places.items():
        positions(name, key, one)
        if not isinstance(one.shape[0], int) or one.shape[0] > a.ndim:
            raise wrong(name, key, f"is {shown(one)}, for the {a.ndim} axes of {shown(a)}")
    if v.dtype != a.dtype or v.ndim != a.ndim:
        raise wrong(name, "v", f"is {shown(v)}, but a is {shown(a)}")

    def place(key: str, axis: int) -> Any:
        """What a tensor says of an axis, or None."""
        known = key in places and axis < places[key].shape[0]
        return _wide(places[key](axis)) if known else None

    def value(*indices: Any) -> Any:
        inside, at = te.const(True, "bool"), []
        for axis, index in enumerate(map(_wide, indices)):
            extent = _wide(a.shape[axis])
            first, last, step = (place(key, axis) for key in ("begin", "end", "strides"))
            step = te.const(1, "int64") if step is None else step
            front, back = te.select(step < 0, extent - 1, 0), te.select(step < 0, -1, extent)
            first = front if first is None else _cut_off(first, extent, step)
            last = back if last is None else _cut_off(last, extent, step)
            distance = te.select(step < 0, first - index, index - first)
            length, apart = te.select(step < 0, first - last, last - first), te.max(te.abs(step), 1)
            inside = inside & (distance >= 0) & (distance < length) & (distance % apart == 0)
            at.append(te.bounded(distance // apart, 0, v.shape[axis]))
        return te.if_then_else(inside, v(*at), a(*indices))

    return computed(name, a.shape, value, INJECTIVE)


def _wide(number: Any) -> Any:
    return signed(te.multiply(number, 1)).astype("int64")


def _cut_off(place: Any, extent: Any, step: Any) -> Any:
    """A place of a slice, cut off where the axis ends; a negative one counts from there."""
    place = te.select(place < 0, place + extent, place)
    least, most = te.select(step < 0, -1, 0), te.select(step < 0, extent - 1, extent)
    return te.min(te.max(place, least), most)
