"""Extents and shapes: which are the same, which can be joined, what they are together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import shown, wrong


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


def total(extents: Sequence[Any]) -> Any:
    """The product of extents, at most one of which is not constant.

    Constants are multiplied first, so that the product is one that te accepts.

    >>> total([2, te.var("n"), 3])
    (n * 6)
    """
    constant = math.prod(int(one) for one in extents if isinstance(one, int))
    symbolic = [one for one in extents if not isinstance(one, int)]
    product = symbolic[0] if symbolic else constant
    for one in symbolic[1:]:
        product = product * one
    return product * constant if symbolic and constant != 1 else product


def as_extents(operator: str, argument: str, shape: object) -> list[Any]:
    """A shape that a user gives, as a list of extents."""
    listed = list(shape) if isinstance(shape, list | tuple) else [shape]
    for axis, extent in enumerate(listed):
        if isinstance(extent, int) and extent < 0:
            raise wrong(operator, argument, f"is {listed}, whose extent {axis} is negative")
    return listed


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
