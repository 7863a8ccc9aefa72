"""Positions that are data: which are accepted, and what they are as subscripts."""

from __future__ import annotations

from typing import Any

from teloom import te
from teloom.topi.arguments import a_tensor, shown, wrong
from teloom.topi.dtypes import of_kind


def positions(operator: str, argument: str, value: object) -> te.Tensor:
    """A tensor of integers."""
    return of_kind(operator, argument, a_tensor(operator, argument, value), "integer")


def signed(position: Any) -> Any:
    """A position as a number with a sign; one of 2^63 and more is taken for the largest of these.

    >>> signed(te.const(2**64 - 1, "uint64"))
    9223372036854775807
    """
    if position.dtype == "uint64":
        return te.min(position, te.const(2**63 - 1, "uint64")).astype("int64")
    is_wide = position.dtype in ("int64", "uint32")
    return position.astype("int64" if is_wide else "int32")


def clipped(position: Any, extent: Any) -> Any:
    """The position, or the nearest one from 0 to an extent, which is excluded."""
    return te.max(te.min(signed(position), extent - 1), 0)


def from_front(position: Any, extent: Any) -> Any:
    """A position of which a negative one counts from the end of an axis, as a subscript."""
    if "uint" in position.dtype:
        return te.bounded(position, 0, extent)
    wide = position if position.dtype == "int64" else position.astype("int32")
    return te.bounded(te.select(wide < 0, wide + extent, wide), 0, extent)


def count_of(operator: str, indices: te.Tensor, a: te.Tensor) -> int:
    """How many positions the first axis of `indices` lists: one for each of some axes of `a`."""
    count = indices.shape[0] if indices.ndim else None
    if not isinstance(count, int) or count > a.ndim:
        problem = f"is {shown(indices)}, whose first axis must list positions on axes of {shown(a)}"
        raise wrong(operator, "indices", problem)
    return count
