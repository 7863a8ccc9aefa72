"""Tensors side by side, and one tensor several times."""

from __future__ import annotations

import math
from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, an_axis, integers, listed, shown, tensors, wrong
from teloom.topi.dtypes import common
from teloom.topi.elementwise import computed
from teloom.topi.extents import divisor, same
from teloom.topi.tag import BROADCAST, INJECTIVE


def concatenate(a_tuple: object, axis: int = 0) -> te.Tensor:
    """Tensors one after the other along `axis`; their other extents are the same.

    Dtypes meet as in expressions.

    >>> A, B = te.placeholder((8, te.var("n")), name="A"), te.placeholder((8, 3), name="B")
    >>> concatenate([A, B], axis=1)
    Tensor(shape=[8, (n + 3)], dtype=float32, name=concatenate)
    """
    name = "concatenate"
    given = tensors(name, "a_tuple", a_tuple)
    first = given[0]
    along = an_axis(name, axis, first.ndim)
    for number, one in enumerate(given[1:], 1):
        if difference := _difference(one, first, along):
            problem = f"is {shown(one)}, which does not fit behind {shown(first)} on axis {along}"
            raise wrong(name, f"a_tuple[{number}]", f"{problem}: {difference}")
    dtype = common(one.dtype for one in given)
    ends: list[Any] = [0, first.shape[along]]
    for one in given[1:]:
        ends.append(ends[-1] + one.shape[along])

    def value(*indices: Any) -> Any:
        found = None
        for one, begin, end in zip(given[::-1], ends[-2::-1], ends[:0:-1], strict=True):
            at = (k - begin if axis == along else k for axis, k in enumerate(indices))
            here = one(*at).astype(dtype)
            found = here if found is None else te.if_then_else(indices[along] < end, here, found)
        return found

    shape = [*first.shape[:along], ends[-1], *first.shape[along + 1 :]]
    return computed(name, shape, value, INJECTIVE)


def _difference(one: te.Tensor, first: te.Tensor, along: int) -> str | None:
    """What keeps two tensors from standing one after the other along an axis."""
    if one.ndim != first.ndim:
        return f"it has {one.ndim} axes, not {first.ndim}"
    for axis, (found, wanted) in enumerate(zip(one.shape, first.shape, strict=True)):
        if axis != along and not same(found, wanted):
            return f"on axis {axis} it has the extent {found}, not {wanted}"
    return None


def stack(a: object, axis: int = 0) -> te.Tensor:
    """Tensors of one shape one after the other along a new axis; dtypes meet as in expressions.

    >>> A, B = te.placeholder((8, 4), name="A"), te.placeholder((8, 4), name="B")
    >>> stack([A, B], axis=1)
    Tensor(shape=[8, 2, 4], dtype=float32, name=stack)
    """
    given = _alike("stack", a)
    dtype = common(one.dtype for one in given)
    place = an_axis("stack", axis, given[0].ndim + 1)

    def value(*indices: Any) -> Any:
        at = (*indices[:place], *indices[place + 1 :])
        found = given[-1](*at).astype(dtype)
        for number in reversed(range(len(given) - 1)):
            found = te.if_then_else(
                indices[place] == number, given[number](*at).astype(dtype), found
            )
        return found

    shape = [*given[0].shape[:place], len(given), *given[0].shape[place:]]
    return computed("stack", shape, value, INJECTIVE)


def _alike(name: str, a: object) -> list[te.Tensor]:
    given = tensors(name, "a", a)
    for number, one in enumerate(given):
        if not te.same_extents(one.shape, given[0].shape):
            raise wrong(name, f"a[{number}]", f"is {shown(one)}, not as {shown(given[0])}")
    return given


def repeat(a: te.Tensor, repeats: int, axis: int) -> te.Tensor:
    """Each element `repeats` times, one after the other along `axis`, as NumPy's repeat.

    >>> repeat(te.placeholder((8, te.var("n")), name="A"), 2, axis=1)
    Tensor(shape=[8, (n * 2)], dtype=float32, name=repeat)
    """
    along = an_axis("repeat", axis, a_tensor("repeat", "a", a).ndim)
    (count,) = integers("repeat", "repeats", repeats, 1, least=0)
    shape = [one * count if k == along else one for k, one in enumerate(a.shape)]

    def value(*indices: Any) -> Any:
        return a(*(one // max(count, 1) if k == along else one for k, one in enumerate(indices)))

    return computed("repeat", shape, value, BROADCAST)


def tile(a: te.Tensor, reps: object) -> te.Tensor:
    """The whole of `a` so many times along each axis, as NumPy's tile; axes align at the end.

    >>> tile(te.placeholder((8, 4), name="A"), (3, 1, 2))
    Tensor(shape=[3, 8, 8], dtype=float32, name=tile)
    """
    a_tensor("tile", "a", a)
    given = listed(reps)
    ndim = max(a.ndim, len(given))
    counts = integers("tile", "reps", [*[1] * (ndim - len(given)), *given], ndim, least=0)
    extents = [*[1] * (ndim - a.ndim), *a.shape]
    shape = [one * count for one, count in zip(extents, counts, strict=True)]

    def value(*indices: Any) -> Any:
        if math.prod(counts) == 0:
            return te.const(0, a.dtype)
        at = [
            one if count == 1 else one % divisor(extent)
            for one, extent, count in zip(indices, extents, counts, strict=True)
        ]
        return a(*at[ndim - a.ndim :])

    return computed("tile", shape, value, BROADCAST)
