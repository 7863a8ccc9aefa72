"""The elements that readers of a stage need: the images of their instances under their reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.iterations import where_run
from teloom.analysis.regions.slices import points_filling
from teloom.analysis.regions.stage_loops import ComputePlace, StageRegion, instances_of, is_opaque
from teloom.analysis.sets.integer_sets import SET, Constraint
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import (
    Access,
    Read,
    all_stages,
    axes_of,
    in_until,
    leaves_of,
    loops_of,
    path,
    reader_of,
    reads_of,
    stage_of,
)
from teloom.analysis.stages.read_maps import ReadMaps, Root, roots
from teloom.analysis.stages.threads import has_threads, same_threads, without_relaxed
from teloom.dialects import schedule
from teloom.dialects.affine.fold import replace_dims


class Needs:
    """The elements that reads need at the places of stages, for the regions of their readers."""

    def __init__(self, accesses: ReadMaps, regions: Mapping[schedule.StageOp, StageRegion]):
        self.accesses, self.regions = accesses, regions
        self.has_threads = any(map(has_threads, all_stages(accesses.func)))

    def seen(self, stage: schedule.StageOp, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The values around a stage on which its region may depend, so no relaxed loops.

        Each iteration of a relaxed loop needs what all of them together read.
        """
        return without_relaxed(stage, values) if self.has_threads else values

    def of(self, stage: schedule.StageOp, seen: Sequence[SSAValue]) -> Iterator[Points]:
        """The elements that each reader needs, over those values and the roots of data axes."""
        for read in reads_of(stage):
            elements = self.read_by(read, seen, self._in_same_threads(stage, read, seen))
            yield points_filling(elements, read.tensor, self.accesses)

    def read_by(self, read: Read, seen: Sequence[SSAValue], near: Points | None = None) -> Points:
        """The elements that a read reads while sizes and axes have the values `seen`.

        `near` are the instances that count; by default all.
        """
        near = self.instances(read) if near is None else near
        near = self._by_values(near, reader_of(read), seen)
        elements = self.accesses.of(read).elements
        shared = elements.names_of(Root)
        kept = {*seen, *shared}
        return near.over([name for name in near.names if name in kept]).through(elements, shared)

    def _by_values(self, near: Points, stage: schedule.StageOp, seen: Sequence[SSAValue]) -> Points:
        """Instances of a stage by those values, too, that make no difference to its own region."""
        missing = {*seen}.difference(near.names)
        while missing and stage.enclosing is not None:
            within = self.regions[stage].within
            near = near.intersect(within.points(within.around))
            stage = stage.enclosing
            kept = {*seen, *self.regions[stage].place.values}
            near = near.over([n for n in near.names if n in kept or isinstance(n, Root)])
            missing.difference_update(near.names)
        return near

    def _in_same_threads(
        self, stage: schedule.StageOp, read: Read, seen: Sequence[SSAValue]
    ) -> Points:
        """The instances of a read in the threads around a stage that each have a copy of it.

        Where a loop inside the place has more iterations than there are threads around, any
        thread may run them.
        """
        near, reader = self.instances(read), reader_of(read)
        if not self.has_threads:
            return near
        region = self.regions[reader]
        around = {*path(stage)}
        loops = [axis for axis in loops_of(read) if axis not in around]
        for inner, outer in same_threads(stage, loops, seen):
            distance = self._index(inner, region.values) + self._index(outer, region.values) * -1
            same = Constraint(distance, True)
            iterations = where_run(near.over(region.values), reader, region.place, self.regions)
            by_own = iterations.where(same).without([outer])
            if iterations.without([outer]).set.is_subset(by_own.set):
                near = near.where(same)
        return near

    def _index(self, axis: SSAValue, values: Sequence[SSAValue]) -> AffineExpr:
        """The distance of a loop's axis from its start, over values of a stage in the loop."""
        region = self.regions[stage_of(axis)]

        def here(dim: int) -> AffineExpr:
            return AffineExpr.dimension(values.index(region.values[dim]))

        start = replace_dims(region.starts[axis], here)
        return AffineExpr.dimension(values.index(axis)) + start * -1

    def taken_whole(self, reads: Iterable[Read], values: Sequence[SSAValue]) -> list[SSAValue]:
        """Opaque axes around reads that are left out, though `values` has leaves of them."""
        found: dict[SSAValue, None] = {}
        for read in reads:
            region = self.regions[reader_of(read)]
            half_fixed = [
                axis
                for dim, axis in enumerate(region.values)
                if axis not in values and any(leaf in values for leaf in leaves_of(axis))
                if is_opaque(region, dim)
            ]
            if half_fixed:
                instances = self.instances(read)
                elements = self.read_by(read, region.values)
                context = instances.over(region.values).over(elements.names)
                elements = elements.set.gist(context.set)
                dims = {axis: region.values.index(axis) for axis in half_fixed}
                found |= {axis: None for axis in dims if elements.involves_dims(SET, dims[axis], 1)}
        return list(found)

    def instances(self, read: Access) -> Points:
        """The instances at which a read happens."""
        region = self.regions[reader_of(read)]
        if in_until(read):
            return self._before_loops(read, region.place)
        return instances_of(read, region)

    def _before_loops(self, read: Access, place: ComputePlace) -> Points:
        """All instances of a read that decides whether a loop ends: more than the body may have."""
        axes = roots(axes_of(read))
        declared = self.accesses.inside(axes, self.accesses.box_of(read))
        return declared.over([*place.values, *axes]).intersect(place.points(place.around))
