"""Boxes: their overlap, non-maximum suppression, and the positions of valid ones.

A box is two opposite corners, (x1, y1, x2, y2) or (y1, x1, y2, x2), in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.points import over_buffers


class Box(NamedTuple):
    """The lesser and the greater corner."""

    left: Any
    top: Any
    right: Any
    bottom: Any

    @staticmethod
    def of(corners: Any) -> Box:
        """A box with two opposite corners, of two coordinates each."""
        a, b, c, d = corners
        return Box(te.min(a, c), te.min(b, d), te.max(a, c), te.max(b, d))

    def area(self, side: int) -> Any:
        return (self.right - self.left + side) * (self.bottom - self.top + side)


def overlap(one: Box, other: Box, side: int = 0) -> Any:
    """The area that two boxes share over that of both, and 0 if they have none.

    `side` is 1 where corners are the first and the last pixel, so that one pixel has an area.
    """
    zero = te.const(0, one.left.dtype)
    width = te.max(te.min(one.right, other.right) - te.max(one.left, other.left) + side, zero)
    height = te.max(te.min(one.bottom, other.bottom) - te.max(one.top, other.top) + side, zero)
    shared = width * height
    both = one.area(side) + other.area(side) - shared
    return te.select(both > 0, shared / both, zero)


class Candidates(NamedTuple):
    """The boxes among which some are chosen, by their numbers, the best first."""

    corners: Callable[[Any], Any]
    """Both corners of a box, four coordinates."""
    counts: Callable[[Any], Any]
    """Whether a box is one at all."""
    are_rivals: Callable[[Any, Any], Any] | None
    """Whether two boxes cannot both be kept if they overlap; None if no two can."""
    is_too_much: Callable[[Any], Any]
    """Whether an overlap is too much."""
    side: int = 0


def choose(
    ib: Any,
    candidates: Candidates,
    extent: Any,
    end: Any,
    limit: Any,
    chosen: Callable[[Any, Any], None],
) -> Any:
    """Notes the choice among the first `end` of `extent` boxes; returns how many are chosen.

    A box is chosen unless it overlaps too much with one that was chosen before, up to `limit` many;
    below 0 there is no limit. `chosen(k, n)` notes what is done with box k, the n-th that is.
    """
    kept = ib.allocate("int32", (extent,), name="kept")
    count = ib.allocate("int32", (), name="kept_count")
    alive = ib.allocate("bool", (), name="alive")
    count[()] = 0
    with ib.for_range(0, end, "candidate") as k:
        alive[()] = candidates.counts(k) & ((limit < 0) | (count[()] < limit))
        with ib.if_scope(alive[()]):
            box = _let_box(ib, "box", candidates.corners(k))
            with ib.for_range(0, count[()], "rival") as j:
                other = ib.let("other", kept[j])
                rivals = candidates.are_rivals
                contested = alive[()] if rivals is None else alive[()] & rivals(k, other)
                with ib.if_scope(contested):
                    rival = _let_box(ib, "rival_box", candidates.corners(other))
                    shared = overlap(box, rival, candidates.side)
                    with ib.if_scope(candidates.is_too_much(shared)):
                        alive[()] = False
        with ib.if_scope(alive[()]):
            number = ib.let("number", count[()])
            kept[number] = k
            chosen(k, number)
            count[()] = number + 1
    return count


def _let_box(ib: Any, name: str, corners: Any) -> Box:
    sides = Box._fields
    return Box(
        *(ib.let(f"{name}_{side}", one) for side, one in zip(sides, Box.of(corners), strict=True))
    )


def true_first(name: str, flags: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
    """How many elements of each row are true, and their positions, behind which -1 stands."""
    rows, extent = flags.shape

    @over_buffers
    def body(ib: Any, test: Any, counts: Any, places: Any) -> None:
        with ib.for_range(0, rows, "row") as row:
            counts[row] = 0
            with ib.for_range(0, extent, "column") as column:
                places[row, column] = -1
                with ib.if_scope(test[row, column]):
                    number = ib.let("number", counts[row])
                    places[row, number] = column
                    counts[row] = number + 1

    counts, places = te.extern(
        [(rows,), (rows, extent)], [flags], body, name=f"{name}_true", dtype=["int32", "int32"]
    )
    return counts, places
