"""What an update does with its elements first: which it reads as they begin, which it writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue

from teloom.analysis.sets.integer_sets import flat_set
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.conditions import conditions_around
from teloom.analysis.stages.queries import result_behind
from teloom.analysis.stages.read_maps import ReadMaps, Root, coordinates, data_roots, roots
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.bodies.update import is_state


class PointBefore(NamedTuple):
    """The name of a coordinate of an earlier point of the domain."""

    root: Root


def beginning(stage: schedule.StageOp, accesses: ReadMaps) -> Points | None:
    """The elements of an update that have to begin, over sizes and data axes; None if all have.

    The others are written, at some point of the domain, before any point reads them. Loops keep the
    order of a write and a read of one element, so in these, too, the write is first.
    """
    if not _has_known_points(stage):
        return None
    found = [_States(stage, accesses, result).beginning() for result in stage.results]
    known = [one for one in found if one is not None]
    return reduce(Points.union, known) if len(known) == len(found) else None


def first_reads(stage: schedule.StageOp, accesses: ReadMaps) -> list[te.ReadOp]:
    """The reads of an update that find elements as they begin, and that are written at some point.

    A point reads before it writes.
    """
    if not _has_known_points(stage):
        return []
    parts = (_States(stage, accesses, result) for result in stage.results)
    return [read for part in parts for read in part.first_reads()]


def _has_known_points(stage: schedule.StageOp) -> bool:
    """Whether the points of an update are those of a box, in an order that loops keep."""
    update = stage.update
    if update is None or update.ending is not None or update.is_reorderable:
        return False
    return not stage.bounds.over_axes() and not stage.data_bounded_axes


class _States:
    """The accesses of an update to one of its results, over the points of its domain."""

    def __init__(self, stage: schedule.StageOp, accesses: ReadMaps, result: SSAValue):
        assert stage.update is not None
        self.stage, self.accesses = stage, accesses
        accessing = ops_in(stage.update.body, te.ReadOp, te.WriteOp)
        self.touching = [
            op for op in accessing if is_state(op.tensor) and result_behind(op.tensor) is result
        ]
        count = stage.data_axis_count
        self.places, self.points = coordinates(count), roots(stage.root_axes[count:])
        self.box = accesses.axis_box(stage)
        self.domain = accesses.inside(self.points, self.box[count:])

    @property
    def _writes(self) -> list[te.WriteOp]:
        return [op for op in self.touching if isinstance(op, te.WriteOp)]

    @property
    def _reads(self) -> list[te.ReadOp]:
        return [op for op in self.touching if isinstance(op, te.ReadOp)]

    def beginning(self) -> Points | None:
        """The elements that have to begin; None if all have."""
        written = self._certain
        if written is None:
            return None
        before = self._before(written)
        elements = self.accesses.inside(self.places, self.box[: len(self.places)])
        begin = elements.subtract(written.over(elements.names))
        for read in self._reads:
            first = self._elements(read).subtract(before)
            begin = begin.union(first.over(elements.names))
        if elements.subtract(begin).set.is_empty():
            return None
        begin = begin._replace(set=begin.set.coalesce())
        return begin.renamed(self.places, data_roots(self.stage))

    def first_reads(self) -> list[te.ReadOp]:
        """The reads that find all elements as they begin, all of which are written later."""
        written = self._certain
        if written is None:
            return []
        before = self._before(reduce(Points.union, map(self._elements, self._writes)))
        places = [*self.accesses.sizes, *self.places]
        return [
            read
            for read in self._reads
            if not self.accesses.of(read).opaque
            and self._elements(read).intersect(before).set.is_empty()
            and self._elements(read).over(places).subtract(written.over(places)).set.is_empty()
        ]

    @property
    def _certain(self) -> Points | None:
        """The points of the domain, each with what it writes in any case; None if that is none."""
        writes = [self._elements(op) for op in self._writes if self._always_happens(op)]
        return reduce(Points.union, writes) if writes else None

    def _always_happens(self, write: te.WriteOp) -> bool:
        """Whether a write happens at every point, and at a known place."""
        return not self.accesses.of(write).opaque and not any(conditions_around(write))

    @property
    def _at_points(self) -> Sequence[Name]:
        return [*self.accesses.sizes, *self.points, *self.places]

    def _elements(self, access: te.ReadOp | te.WriteOp) -> Points:
        """The points of the domain, each with the element that an access touches there."""
        return self.accesses.of(access).elements.intersect(self.domain).over(self._at_points)

    def _before(self, written: Points) -> Points:
        """The points of the domain, each with the elements that earlier points have written."""
        earlier: list[Name] = [*map(PointBefore, self.points)]
        before = isl.Map.lex_lt(isl.Space.set_alloc(self.accesses.context, 0, len(earlier)))
        order = Points([*earlier, *self.points], flat_set(before))
        return written.renamed(self.points, earlier).intersect(order).over(self._at_points)
