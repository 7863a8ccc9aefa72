"""The loops of one stage, given where it is computed and which of its elements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.ahead import Ahead
from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.guards import Guard, conditions_of, guard
from teloom.analysis.sets.integer_sets import (
    SET,
    Constraint,
    flat_set,
    function_of,
    inside,
    map_of,
    set_of,
    simple_hull,
    simplified,
    simplified_in,
    with_known_divisions,
    without_divisions,
)
from teloom.analysis.sets.loop_bounds import Bounds, covered, read_bounds
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.leaf_map import axis_spans, leaf_map, own_axes
from teloom.analysis.stages.queries import fixed_axes, is_leaf, is_reduce
from teloom.analysis.stages.read_maps import Root, roots
from teloom.analysis.stages.relations import Fact, divided_dims, substitution
from teloom.dialects import schedule
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.schedule import Mode

NEVER = Conjunction([], [AffineExpr.constant(-1)])
"""-1 >= 0."""


class Place(NamedTuple):
    """Where a stage is computed.

    values: what the dimensions stand for: `sizes` sizes, then the axes of the loops
    around, each stage's after those of its axes with dimensions of their own that these
    fix; exprs: what each is in terms of sizes, loops and opaque axes; around: where
    those loops run.
    """

    values: list[SSAValue]
    exprs: list[AffineExpr]
    sizes: int
    around: isl.BasicSet

    def points(self, over: isl.BasicSet, axes: Sequence[Root] = ()) -> Points:
        """A set over the values, and then over these axes."""
        return Points([*self.values, *axes], over.to_set())

    def in_loops(self, box: Box) -> Box:
        """A box over the values, in terms of sizes, loops and opaque axes alone."""
        written = substitution(self.exprs)
        return [(written(start), written(extent)) for start, extent in box]


class Computed(NamedTuple):
    """What a stage computes at its place.

    place: where, by those values that make a difference to it; elements: over the place and the
    roots of data axes; needed: those of them that are read and not there from earlier
    iterations; read: all that are read; box: around those, over the place; reduce: (start,
    extent) of the reduce axes, over the sizes; taken_whole: axes of readers of which all is
    taken, though the place says something of them, for that is not affine; reason: why it is
    not exact, in words.
    """

    place: Place
    mode: Mode
    elements: Points
    needed: Points
    read: Points
    box: Box
    reduce: Box
    taken_whole: list[SSAValue]
    reason: str = ""

    def starts(self) -> list[AffineExpr]:
        """Where the root axes start."""
        return [start for start, _ in [*self.box, *self.reduce]]

    def extents(self) -> list[AffineExpr]:
        """The extents of the root axes."""
        return [extent for _, extent in [*self.box, *self.reduce]]


class Stored(NamedTuple):
    """What is stored of a stage: a box over those of the place's values that are around.

    folds: by data axis the factor modulo which it is stored, of those that are folded.
    """

    box: Box
    folds: dict[int, int]


@dataclass
class StageRegion:
    """What is inferred of one stage.

    within: where it is computed, by all values of the stage around; computed: what is, there;
    stored: where that is.
    values: what the dimensions stand for: the values of the place of what is computed, the axes
    that are no linear functions of leaves, and the leaves; exprs: what each is in terms of sizes,
    loops, opaque axes.
    starts, extents: of every axis, over the values.
    bounds: of each leaf axis, over the values before it.
    axis_values: consumed root axes in terms of the values, where they are affine; also what
    other axes are made of, where some are not.
    guards: conditions over the values, beyond the bounds, that all hold; `in_loops` leaves out
    what is implied.
    facts: what holds of axes that have dimensions of their own, over the values.
    instances: over the values and the roots of the body; init_instances: over those of the init
    region, which has data axes only.
    ahead: what its loops do ahead, in the order of the ops that say so.
    """

    within: Place
    computed: Computed
    stored: Stored
    values: list[SSAValue]
    exprs: list[AffineExpr]
    starts: dict[SSAValue, AffineExpr]
    extents: dict[SSAValue, AffineExpr]
    bounds: dict[SSAValue, Bounds]
    axis_values: dict[SSAValue, AffineExpr]
    guards: list[Guard]
    facts: list[Fact]
    instances: Points
    init_instances: Points
    ahead: list[Ahead] = field(default_factory=list)

    @property
    def place(self) -> Place:
        """Where it is computed, by the values that make a difference to it."""
        return self.computed.place

    def in_loops(self) -> StageRegion:
        """The same, its expressions in terms of sizes, loops and opaque axes alone."""

        written = substitution(self.exprs)
        box, folds = self.stored
        return replace(
            self,
            stored=Stored([(written(start), written(extent)) for start, extent in box], folds),
            starts={axis: written(expr) for axis, expr in self.starts.items()},
            extents={axis: written(expr) for axis, expr in self.extents.items()},
            bounds={axis: bounds.map(written) for axis, bounds in self.bounds.items()},
            guards=[
                Guard([one.map(written) for one in condition], guard.cover)
                for guard in self.guards
                for condition in conditions_of(guard)
            ],
        )


def is_opaque(around: Place | StageRegion, dim: int) -> bool:
    """Whether no expression says what one of the values is, which is an axis and no loop."""
    return not is_leaf(around.values[dim]) and dim not in divided_dims(around.exprs)


class StageLoops:
    """The loops of one stage, given the elements that it computes."""

    def __init__(
        self,
        stage: schedule.StageOp,
        within: Place,
        computed: Computed,
        products: Mapping[schedule.RelationOp, AffineExpr],
    ):
        """`products` has the symbolic extents of fusions, as sizes of their own."""
        self.stage, self.within, self.computed = stage, within, computed
        self.place = place = computed.place
        self.leaves = list(stage.order.axes)
        self.before = len(place.values)
        self.spans = axis_spans(stage, computed.extents(), lambda relation, _: products[relation])
        axes = [*own_axes(stage, self.spans), *self.leaves]
        self.dims = {axis: dim for dim, axis in enumerate(axes, self.before)}
        self.values = [*place.values, *axes]
        self.count = len(self.values)
        exprs = [*place.exprs, *map(AffineExpr.dimension, self.dims.values())]
        self.map = leaf_map(stage, self.dims, computed.starts(), self.spans, exprs)
        self.roots = [self.map.values[axis] for axis in stage.root_axes]
        self.context = place.around.add_dims(SET, self.count - self.before)
        self.reduce_dims = {dim for axis, dim in self.dims.items() if is_reduce(axis)}
        facts = ((fact.axes[0], fact.then) for fact in self.map.facts)
        of_data, of_reduce = self._by_kind(facts)
        self.data_facts, self.reduce_facts = self._set(of_data), self._set(of_reduce)
        self.divided_dims = divided_dims(self.map.exprs)
        self.divided = [axis for axis, dim in self.map.own.items() if dim in self.divided_dims]
        self.divided_facts = self._set(facts_of(self.map.facts, self.divided))

    def result(self) -> StageRegion:
        """Bounds, guards and instances: data axes first, reduce axes apart from them."""
        data = [axis for axis in self.leaves if self.dims[axis] not in self.reduce_dims]
        reduce = [axis for axis in self.leaves if self.dims[axis] in self.reduce_dims]
        of_data, of_reduce = self._by_kind(self.map.constraints.items())
        data_domain = self._of_elements().intersect(self._set(of_data).to_set())
        data_around, reduce_around = self._around(data), self._around(reduce)
        data_domain = data_domain.intersect(data_around.to_set())
        reduce_roots = self.roots[self.stage.data_axis_count :]
        reduce_domain = self._set([*of_reduce, *inside(reduce_roots, self.computed.reduce)])
        reduce_domain = reduce_domain.intersect(reduce_around)
        data_bounds, data_guard = self._loops(data_domain, data_around, data, self.data_facts)
        reduce_bounds, reduce_guard = self._loops(
            reduce_domain.to_set(), reduce_around, reduce, self.reduce_facts
        )
        bounds = data_bounds | reduce_bounds
        data_domain = data_domain.intersect(self.context.intersect(self.data_facts).to_set())
        reduce_domain = reduce_domain.intersect(self.reduce_facts)
        starts = {axis: simplified(span.start) for axis, span in self.spans.items()}
        return StageRegion(
            within=self.within,
            computed=self.computed,
            stored=Stored(self.computed.box, {}),
            values=self.values,
            exprs=self.map.exprs,
            starts=starts | self.map.starts,
            extents={axis: simplified(span.extent) for axis, span in self.spans.items()},
            bounds={axis: bounds[axis] for axis in self.leaves},
            axis_values=self._axis_values(data_domain, reduce_domain),
            guards=[found for found in (data_guard, reduce_guard) if found.alternatives],
            facts=self.map.facts,
            instances=self._instances(data_domain.intersect(reduce_domain.to_set()), self.roots),
            init_instances=self._instances(data_domain, self.roots[: self.stage.data_axis_count]),
        )

    def _by_kind(
        self, constraints: Iterable[tuple[SSAValue, Sequence[Constraint]]]
    ) -> tuple[list[Constraint], list[Constraint]]:
        """Constraints for data axes, over data leaves; and others, for reduce axes or over them."""
        data: list[Constraint] = []
        reduce: list[Constraint] = []
        for axis, of_axis in constraints:
            for constraint in of_axis:
                # Where a reduce axis is empty, its constraint can be one of numbers alone.
                on_reduce = is_reduce(axis) or constraint.used_dims() & self.reduce_dims
                (reduce if on_reduce else data).append(constraint)
        return data, reduce

    def _set(self, constraints: Sequence[Constraint]) -> isl.BasicSet:
        return set_of(self.place.around.get_ctx(), self.count, constraints)

    def _of_elements(self) -> isl.Set:
        """The values of leaf axes that stand for elements to compute."""
        outer = [AffineExpr.dimension(k) for k in range(self.before)]
        roots = self.roots[: self.stage.data_axis_count]
        to_elements = function_of(self.context.get_space(), [*outer, *roots])
        return self.computed.elements.set.preimage_multi_aff(to_elements)

    def _loops(
        self,
        domain: isl.Set,
        around: isl.BasicSet,
        axes: Sequence[SSAValue],
        facts: isl.BasicSet,
    ) -> tuple[dict[SSAValue, Bounds], Guard]:
        """Bounds of some leaf axes, and what they do not say of `domain`, which is in `around`."""
        loops = domain.intersect(self.divided_facts.to_set())
        for axis, dim in self.map.own.items():
            if axis not in self.divided:
                loops = loops.eliminate(SET, dim, 1)
        hull = without_divisions(simple_hull(with_known_divisions(loops)), ())
        nested = self._with_divided(axes)
        spans = {self.dims[axis]: self._around([axis]) for axis in nested if self.divided}
        hull = hull.intersect(around)
        found = read_bounds(hull, [self.dims[axis] for axis in nested], self.context, spans)
        bounds = {axis: one for axis, one in zip(nested, found, strict=True) if axis in self.leaves}
        dims = [self.dims[axis] for axis in bounds]
        cover = covered(self.context, dims, [*bounds.values()]).intersect(facts)
        if domain.is_empty():
            # Where there are loops, their bounds say so.
            return bounds, Guard([] if axes else [NEVER], cover)
        return bounds, guard(domain, cover)

    def _with_divided(self, leaves: Sequence[SSAValue]) -> list[SSAValue]:
        """Some leaf axes, each followed by the divided axes that it is the last to fix."""
        if not self.divided:
            return [*leaves]
        nested: list[SSAValue] = []
        for count, leaf in enumerate(leaves, 1):
            fixed = fixed_axes(self.stage, leaves[:count])
            nested.append(leaf)
            nested += [axis for axis in self.divided if axis in fixed and axis not in nested]
        return nested

    def _around(self, axes: Sequence[SSAValue]) -> isl.BasicSet:
        """Where leaves and divided axes are at most: a hull of pieces can lose their bounds."""
        points = [AffineExpr.dimension(self.dims[axis]) for axis in axes]
        spans = [
            (self.map.starts.get(axis, self.spans[axis].start), self.spans[axis].extent)
            for axis in axes
        ]
        return self._set(inside(points, spans))

    def _axis_values(
        self, data_domain: isl.Set, reduce_domain: isl.BasicSet
    ) -> dict[SSAValue, AffineExpr]:
        opaque = {*self.map.own} - {*self.divided}
        made = [
            axis
            for axis in self.map.values
            if axis not in self.leaves
            and axis not in opaque
            and (axis in self.stage.root_axes or opaque)
        ]
        for dim in self.divided_dims:
            data_domain = data_domain.eliminate(SET, dim, 1)
            reduce_domain = reduce_domain.eliminate(SET, dim, 1)
        in_loops = substitution(self.map.exprs)
        return {
            axis: simplified_in(
                reduce_domain.to_set() if is_reduce(axis) else data_domain,
                in_loops(self.map.values[axis]),
            )
            for axis in made
        }

    def _instances(self, domain: isl.Set, exprs: Sequence[AffineExpr]) -> Points:
        axes = self.stage.root_axes[: len(exprs)]
        return Points([*self.values, *roots(axes)], flat_set(map_of(domain, exprs)))


def facts_of(facts: Iterable[Fact], axes: Collection[SSAValue]) -> list[Constraint]:
    """What always holds of axes, by those facts that are of no others."""
    return [
        constraint
        for fact in facts
        if not fact.given and all(axis in axes for axis in fact.axes)
        for constraint in fact.then
    ]
