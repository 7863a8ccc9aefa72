"""Extents and shapes: which are the same, which can be joined, what they are together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import a_place, listed, shown, wrong

MANY = 2**15
"""The least points of which threads share the work."""


def same(one: object, other: object) -> bool:
    """Whether two extents are equal for all values of sizes.

    >>> n = te.var("n")
    >>> same(n + 1, 1 + n), same(n, 8)
    (True, False)
    """
    return te.same_extents([one], [other])


def is_one(extent: object) -> bool:
    """Whether an extent is the constant 1."""
    return isinstance(extent, int) and extent == 1


def is_product(extent: object) -> bool:
    """Whether several factors of an extent depend on sizes: it is not affine.

    >>> n, m = te.var("n"), te.var("m")
    >>> is_product(n * 4), is_product(n * (m + 1))
    (False, True)
    """
    found = te.divided_extents([extent], [])
    assert found is not None
    return len(found) > 2


def are_many(extents: Sequence[object]) -> bool:
    """Whether a box has so many points that threads pay; with a symbolic extent it may have."""
    known = [extent for extent in extents if isinstance(extent, int)]
    return len(known) < len(extents) or math.prod(known) >= MANY


def expect_same(operator: str, given: dict[str, te.Tensor], axes: dict[str, int]) -> Any:
    """The extent of one axis of each tensor, which has to be the same.

    `given` are tensors by the names of their arguments, `axes` the axis of each.
    """
    (first, axis), *others = axes.items()
    extent = given[first].shape[axis]
    for argument, other in others:
        if not same(extent, given[argument].shape[other]):
            problem = f"has the extent {given[argument].shape[other]} on axis {other}, but {first}"
            both = f"{argument} is {shown(given[argument])}, {first} is {shown(given[first])}"
            raise wrong(operator, argument, f"{problem} has {extent} on axis {axis}: {both}")
    return extent


def factors(extents: Sequence[Any]) -> tuple[int, list[Any]]:
    """The product of extents as a constant and the extents that are not constant."""
    constant = math.prod(int(one) for one in extents if isinstance(one, int))
    return constant, [one for one in extents if not isinstance(one, int)]


def with_extents(shape: Sequence[Any], axes: Sequence[int], extents: Sequence[Any]) -> list[Any]:
    """A shape that has other extents on some axes.

    >>> with_extents([8, 4, 2], [0, 2], [3, te.var("n")])
    [3, 4, n]
    """
    found = [*shape]
    for axis, extent in zip(axes, extents, strict=True):
        found[axis] = extent
    return found


def total(extents: Sequence[Any]) -> Any:
    """The product of extents; constants are multiplied first, to make one factor.

    >>> total([2, te.var("n"), 3])
    (n * 6)
    """
    constant, symbolic = factors(extents)
    if not symbolic or constant == 0:
        return constant
    product = symbolic[0]
    for one in symbolic[1:]:
        product = product * one
    return product if constant == 1 else product * constant


def affine_total(operator: str, argument: str, tensor: te.Tensor, extents: Sequence[Any]) -> Any:
    """The product of some extents of a tensor, as an extent, which is affine in the sizes.

    Raises `teloom.Error` if more than one of them is symbolic.
    """
    if len(factors(extents)[1]) > 1:
        product = " * ".join(map(str, extents))
        raise wrong(operator, argument, f"is {shown(tensor)}, but {product} is no affine extent")
    return total(extents)


def quotient(whole: Sequence[Any], parts: Sequence[Any]) -> Any:
    """The product of the extents `whole` over that of `parts`; None if that may be no integer.

    >>> quotient([te.var("n"), 12], [4]), quotient([9], [2])
    ((n * 3), None)
    """
    left = te.divided_extents(whole, parts)
    return None if left is None else total(left)


def ravelled(indices: Sequence[Any], extents: Sequence[Any]) -> Any:
    """The row-major position of an element in a tensor of `extents`."""
    position: Any = 0
    for index, extent in zip(indices, extents, strict=True):
        position = position * extent + index
    return position


def unravelled(position: Any, extents: Sequence[Any]) -> list[Any]:
    """The indices of the element at a row-major position in a tensor of `extents`.

    Of a tensor without elements they are any: there is none.
    """
    found = []
    for axis in reversed(range(len(extents))):
        extent = divisor(extents[axis])
        found.append(position % extent if axis else position)
        position = position // extent if axis else position
    return found[::-1]


def divisor(extent: Any) -> Any:
    """An extent by which positions are divided: 1 where there is none, as it is 0."""
    return 1 if isinstance(extent, int) and extent == 0 else extent


def as_extents(operator: str, argument: str, shape: object) -> list[Any]:
    """A shape that a user gives, as a list of extents."""
    found = [a_place(operator, argument, extent) for extent in listed(shape)]
    for axis, extent in enumerate(found):
        if isinstance(extent, int) and extent < 0:
            raise wrong(operator, argument, f"is {found}, whose extent {axis} is negative")
    return found


def broadcast_shape(operator: str, operands: Sequence[te.Tensor]) -> list[Any]:
    """The shape to which tensors are repeated together, by NumPy's rule.

    Axes are aligned at the end; extents on an axis are the same, or 1. Raises `teloom.Error` for
    others, also for sizes of which it is not known that they are the same.

    >>> A, B = te.placeholder((8, 1), name="A"), te.placeholder((4,), name="B")
    >>> broadcast_shape("add", [A, B])
    [8, 4]
    """
    ndim = max((one.ndim for one in operands), default=0)
    return [_joined(operator, operands, axis) for axis in range(-ndim, 0)]


def _joined(operator: str, operands: Sequence[te.Tensor], axis: int) -> Any:
    """The extent on an axis, counted from the end."""
    found: Any = 1
    for one in operands:
        extent = one.shape[axis] if one.ndim >= -axis else 1
        if is_one(found):
            found = extent
        elif not is_one(extent) and not same(found, extent):
            both = " and ".join(map(shown, operands))
            reason = "are not the same, and none is 1"
            if not (isinstance(found, int) and isinstance(extent, int)):
                reason = "may differ; sizes that are equal must be the same te.var"
            raise wrong(operator, "operands", f"{both}: the extents {found} and {extent} {reason}")
    return found


def element(tensor: te.Tensor, indices: Sequence[Any], shape: Sequence[Any]) -> Any:
    """The element of `tensor` at `indices` of a shape to which it is repeated."""
    behind = len(indices) - tensor.ndim
    return tensor(
        *(
            0 if is_one(extent) and not is_one(shape[axis]) else indices[axis]
            for axis, extent in enumerate(tensor.shape, behind)
        )
    )
