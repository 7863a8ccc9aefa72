"""The instances that the loops of scheduled stages will run, by the ranges, values and guards.

These sets are made from the text that `infer-bounds` leaves, or that is written by hand. They share
nothing with the regions from which that text was made. So they can check it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType

import islpy as isl
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.dependences.time_vectors import (
    Nest,
    axes_of_nest,
    has_elements,
    has_init_nest,
    loops_of_nest,
)
from teloom.analysis.sets.conditions import constraints_of
from teloom.analysis.sets.integer_sets import (
    Constraint,
    at_least,
    flat_set,
    inside,
    map_of,
    more_than,
    set_of,
)
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.domains import inside_bounds
from teloom.analysis.stages.first_accesses import beginning
from teloom.analysis.stages.queries import (
    all_stages,
    bounds_from_data,
    box_of,
    fixed_axes,
    loops_around,
    name_of,
    outputs_of,
    path,
    stage_of,
    stages_around,
)
from teloom.analysis.stages.read_maps import ReadMaps, data_roots, roots
from teloom.dialects import schedule, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError

Fusions = Mapping[SSAValue, Sequence[SSAValue]]
"""Loops that run through all points of some axes, each of them once."""


def is_axis(value: SSAValue) -> bool:
    """Whether a value is an axis of a stage; otherwise it is a size, or computed from sizes."""
    return isinstance(value.type, schedule.AxisType)


def is_size(value: object) -> bool:
    """Whether a value is a size, or computed from sizes: neither an axis nor a bound from data."""
    if not isinstance(value, SSAValue) or is_axis(value):
        return False
    return not isinstance(value.owner, schedule.BoundsOp)


def sizes_in(func: te.FuncOp) -> list[SSAValue]:
    """The sizes of a function, and all else that its stages use as a size.

    These are products of sizes, and ends of axes that come from data.
    """
    found = dict.fromkeys(func.sizes)
    for stage in all_stages(func):
        for op in stage.inferred:
            used = (value for value in (*op.operands, *op.results) if not is_axis(value))
            found |= dict.fromkeys(used)
    return [*found]


def range_of(axis: SSAValue) -> schedule.RangeOp:
    """The range of an axis. Raises PassError if it has none."""
    stage = stage_of(axis)
    found = stage.ranges.get(axis)
    if found is None:
        name = schedule.axis_name(axis)
        raise PassError(f"axis {name} has no schedule.range; run infer-bounds first", stage)
    return found


def is_affine(stage: schedule.StageOp, parts: Collection[SSAValue]) -> bool:
    """Whether all axes that the text of a stage uses are affine functions of its loops.

    Those in `parts` need not be.
    """
    values = stage.values
    used = {*stage.root_axes}
    for op in [*values.values(), *stage.guards]:
        used |= {one for one in op.operands if is_axis(one) and stage_of(one) is stage}
    return used.issubset({*stage.order.axes, *values, *parts})


def counting(guard: schedule.GuardOp, fixed: Collection[SSAValue]) -> Sequence[Conjunction]:
    """The alternatives of a guard, without constraints on other axes of its stage than `fixed`.

    Constraints on reduce axes do not count for an init.
    """
    stage = guard.parent_op()
    known = {
        dim
        for dim, value in enumerate(guard.operands_)
        if not is_axis(value) or stage_of(value) is not stage or value in fixed
    }
    return [one.only(lambda expr: expr.used_dims() <= known) for one in guard.alternatives]


def _with_around(stages: Sequence[schedule.StageOp]) -> Iterator[schedule.StageOp]:
    """Stages, each followed by the stages around it."""
    return (one for stage in stages for one in (stage, *stages_around(stage)))


class InstanceSets:
    """The instances of the stages of one function, as sets whose leading coordinates are `sizes`.

    A loop in `fusions` runs through all points of some axes. Sets do not relate this loop to its
    axes, and contain all of their points in each of its iterations. So they are right for all
    iterations together, not for a single one.
    """

    def __init__(self, func: te.FuncOp, fusions: Fusions = MappingProxyType({})):
        self.func, self.context, self.fusions = func, isl.Context(), fusions
        self.sizes = sizes_in(func)
        self.reads = ReadMaps(func, self.sizes, self.context)
        self._promises = [op for stage in all_stages(func) for op in stage.promises]

    def _as_promised(self, points: Points) -> Points:
        """The points at sizes that fulfil the promises of schedules, which each call checks."""
        for promise in self._promises:
            at = [points.dim(size) for size in promise.operands_]
            alternatives = [
                one.map(lambda expr: replace_dims(expr, at.__getitem__))
                for one in promise.alternatives
            ]
            held = [points.where(*constraints_of(one)) for one in alternatives]
            points = reduce(Points.union, held)
        return points

    # Why the sets of stages, and of the stages around them, may differ from the text

    def inexact(self, *stages: schedule.StageOp) -> str | None:
        """Why sets may have more instances than loops run; None if they do not."""
        return self.opaque(*stages) or self.from_data(*stages) or self.of_products(*stages)

    def opaque(self, *stages: schedule.StageOp) -> str | None:
        """Which axes are no affine functions of loops: of these, sets know only the range."""
        parts = [part for parts in self.fusions.values() for part in parts]
        stage = next((one for one in _with_around(stages) if not is_affine(one, parts)), None)
        if stage is None:
            return None
        return f'an extent of a fused or split axis of "{name_of(stage)}" is symbolic'

    def from_data(self, *stages: schedule.StageOp) -> str | None:
        """Which bounds of axes come from data: sets take them as the same in all iterations.

        That is harmless for an axis that starts at a constant and is a loop of one stage alone.
        """
        shared = {around for stage in stages for around in stages_around(stage)}
        for stage in (*shared, *stages):
            pairs = stage.bounds.pairs()
            for position in bounds_from_data(stage):
                start, _ = pairs[position]
                is_number = isinstance(start, AffineConstantExpr) and start.value >= 0
                if stage in shared or not is_number:
                    name = schedule.axis_name(stage.root_axes[position])
                    return f'the bounds of {name} of "{name_of(stage)}" come from data'
        return None

    def of_products(self, *stages: schedule.StageOp) -> str | None:
        """Whether there are products of sizes, which sets take as sizes of their own."""
        ops = (op for stage in _with_around(stages) for op in stage.inferred)
        ops = (op for op in ops if not self._is_of_fusion(op))
        used = (value for op in ops for value in op.operands if is_size(value))
        found = any(value not in self.func.sizes for value in used)
        return "an extent is a product of sizes" if found else None

    def _is_of_fusion(self, op: Operation) -> bool:
        """Whether an op is the range of a loop in `fusions`."""
        return isinstance(op, schedule.RangeOp) and op.axis in self.fusions

    def of(self, stage: schedule.StageOp, nest: Nest = Nest.BODY) -> Points:
        """The instances of a nest, over sizes, the loops around and its own, and roots."""
        text = _Text(self.sizes, stage, self.fusions)
        text.hold_around(stage)
        own = loops_of_nest(stage, nest)
        text.hold(stage, own, with_guards=True)
        axes = axes_of_nest(stage, nest)
        exprs = [text.expr(axis) for axis in axes]
        found = flat_set(map_of(text.points(self.context), exprs))
        names = [*text.names, *roots(axes)]
        points = Points(names, found).over([*self.sizes, *path(stage), *own, *roots(axes)])
        return self._as_promised(points)

    def around(self, stage: schedule.StageOp) -> Points:
        """The iterations of the loops around a stage, over sizes and these loops."""
        text = _Text(self.sizes, stage, self.fusions)
        text.hold_around(stage)
        points = Points(text.names, text.points(self.context))
        return points.over([*self.sizes, *path(stage)])

    def declared(self, stage: schedule.StageOp, nest: Nest = Nest.BODY) -> Points:
        """The points of the root axes, or of data axes, as the equation declares them.

        Points of data axes alone exist also where there is nothing to reduce.
        """
        names = data_roots(stage) if nest is Nest.INIT else roots(stage.root_axes)
        ends = [one for one in self.sizes if not is_size(one)]  # they may be negative
        box = self.reads.inside(names, self.reads.axis_box(stage)[: len(names)])
        box = box.without(ends).over(box.names)
        points = [*map(box.dim, names)]
        said = inside_bounds(stage, self.sizes, points) + _Text(self.sizes, stage).promises(stage)
        for position, (first, end) in bounds_from_data(stage).items():
            if position >= len(points):
                continue
            root = points[position]
            said += [at_least(root, box.dim(first)), more_than(box.dim(end), root)]
        if has_elements(stage, nest):
            box = self.reads.in_domain(stage, box)
        declared = box.where(*said).over([*self.sizes, *roots(axes_of_nest(stage, nest))])
        return self._as_promised(declared)

    def finished(self, stage: schedule.StageOp) -> Points:
        """The data points that a stage computes completely; of a reduction, over the loops around.

        A reduction computes a point completely if it folds all points of its reduce axes there, for
        all values of bounds that come from data.
        """
        if not has_init_nest(stage):
            return self.of(stage)
        names = [*self.sizes, *path(stage), *roots(stage.root_axes)]
        begun = self.of(stage, Nest.INIT).over([*self.sizes, *path(stage), *data_roots(stage)])
        begins = beginning(stage, self.reads)
        if begins is not None:
            others = self.declared(stage, Nest.INIT).subtract(begins)
            begun = begun.union(others.intersect(self.around(stage)).over(begun.names))
        declared = self.declared(stage)
        missing = begun.intersect(declared).over(names).subtract(self.of(stage).over(names))
        ends = [end for pair in bounds_from_data(stage).values() for end in pair]
        somehow = begun.without(ends).over(begun.names)
        return somehow.subtract(missing.without(ends).over(begun.names))

    def stored(self, stage: schedule.StageOp) -> Points:
        """The elements that the storage of a stage holds, over sizes, loops around and roots."""
        text = _Text(self.sizes, stage, self.fusions)
        text.hold_around(stage)
        own = data_roots(stage)
        points = Points(text.names, text.points(self.context)).over([*text.names, *own])
        region = stage.region
        if region is not None:
            box = text.box(region)
            points = points.where(*inside(map(points.dim, own), box))
        return points.over([*self.sizes, *path(stage), *own])

    def twice(self, stage: schedule.StageOp) -> tuple[list[int], list[int], list[int]] | None:
        """Two iterations of a stage's own loops that run at one point of one place; the point."""
        own = loops_of_nest(stage)
        again = [*map(Again, own)]
        if any(
            axis not in stage.values for axis in stage.root_axes if axis not in stage.order.axes
        ):
            return None
        found = self.of(stage)
        both = found.intersect(found.renamed(own, again))
        for step in both.steps(own, again):
            pairs = both.where(*step)
            if not pairs.set.is_empty():
                point = pairs.first()
                return (
                    [point[one] for one in own],
                    [point[one] for one in again],
                    [point[root] for root in roots(axes_of_nest(stage))],
                )
        return None

    def never_computed(self, stage: schedule.StageOp) -> Mapping[Name, int] | None:
        """Sizes and an element of a stage that no iteration computes completely."""
        declared = self._there(stage, self.declared(stage, Nest.INIT))
        missing = declared.subtract(self.finished(stage).over(declared.names))
        if missing.set.is_empty():
            return None
        return missing.first()

    def _there(self, stage: schedule.StageOp, points: Points) -> Points:
        """The points of an opaque body for sizes at which a result that is an output has elements.

        Those of an equation are elements themselves.
        """
        if stage.extern is None:
            return points
        there = []
        for box, sizes in (box_of(one) for one in outputs_of(self.func) if one.owner is stage):
            dims = [*map(points.dim, sizes)]
            extents = (replace_dims(extent, dims.__getitem__) for _, extent in box)
            there.append(points.where(*(more_than(extent, ZERO) for extent in extents)))
        return reduce(Points.union, there)


@dataclass(frozen=True)
class Again:
    """The name of a coordinate of a second iteration."""

    axis: SSAValue


class _Text:
    """What the text says of one stage and the stages around it, over numbered coordinates.

    The coordinates are sizes, loops, and each axis that is no affine function of loops.
    """

    def __init__(
        self,
        sizes: Sequence[SSAValue],
        stage: schedule.StageOp,
        fusions: Fusions = MappingProxyType({}),
    ):
        self.sizes, self._fusions = sizes, fusions
        self.names: list[SSAValue] = [*sizes, *path(stage), *stage.order.axes]
        self._exprs = {name: AffineExpr.dimension(dim) for dim, name in enumerate(self.names)}
        self._held: list[list[list[Constraint]]] = []

    def expr(self, value: SSAValue) -> AffineExpr:
        """A size or an axis in terms of the coordinates."""
        if value not in self._exprs:
            said = stage_of(value).values.get(value)
            if said is not None:
                (self._exprs[value],) = self._over(said.map, said.operands_)
            else:
                self._exprs[value] = AffineExpr.dimension(len(self.names))
                self.names.append(value)
                self._hold_range(value)
        return self._exprs[value]

    def hold_around(self, stage: schedule.StageOp) -> None:
        """Adds that the loops around a stage are in their ranges.

        Guards of stages around do not count: they may stand further in than this stage.
        """
        inside = [one for one in (stage, *stages_around(stage)) if one.enclosing is not None]
        for one in reversed(inside):
            assert one.enclosing is not None
            self.hold(one.enclosing, loops_around(one), with_guards=False)

    def hold(self, stage: schedule.StageOp, loops: Sequence[SSAValue], with_guards: bool) -> None:
        """Adds that loops of a stage are in their ranges, and that its guards on these hold."""
        for axis in loops:
            self._hold_range(axis)
        fixed = fixed_axes(stage, loops)
        self._held.append([[*self.promises(stage), *self._inside_header(stage, fixed)]])
        for guard in stage.guards if with_guards else []:
            self._held.append([*self._alternatives(guard, fixed)])

    def promises(self, stage: schedule.StageOp) -> list[Constraint]:
        """The promise that bounds from data are inside of those of the header over sizes."""
        found: list[Constraint] = []
        over_axes, pairs = stage.bounds.over_axes(), stage.bounds.pairs()
        for position, (first, end) in bounds_from_data(stage).items():
            if position not in over_axes:
                lower, upper = (self._moved(one, stage.sizes) for one in pairs[position])
                found += [at_least(self.expr(first), lower), at_least(upper, self.expr(end))]
        return found

    def _inside_header(self, stage: schedule.StageOp, fixed: set[SSAValue]) -> Iterator[Constraint]:
        """Where bounds from data contain a point, those of the header do, also bounds over axes."""
        axes, pairs = stage.root_axes, stage.bounds.pairs()
        for position in bounds_from_data(stage):
            if fixed.issuperset(axes[: position + 1]):
                lower, upper = (
                    self._moved(one, [*stage.sizes, *axes[:position]]) for one in pairs[position]
                )
                point = self.expr(axes[position])
                yield at_least(point, lower)
                yield more_than(upper, point)

    def points(self, context: isl.Context) -> isl.Set:
        """The points at which all constraints that were added hold."""
        count = len(self.names)
        found = Points(range(count), set_of(context, count, []).to_set())
        sizes = [dim for dim, one in enumerate(self.sizes) if is_size(one)]
        found = found.where(*(at_least(found.dim(dim), ZERO) for dim in sizes))
        for alternatives in self._held:
            found = reduce(Points.union, [found.where(*one) for one in alternatives])
        return found.set

    def box(self, region: schedule.RegionOp) -> list[tuple[AffineExpr, AffineExpr]]:
        """(offset, extent) per axis of a region."""
        offsets = self._over(region.offsets, region.operands_)
        return [*zip(offsets, self._over(region.extents, region.operands_), strict=True)]

    def _hold_range(self, axis: SSAValue) -> None:
        if axis in self._fusions:
            for part in self._fusions[axis]:
                self.expr(part)  # which holds the range of what is no function of loops
            return
        op = range_of(axis)
        position = self.expr(axis)
        lower, upper = (self._over(map, op.operands_) for map in (op.lower, op.upper))
        within = [at_least(position, one) for one in lower]
        self._held.append([[*within, *(more_than(one, position) for one in upper)]])

    def _alternatives(
        self, guard: schedule.GuardOp, fixed: Collection[SSAValue]
    ) -> Iterator[list[Constraint]]:
        for one in counting(guard, fixed):
            yield constraints_of(one.map(lambda expr: self._moved(expr, guard.operands_)))

    def _over(self, map: AffineMapAttr, operands: Sequence[SSAValue]) -> list[AffineExpr]:
        return [self._moved(expr, operands) for expr in map.data.results]

    def _moved(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> AffineExpr:
        return replace_dims(expr, lambda dim: self.expr(operands[dim]))
