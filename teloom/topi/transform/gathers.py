"""Elements at positions that are data, and choices that depend on data.

A position is an integer. Where the operator does not say otherwise, one outside of its axis is the
caller's mistake, which compiled code does not check; a negative one counts from the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import (
    a_list,
    a_number,
    a_tensor,
    an_axis,
    an_integer,
    one_of,
    shown,
    tensors,
    wrong,
)
from teloom.topi.dtypes import as_bool, bits_of, common, is_float
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents, broadcast_shape, element, same, unravelled
from teloom.topi.tag import ELEMWISE, INJECTIVE
from teloom.topi.transform.positions import clipped, count_of, from_front, positions, signed


def _wrapped(at: Any, extent: Any) -> Any:
    if at.dtype != "uint64":
        return signed(at) % extent
    rest = at % te.multiply(extent, 1).astype("uint64")
    return te.bounded(rest.astype("int64"), 0, extent)


_MODES = {
    "clip": clipped,
    "wrap": _wrapped,
    "fast": lambda at, extent: te.bounded(signed(at), 0, extent),
}


def take(
    a: te.Tensor,
    indices: te.Tensor,
    axis: int | None = None,
    batch_dims: int = 0,
    mode: str = "clip",
) -> te.Tensor:
    """The slices of `a` at `indices` along `axis`, as NumPy's take; without an axis, elements.

    `mode` says what a position outside is: with "clip" the nearest one inside, with "wrap" the
    remainder of the extent, with "fast" a mistake of the caller; an axis of extent 0 has no
    positions. The first `batch_dims` axes of
    `indices` are those of `a`.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((2, 3), "int32", name="at")
    >>> take(A, at, axis=0)
    Tensor(shape=[2, 3, 4], dtype=float32, name=take)
    """
    name = "take"
    a_tensor(name, "a", a)
    positions(name, "indices", indices)
    inside = _MODES[one_of(name, "mode", mode, tuple(_MODES))]
    if axis is None:
        count: Any = 1
        for extent in a.shape:
            count = count * extent

        def chosen(*at: Any) -> Any:
            return a(*unravelled(inside(indices(*at), count), a.shape))

        return computed(name, indices.shape, chosen, INJECTIVE)
    along = an_axis(name, axis, a.ndim)
    batch = an_integer(name, "batch_dims", batch_dims)
    batch += indices.ndim if batch < 0 else 0
    if not 0 <= batch <= min(along, indices.ndim):
        raise wrong(
            name, "batch_dims", f"is {batch_dims}, more than axis {along} or {shown(indices)}"
        )
    if not te.same_extents(a.shape[:batch], indices.shape[:batch]):
        raise wrong(name, "indices", f"is {shown(indices)}, but a is {shown(a)}: batches differ")
    end = along + indices.ndim - batch

    def value(*at: Any) -> Any:
        position = indices(*at[:batch], *at[along:end])
        return a(*at[:along], inside(position, a.shape[along]), *at[end:])

    shape = [*a.shape[:along], *indices.shape[batch:], *a.shape[along + 1 :]]
    return computed(name, shape, value, INJECTIVE)


def gather(data: te.Tensor, axis: int, indices: te.Tensor) -> te.Tensor:
    """The element of `data` at its own place, but at the position of `indices` along `axis`.

    As ONNX's GatherElements: both have as many axes.

    >>> A, at = te.placeholder((8, 4), name="A"), te.placeholder((8, 2), "int32", name="at")
    >>> gather(A, 1, at)
    Tensor(shape=[8, 2], dtype=float32, name=gather)
    """
    name = "gather"
    along = an_axis(name, axis, a_tensor(name, "data", data).ndim)
    positions(name, "indices", indices)
    if indices.ndim != data.ndim:
        raise wrong(
            name, "indices", f"is {shown(indices)}, whose axes are not as many as {shown(data)}"
        )

    def value(*at: Any) -> Any:
        place = from_front(indices(*at), data.shape[along])
        return data(*(place if k == along else one for k, one in enumerate(at)))

    return computed(name, indices.shape, value, INJECTIVE)


def gather_nd(a: te.Tensor, indices: te.Tensor) -> te.Tensor:
    """The parts of `a` at `indices`, whose first axis lists the positions on the first axes of `a`.

    As ONNX's GatherND, but with the first axis of `indices` in the place of the last. Positions
    that are floats are rounded towards 0, as in TVM.

    >>> A, at = te.placeholder((8, 4, 3), name="A"), te.placeholder((2, 5), "int32", name="at")
    >>> gather_nd(A, at)
    Tensor(shape=[5, 3], dtype=float32, name=gather_nd)
    """
    name = "gather_nd"
    a_tensor(name, "a", a)
    if is_float(a_tensor(name, "indices", indices).dtype):
        indices = computed(name, indices.shape, lambda *i: indices(*i).astype("int64"), ELEMWISE)
    count = count_of(name, positions(name, "indices", indices), a)
    rest = indices.ndim - 1

    def value(*at: Any) -> Any:
        places = [from_front(indices(k, *at[:rest]), a.shape[k]) for k in range(count)]
        return a(*places, *at[rest:])

    return computed(name, [*indices.shape[1:], *a.shape[count:]], value, INJECTIVE)


def adv_index(data: te.Tensor, indices: Sequence[te.Tensor]) -> te.Tensor:
    """`data[indices[0], indices[1], ...]`, as NumPy: the indices are repeated to one shape.

    >>> A = te.placeholder((8, 4, 3), name="A")
    >>> i, j = te.placeholder((2, 1), "int32", name="i"), te.placeholder((5,), "int32", name="j")
    >>> adv_index(A, [i, j])
    Tensor(shape=[2, 5, 3], dtype=float32, name=adv_index)
    """
    name = "adv_index"
    given = tensors(name, "indices", indices)
    for number, one in enumerate(given):
        positions(name, f"indices[{number}]", one)
    if len(given) > a_tensor(name, "data", data).ndim:
        raise wrong(name, "indices", f"are {len(given)}, more than the axes of {shown(data)}")
    shape = broadcast_shape(name, given)

    def value(*at: Any) -> Any:
        first = at[: len(shape)]
        places = [
            from_front(element(one, first, shape), extent)
            for one, extent in zip(given, data.shape, strict=False)
        ]
        return data(*places, *at[len(shape) :])

    return computed(name, [*shape, *data.shape[len(given) :]], value, INJECTIVE)


def where(condition: object, x: object, y: object) -> te.Tensor:
    """`x` where `condition` is not 0, else `y`; shapes are repeated by NumPy's rule.

    Dtypes meet as in expressions.

    >>> A = te.placeholder((8, 4), name="A")
    >>> where(A > 0, A, 0.0)
    Tensor(shape=[8, 4], dtype=float32, name=where)
    """

    def chosen(c: Any, one: Any, other: Any) -> Any:
        if hasattr(one, "dtype") and hasattr(other, "dtype"):
            dtype = common([one.dtype, other.dtype])
            one, other = one.astype(dtype), other.astype(dtype)
        return te.select(as_bool(c), one, other)

    return applied("where", chosen, condition, x, y)


def one_hot(
    indices: te.Tensor, on_value: object, off_value: object, depth: Any, axis: int, dtype: object
) -> te.Tensor:
    """`on_value` at the positions of `indices` along a new axis of `depth`, else `off_value`.

    A position outside gives no `on_value`. With `axis=-1` the new axis is the last one.

    >>> one_hot(te.placeholder((8,), "int32", name="at"), 1, 0, 10, -1, "float32")
    Tensor(shape=[8, 10], dtype=float32, name=one_hot)
    """
    name = "one_hot"
    positions(name, "indices", indices)
    place = an_axis(name, axis, indices.ndim + 1)
    (extent,) = as_extents(name, "depth", [depth])
    shape = [*indices.shape[:place], extent, *indices.shape[place:]]
    on, off = (
        a_number(name, argument, one, dtype)
        for argument, one in (("on_value", on_value), ("off_value", off_value))
    )

    def value(*at: Any) -> Any:
        here = indices(*at[:place], *at[place + 1 :]) == at[place]
        return te.select(here, on, off)

    return computed(name, shape, value, INJECTIVE)


def sequence_mask(
    data: te.Tensor, valid_length: te.Tensor, mask_value: Any = 0, axis: int = 0
) -> te.Tensor:
    """`data` up to `valid_length[b]` along `axis`, 0 or 1, and `mask_value` from there on.

    `b` is the position on the other one of the first two axes.

    >>> A, n = te.placeholder((8, 4), name="A"), te.placeholder((4,), "int32", name="n")
    >>> sequence_mask(A, n)
    Tensor(shape=[8, 4], dtype=float32, name=sequence_mask)
    """
    name = "sequence_mask"
    a_tensor(name, "data", data)
    positions(name, "valid_length", valid_length)
    along = an_axis(name, axis, data.ndim)
    if along > 1 or data.ndim < 2:
        raise wrong(name, "axis", f"is {axis}, but must be 0 or 1 of {shown(data)}")
    if valid_length.ndim != 1 or not same(valid_length.shape[0], data.shape[1 - along]):
        raise wrong(name, "valid_length", f"is {shown(valid_length)}, for {shown(data)}")
    masked = a_number(name, "mask_value", mask_value, data.dtype)

    def value(*at: Any) -> Any:
        valid = at[along] < valid_length(at[1 - along])
        return te.select(valid, data(*at), masked)

    return computed(name, data.shape, value, INJECTIVE)


def unravel_index(indices: te.Tensor, shape: Any) -> te.Tensor:
    """The indices of row-major positions in a tensor of `shape`, listed along a new first axis.

    `shape` is a list of extents, or a tensor of them whose own extent is constant.

    >>> unravel_index(te.placeholder((8,), "int32", name="at"), (3, 4))
    Tensor(shape=[2, 8], dtype=int32, name=unravel_index)
    """
    name = "unravel_index"
    positions(name, "indices", indices)
    if isinstance(shape, te.Tensor):
        count = positions(name, "shape", shape).shape[0] if shape.ndim == 1 else None
        if not isinstance(count, int):
            raise wrong(name, "shape", f"is {shown(shape)}, whose one extent must be constant")
    else:
        count = len(a_list(name, "shape", shape))

    def value(which: Any, *at: Any) -> Any:
        extents = [shape(k) for k in range(count)] if isinstance(shape, te.Tensor) else shape
        position = indices(*at)
        # Extents may be larger than narrow positions.
        position = position.astype("int32") if bits_of(indices.dtype) < 32 else position
        places = unravelled(position, extents)
        found = places[-1]
        for k in reversed(range(count - 1)):
            found = te.select(which == k, places[k], found)
        return te.multiply(found, 1).astype(indices.dtype)

    if not count:
        raise wrong(name, "shape", "is empty")
    return computed(name, [count, *indices.shape], value, INJECTIVE)
