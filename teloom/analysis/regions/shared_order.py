"""Whether stages that share loops read each other only after what they read is computed.

Time is the iteration of the loops that two stages share. Of two instances of one iteration, that
of the stage which stands first in the loop runs first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.iterations import where_run
from teloom.analysis.regions.slices import points_filling
from teloom.analysis.regions.stage_loops import StageRegion
from teloom.analysis.sets.integer_sets import Constraint, more_than
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import (
    Read,
    first_of_run,
    in_init,
    init_depth,
    kind_of,
    name_of,
    no_order_text,
    reader_of,
    reads_of,
    run_of,
    stages_around,
)
from teloom.analysis.stages.read_maps import ReadMaps, Root, data_roots, instance_at, roots
from teloom.analysis.stages.uses import uses_of
from teloom.dialects import schedule
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.schedule import Align
from teloom.errors import ScheduleError


class Who(StrEnum):
    WRITER = "writer"
    READER = "reader"


class Time(NamedTuple):
    """The name of the iteration of a shared loop in which an instance runs."""

    who: Who
    depth: int


class Instances(Protocol):
    """The instances of stages, and the bounds of their loops: as inferred, or as in a text."""

    reads: ReadMaps

    def around(self, stage: schedule.StageOp) -> Sequence[SSAValue]:
        """Sizes, and the loops around a stage."""
        ...

    def of(self, stage: schedule.StageOp, of_init: bool) -> Points:
        """The instances of the body or of the init, over sizes, all loops around, leaves, roots."""
        ...

    def bounds(
        self, stage: schedule.StageOp, axis: SSAValue
    ) -> tuple[Sequence[AffineExpr], Sequence[AffineExpr], Sequence[SSAValue]]:
        """The lower and the upper bounds of a leaf, and the values that they are over."""
        ...


class InferredInstances:
    """The instances of regions that are being inferred."""

    def __init__(self, reads: ReadMaps, regions: Mapping[schedule.StageOp, StageRegion]):
        self.reads, self.regions = reads, regions

    def around(self, stage: schedule.StageOp) -> Sequence[SSAValue]:
        return self.regions[stage].within.values

    def of(self, stage: schedule.StageOp, of_init: bool) -> Points:
        region = self.regions[stage]
        instances = region.init_instances if of_init else region.instances
        return where_run(instances, stage, region.within, self.regions)

    def bounds(
        self, stage: schedule.StageOp, axis: SSAValue
    ) -> tuple[Sequence[AffineExpr], Sequence[AffineExpr], Sequence[SSAValue]]:
        region = self.regions[stage]
        return *region.bounds[axis], region.values


def shared_with(writer: schedule.StageOp, read: Read) -> schedule.StageOp | None:
    """The stage in whose loops a read is, if it shares loops with the writer."""
    run, reader = run_of(first_of_run(writer)), reader_of(read)
    inside = (one for one in (reader, *stages_around(reader)) if one in run and one is not writer)
    return next(inside, None)


class SharedTimes(NamedTuple):
    """When the elements of a stage are written and read in the loops that it shares.

    Both are over the values of its place, `times` and the data axes.
    """

    written: Points
    read: Points
    times: list[Time]


class SharedOrder:
    """The order of the instances of stages that share loops, `run`."""

    def __init__(self, run: Sequence[schedule.StageOp], instances: Instances):
        self.run, self.instances = run, instances

    def times_of(self, stage: schedule.StageOp) -> SharedTimes | None:
        """The times of a stage whose readers are all in loops that it shares with them.

        None if one is not, and if iterations of these loops run at the same time.
        """
        reads = [(read, shared_with(stage, read)) for read in reads_of(stage)]
        leaves = list(stage.order.axes)
        first = init_depth(stage)
        depth = len(leaves) if first is None else first
        for read, member in reads:
            if member is None:
                return None
            head = self._head(read, member)
            depth = min(depth, self._common(stage, member), depth if head is None else head)
        if not depth or not all(kind_of(axis).one_after_another for axis in leaves[:depth]):
            return None
        times = [Time(Who.WRITER, k) for k in range(depth)]
        names = [*self._outer(), *times, *data_roots(stage)]
        ran = self.instances.of(stage, of_init=first is not None)
        written = self._timed(ran, stage, depth, Who.WRITER).over(names)
        late = [Time(Who.READER, k) for k in range(depth)]
        found = written._replace(set=isl.Set.empty(written.set.get_space()))
        for read, member in reads:
            assert member is not None
            found = found.union(self._elements(read, member, depth).renamed(late, times))
        return SharedTimes(written, found, times)

    def check(self, writer: schedule.StageOp, read: Read, member: schedule.StageOp) -> None:
        """Raises ScheduleError, with two instances, if a read can come before what it reads.

        It is in the loops of a member of the run, and another member writes what it reads.
        """
        depth, is_first = self._common(writer, member), self._is_first(writer, member)
        if (head := self._head(read, member)) is not None and head < depth:
            # It is computed in front of a loop that both share.
            depth, is_first = head, False
        read_at = self._elements(read, member, depth)
        for part, points in self._written(writer, depth):
            shared = min(depth, part)
            pairs = points.intersect(read_at)
            for late in self._late(pairs, writer, shared, is_first or part < depth):
                if not late.set.is_empty():
                    raise ScheduleError(self._witness(writer, read, late), read)

    def _common(self, one: schedule.StageOp, other: schedule.StageOp) -> int:
        """The number of loops that two members share."""
        places = sorted((self.run.index(one), self.run.index(other)))
        return min(len(stage.shared) for stage in self.run[places[0] + 1 : places[1] + 1])

    def _is_first(self, one: schedule.StageOp, other: schedule.StageOp) -> bool:
        return self.run.index(one) < self.run.index(other)

    def _head(self, read: Read, member: schedule.StageOp) -> int | None:
        """The number of the member's loops around a stage in it that reads."""
        inner = reader_of(read)
        if inner is member:
            return None
        while inner.enclosing is not member:
            assert inner.enclosing is not None
            inner = inner.enclosing
        return list(member.order.axes).index(inner.at) + 1

    def _written(self, writer: schedule.StageOp, depth: int) -> Iterator[tuple[int, Points]]:
        """When the writer writes, and its init: the loops that are around, and the points."""
        parts = [(len(writer.order.axes), False)]
        if (first := init_depth(writer)) is not None:
            parts.append((first, True))
        for count, of_init in parts:
            ran = self.instances.of(writer, of_init)
            yield count, self._timed(ran, writer, min(count, depth), Who.WRITER)

    def _elements(self, read: Read, member: schedule.StageOp, depth: int) -> Points:
        """When a read happens, by the points of the writer that it needs, and its own."""
        ran = self.instances.of(reader_of(read), in_init(read))
        timed = self._timed(ran, member, depth, Who.READER)
        elements = timed.intersect(self.instances.reads.of(read).elements)
        return points_filling(elements, read.tensor, self.instances.reads)

    def _timed(self, points: Points, member: schedule.StageOp, depth: int, who: Who) -> Points:
        """The points with the iterations of the loops that the member shares, of its own roots."""
        times = [Time(who, k) for k in range(depth)]
        timed = self.timed(points, member, depth, who)
        own = [name for name in timed.names if isinstance(name, Root)]
        return timed.over([*self._outer(), *times, *own])

    def timed(self, points: Points, member: schedule.StageOp, depth: int, who: Who) -> Points:
        """The points with the iterations of so many of the loops that the member shares, too."""
        times = [Time(who, k) for k in range(depth)]
        missing = [value for value in self._outer() if value not in points.names]
        timed = points.over([*points.names, *missing, *times])
        for k in range(depth):
            leader = self._leader(member, k)
            word = Align.NONE if leader is member else self._word(member, k)
            position = timed.dim(member.order.axes[k])
            if word is Align.NONE:
                same = Constraint(timed.dim(times[k]), True, position)
            else:
                start = self._bound(leader, k, word, timed, who)
                own = self._bound(member, k, word, timed, None)
                same = Constraint(timed.dim(times[k]) + own, True, position + start)
            timed = timed.where(same)
        return timed

    def _outer(self) -> list[SSAValue]:
        """The sizes, and the loops around the run."""
        return list(self.instances.around(self.run[0]))

    def _leader(self, member: schedule.StageOp, depth: int) -> schedule.StageOp:
        """The first of the stages in the loop of a member at a depth."""
        place = self.run.index(member)
        while len(self.run[place].shared) > depth:
            place -= 1
        return self.run[place]

    def _word(self, member: schedule.StageOp, depth: int) -> Align:
        return member.shared[depth]

    def _bound(
        self, stage: schedule.StageOp, depth: int, word: Align, points: Points, who: Who | None
    ) -> AffineExpr:
        """The bound by which an axis is aligned; loops around are those of `who`, or its own."""
        leaves = list(stage.order.axes)
        lower, upper, values = self.instances.bounds(stage, leaves[depth])
        found = upper if word is Align.END else lower
        if len(found) > 1:
            raise ScheduleError(
                f'axis {schedule.axis_name(leaves[depth])} of stage "{name_of(stage)}" has '
                f'{len(found)} bounds at the {word} by which it is aligned; align it by "none"',
                stage,
            )

        def here(dim: int) -> AffineExpr:
            value = values[dim]
            if who is not None and value in leaves:
                return points.dim(Time(who, leaves.index(value)))
            return points.dim(value)

        return replace_dims(found[0], here)

    def _late(
        self, pairs: Points, writer: schedule.StageOp, depth: int, is_first: bool
    ) -> Iterator[Points]:
        """The pairs in which the write does not come before the read."""
        for k in range(depth):
            written, read = (pairs.dim(Time(who, k)) for who in Who)
            yield pairs.where(more_than(written, read))
            if kind_of(writer.order.axes[k]).at_the_same_time:
                yield pairs.where(more_than(read, written))
            pairs = pairs.where(Constraint(written, True, read))
        if not is_first:
            yield pairs

    def _witness(self, writer: schedule.StageOp, read: Read, late: Points) -> str:
        """An instance that reads, and one that writes what it reads, but later."""
        accesses, reader = self.instances.reads, reader_of(read)
        point = late.sample()
        times = [
            [number for name, number in point.items() if isinstance(name, Time) and name.who is who]
            for who in Who
        ]
        element = [point[name] for name in data_roots(writer)]
        at = [point[name] for name in roots(writer.root_axes) if name in point]
        sizes = f" (here {known})" if (known := accesses.sizes_at(point)) else ""
        why = "which is not before that"
        if times[0] < times[1]:
            pairs = zip(writer.order.axes, *times, strict=False)
            why = no_order_text(next(axis for axis, wrote, seen in pairs if wrote != seen))
        return (
            f'stage "{name_of(reader)}" at {instance_at(point, reader)} reads '
            f"{name_of(writer)}{element} in iteration {times[1]} of the loops that they share, but "
            f'"{name_of(writer)}" at {at} computes it in iteration {times[0]}, {why}'
            f"{uses_of(reader, point, accesses)}{sizes}"
        )
