"""The same elements in another shape or order."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import (
    a_list,
    a_place,
    a_tensor,
    an_axis,
    an_integer,
    axes_of,
    listed,
    shown,
    wrong,
)
from teloom.topi.dtypes import of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import (
    is_one,
    is_product,
    quotient,
    ravelled,
    same,
    total,
    unravelled,
)
from teloom.topi.tag import BROADCAST, INJECTIVE
from teloom.topi.transform.layouts import LayoutAxis, layout_sides
from teloom.topi.transform.positions import clipped

_MOST_AXES = 64
"""Of NumPy's arrays."""


def expand_dims(a: te.Tensor, axis: int, num_newaxis: int = 1) -> te.Tensor:
    """`a` with new axes of extent 1; the first of them is `axis` of the result.

    >>> expand_dims(te.placeholder((8, 4), name="A"), -1)
    Tensor(shape=[8, 4, 1], dtype=float32, name=expand_dims)
    """
    name = "expand_dims"
    count = an_integer(name, "num_newaxis", num_newaxis, 0)
    place = an_axis(name, axis, a_tensor(name, "a", a).ndim + 1)
    if a.ndim + count > _MOST_AXES:
        problem = f"is {count}, but an array has at most {_MOST_AXES} axes, and a is {shown(a)}"
        raise wrong(name, "num_newaxis", problem)
    shape = [*a.shape[:place], *[1] * count, *a.shape[place:]]
    return computed(name, shape, lambda *i: a(*i[:place], *i[place + count :]), BROADCAST)


def expand_like(a: te.Tensor, shape_like: te.Tensor, axis: object) -> te.Tensor:
    """`a` repeated along the axes `axis` of `shape_like`, which it has not, to the shape of that.

    >>> A, B = te.placeholder((8,), name="A"), te.placeholder((3, 8, 4), name="B")
    >>> expand_like(A, B, [0, 2])
    Tensor(shape=[3, 8, 4], dtype=float32, name=expand_like)
    """
    name = "expand_like"
    a_tensor(name, "a", a)
    a_tensor(name, "shape_like", shape_like)
    new = axes_of(name, axis, shape_like.ndim)
    kept = [k for k in range(shape_like.ndim) if k not in new]
    if not te.same_extents(a.shape, [shape_like.shape[k] for k in kept]):
        problem = f"is {shown(a)}, which axes {kept} of {shown(shape_like)} do not have"
        raise wrong(name, "a", problem)
    return computed(name, shape_like.shape, lambda *i: a(*(i[k] for k in kept)), BROADCAST)


def transpose(a: te.Tensor, axes: object = None) -> te.Tensor:
    """Axis k of the result is `axes[k]` of `a`; without axes, they are reversed.

    >>> transpose(te.placeholder((2, 3, 4), name="A"), (1, 0, 2))
    Tensor(shape=[3, 2, 4], dtype=float32, name=transpose)
    """
    name = "transpose"
    ndim = a_tensor(name, "a", a).ndim
    listed = range(ndim)[::-1] if axes is None else a_list(name, "axes", axes)
    places = [an_axis(name, one, ndim, "axes") for one in listed]
    if sorted(places) != list(range(ndim)):
        raise wrong(name, "axes", f"is {listed}, which is no order of the axes of {shown(a)}")
    shape = [a.shape[place] for place in places]
    return computed(
        name, shape, lambda *i: a(*(i[places.index(k)] for k in range(ndim))), INJECTIVE
    )


def flip(a: te.Tensor, axis: int = 0) -> te.Tensor:
    """`a` in reverse order along `axis`.

    >>> flip(te.placeholder((2, 3), name="A"), axis=1)
    Tensor(shape=[2, 3], dtype=float32, name=flip)
    """
    along = an_axis("flip", axis, a_tensor("flip", "a", a).ndim)

    def value(*indices: Any) -> Any:
        last = a.shape[along] - 1
        return a(*(last - one if k == along else one for k, one in enumerate(indices)))

    return computed("flip", a.shape, value, INJECTIVE)


def reverse_sequence(
    a: te.Tensor, seq_lengths: te.Tensor, seq_axis: int = 1, batch_axis: int = 0
) -> te.Tensor:
    """`a` with the first `seq_lengths[b]` elements along `seq_axis` reversed, at each b.

    `b` is the position on `batch_axis`. A length is from 0 to the extent of `seq_axis`; others
    count as the nearer of the two. As ONNX's ReverseSequence.

    >>> A, n = te.placeholder((2, 3), name="A"), te.placeholder((2,), "int32", name="n")
    >>> reverse_sequence(A, n)
    Tensor(shape=[2, 3], dtype=float32, name=reverse_sequence)
    """
    name = "reverse_sequence"
    ndim = a_tensor(name, "a", a).ndim
    along, batch = (
        an_axis(name, x, ndim, k) for x, k in ((seq_axis, "seq_axis"), (batch_axis, "batch_axis"))
    )
    of_kind(name, "seq_lengths", a_tensor(name, "seq_lengths", seq_lengths, 1), "integer")
    if along == batch or not same(seq_lengths.shape[0], a.shape[batch]):
        problem = f"is {shown(seq_lengths)} for axis {batch} of {shown(a)}, reversed along {along}"
        raise wrong(name, "seq_lengths", problem)

    def value(*indices: Any) -> Any:
        at, last = indices[along], a.shape[along] - 1
        length = clipped(seq_lengths(indices[batch]), last + 2).astype("int32")
        back = te.max(te.min(length - 1 - at, last), 0)
        place = te.if_then_else(at < length, te.select(length - 1 > last, last - at, back), at)
        return a(
            *(
                te.bounded(place, 0, last + 1) if k == along else one
                for k, one in enumerate(indices)
            )
        )

    return computed(name, a.shape, value, INJECTIVE)


def reshape(a: te.Tensor, newshape: object) -> te.Tensor:
    """The elements of `a` in row-major order, as a tensor of `newshape`; one extent may be -1.

    That extent follows from the others. Raises `teloom.Error` unless both shapes have as many
    elements, whatever the sizes are, and for an extent that is a product of sizes.

    >>> reshape(te.placeholder((8, te.var("n"), 6), name="A"), (4, -1, 3))
    Tensor(shape=[4, (n * 4), 3], dtype=float32, name=reshape)
    """
    name = "reshape"
    shape = _completed(name, a_tensor(name, "a", a), newshape)
    for axis, extent in enumerate(shape):
        if is_product(extent):
            found = f"axis {axis} has the extent {extent} for {shown(a)}"
            legal = "an extent can have one factor with sizes only; keep the others on axes of"
            problem = f"is {listed(newshape)}, so that {found}, but {legal} their own"
            raise wrong(name, "newshape", problem)
    front, back = _common(a.shape, shape)
    of, to = a.shape[front : a.ndim - back], shape[front : len(shape) - back]

    def value(*indices: Any) -> Any:
        middle = unravelled(ravelled(indices[front : len(shape) - back], to), of)
        return a(*indices[:front], *middle, *indices[len(shape) - back :])

    return computed(name, shape, value, INJECTIVE)


def _completed(name: str, a: te.Tensor, newshape: object) -> list[Any]:
    found = [a_place(name, "newshape", one) for one in listed(newshape)]
    negative = [axis for axis, one in enumerate(found) if isinstance(one, int) and one < 0]
    if [found[axis] for axis in negative] not in ([], [-1]):
        raise wrong(name, "newshape", f"is {found}; one extent may be -1, no other is negative")
    rest = [one for axis, one in enumerate(found) if axis not in negative]
    count, elements = total(rest), total(a.shape)
    if not negative:
        if same(count, elements):
            return found
        problem = f"has {count} elements, but {shown(a)} has {elements}"
    elif (left := quotient(a.shape, rest)) is not None:
        return [*found[: negative[0]], left, *found[negative[0] + 1 :]]
    else:
        problem = f"has an extent of -1, but {count} does not divide the {elements} of {shown(a)}"
    raise wrong(name, "newshape", f"is {found}, which {problem}")


def _common(one: Any, other: Any) -> tuple[int, int]:
    """How many extents two shapes share at the front, and how many of the others at the back."""
    least = min(len(one), len(other))
    front = next((k for k in range(least) if not same(one[k], other[k])), least)
    least -= front
    back = next((k for k in range(least) if not same(one[-1 - k], other[-1 - k])), least)
    return front, back


def squeeze(a: te.Tensor, axis: object = None) -> te.Tensor:
    """`a` without axes of extent 1: those of `axis`, or all of constant extent 1.

    Raises `teloom.Error` for an axis of another extent.

    >>> squeeze(te.placeholder((1, 8, 1), name="A"), axis=-1)
    Tensor(shape=[1, 8], dtype=float32, name=squeeze)
    """
    name = "squeeze"
    a_tensor(name, "a", a)
    ones = [k for k, one in enumerate(a.shape) if is_one(one)]
    gone = ones if axis is None else axes_of(name, axis, a.ndim)
    for place in gone:
        if place not in ones:
            raise wrong(name, "axis", f"is {place}, but {shown(a)} has no extent 1 there")
    kept = [k for k in range(a.ndim) if k not in gone]

    def value(*indices: Any) -> Any:
        return a(*(indices[kept.index(k)] if k in kept else 0 for k in range(a.ndim)))

    return computed(name, [a.shape[k] for k in kept], value, INJECTIVE)


def layout_transform(
    array: te.Tensor, src_layout: str, dst_layout: str, schedule_rule: str = "None"
) -> te.Tensor:
    """`array` in another layout, such as from NCHW to NHWC or NCHW4c.

    A capital is an axis, a number with a small letter a block of it: C of NCHW4c is the channel
    over 4, and c what is left; the last block is filled up with zeros. `schedule_rule` is accepted
    as TVM's, and says nothing here. Raises `teloom.Error` for layouts of different axes.

    >>> layout_transform(te.placeholder((1, 8, 5, 5), name="A"), "NCHW", "NCHW4c")
    Tensor(shape=[1, 2, 5, 5, 4], dtype=float32, name=layout_transform)
    """
    name = "layout_transform"
    a_tensor(name, "array", array)
    source, target = (
        layout_sides(name, "src_layout", src_layout),
        layout_sides(name, "dst_layout", dst_layout),
    )
    if len(source) != array.ndim:
        raise wrong(name, "src_layout", f"is {src_layout!r}, but array is {shown(array)}")
    if {one.primal for one in source} != {one.primal for one in target}:
        raise wrong(name, "dst_layout", f"is {dst_layout!r}, whose axes {src_layout!r} has not")
    extents = {
        axis: total([e for one, e in zip(source, array.shape, strict=True) if one.primal == axis])
        for axis in {one.primal for one in source}
    }
    whole_blocks = {axis: _blocks_of(target, axis, extent) for axis, extent in extents.items()}
    shape = [one.block or whole_blocks[one.primal] for one in target]
    padded = [
        axis
        for axis, extent in extents.items()
        if not same(total(_parts(target, shape, shape, axis)[1]), extent)
    ]
    for one, extent in zip(source, array.shape, strict=True):
        if one.block and not same(one.block, extent):
            raise wrong(name, "src_layout", f"is {src_layout!r}, but array is {shown(array)}")

    def value(*indices: Any) -> Any:
        whole = {axis: ravelled(*_parts(target, indices, shape, axis)) for axis in extents}
        places = {
            axis: unravelled(position, _parts(source, array.shape, array.shape, axis)[1])
            for axis, position in whole.items()
        }
        found = array(*(places[one.primal].pop(0) for one in source))
        if not padded:
            return found
        is_there = te.all(*(whole[axis] < extents[axis] for axis in padded))
        return te.if_then_else(is_there, found, te.const(0, array.dtype))

    return computed(name, shape, value, INJECTIVE)


def _blocks_of(sides: list[LayoutAxis], axis: str, extent: Any) -> Any:
    """How many blocks hold an axis of that extent."""
    blocks = [one.block for one in sides if one.primal == axis and one.block]
    found, length = quotient([extent], blocks), total(blocks)
    return (extent + (length - 1)) // length if found is None else found


def _parts(
    sides: list[LayoutAxis], values: Any, shape: Any, axis: str
) -> tuple[list[Any], list[Any]]:
    """The values of the parts of one axis, from the outermost in, and their extents."""
    found = [
        (one, value, extent)
        for one, value, extent in zip(sides, values, shape, strict=True)
        if one.primal == axis
    ]
    return [value for _, value, _ in found], [extent for _, _, extent in found]


def shape(array: te.Tensor, dtype: object = "int32") -> te.Tensor:
    """The extents of `array`, as a tensor.

    >>> shape(te.placeholder((8, te.var("n")), name="A"))
    Tensor(shape=[2], dtype=int32, name=shape)
    """
    extents = a_tensor("shape", "array", array).shape

    def value(axis: Any) -> Any:
        found: Any = te.const(0, dtype)
        for k, extent in enumerate(extents):
            found = te.select(axis == k, te.multiply(extent, 1).astype(dtype), found)
        return found

    return computed("shape", (array.ndim,), value, INJECTIVE)


def ndarray_size(array: te.Tensor, dtype: object = "int32") -> te.Tensor:
    """The number of elements of `array`, as a tensor without axes.

    >>> ndarray_size(te.placeholder((8, te.var("n")), name="A"))
    Tensor(shape=[], dtype=int32, name=ndarray_size)
    """
    extents = a_tensor("ndarray_size", "array", array).shape

    def value() -> Any:
        count: Any = te.const(1, dtype)
        for extent in extents:
            count = count * te.multiply(extent, 1).astype(dtype)
        return count

    return computed("ndarray_size", (), value, INJECTIVE)
