"""Loops over the points of a box, in the bodies of externs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def each_point(ib: Any, extents: list[Any], note: Callable[[list[Any]], None], *at: Any) -> None:
    """Loops around what `note` notes, one per extent."""
    if len(at) == len(extents):
        note([*at])
        return
    with ib.for_range(0, extents[len(at)]) as index:
        each_point(ib, extents, note, *at, index)
