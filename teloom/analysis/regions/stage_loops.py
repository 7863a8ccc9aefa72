"""The loops of one stage, for its place and the elements that it computes there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.ahead import Ahead
from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.conditions import conjunction
from teloom.analysis.sets.guards import Guard, conditions_of, guard
from teloom.analysis.sets.integer_sets import (
    SET,
    Constraint,
    at_least,
    constrained,
    flat_set,
    function_of,
    inside,
    map_of,
    more_than,
    set_of,
    simple_hull,
    simplified,
    simplified_in,
    with_known_divisions,
    without_divisions,
)
from teloom.analysis.sets.loop_bounds import Bounds, covered, read_bounds
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.domains import inside_bounds
from teloom.analysis.stages.leaf_map import axis_spans, leaf_map, own_axes
from teloom.analysis.stages.queries import (
    Read,
    bounds_depth,
    fixed_axes,
    in_bounds,
    in_init,
    is_leaf,
    is_reduce,
    name_of,
)
from teloom.analysis.stages.read_maps import Root, roots
from teloom.analysis.stages.relations.meaning import Fact, divided_dims, substitution
from teloom.analysis.stages.threads import idle_leaves
from teloom.dialects import schedule
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.schedule import Mode
from teloom.errors import PassError

NEVER = Conjunction([], [AffineExpr.constant(-1)])
"""-1 >= 0, which never holds."""


class ComputePlace(NamedTuple):
    """The place where a stage is computed: sizes, and the loops around."""

    values: list[SSAValue]
    """What the dimensions stand for: sizes, then axes of loops around, from the outermost in.

    In front of the axes of a stage are other axes of it that they fix and that are dimensions of
    their own.
    """
    exprs: list[AffineExpr]
    """The values in terms of sizes, loops and opaque axes."""
    sizes: int
    """The number of sizes."""
    around: isl.BasicSet
    """The iterations of these loops."""

    def points(self, over: isl.BasicSet, axes: Sequence[Root] = ()) -> Points:
        """A set over the values, and then over these axes."""
        return Points([*self.values, *axes], over.to_set())

    def in_loops(self, box: Box) -> Box:
        """A box over the values, in terms of sizes, loops and opaque axes alone."""
        written = substitution(self.exprs)
        return [(written(start), written(extent)) for start, extent in box]


class Computed(NamedTuple):
    """The elements that a stage computes at its place.

    Sets are over the values of the place, and then the roots of data axes.
    """

    place: ComputePlace
    """The place, with those of its values that make a difference to the elements."""
    mode: Mode
    elements: Points
    """All that are computed."""
    needed: Points
    """Those that are read, and not left in storage by earlier iterations."""
    read: Points
    """All that are read."""
    box: Box
    """A box around those that are computed, over the place."""
    reduce: Box
    """(start, extent) of the reduce axes, over the sizes."""
    taken_whole: list[SSAValue]
    """Axes of readers that are taken whole, because they are not affine in the loops around."""
    reason: str = ""
    """Why the elements are not exact."""

    def starts(self) -> list[AffineExpr]:
        """The starts of the root axes."""
        return [start for start, _ in [*self.box, *self.reduce]]

    def extents(self) -> list[AffineExpr]:
        """The extents of the root axes."""
        return [extent for _, extent in [*self.box, *self.reduce]]


class Stored(NamedTuple):
    """The storage of a stage."""

    box: Box
    """A box over those values of the place that are around the storage."""
    folds: dict[int, int]
    """The factors of data axes that are folded: coordinates are stored modulo these."""


class Promise(NamedTuple):
    """A condition on sizes, and what a call says for which it does not hold."""

    alternatives: list[Conjunction]
    words: str | None = None


@dataclass
class StageRegion:
    """All that is inferred for one stage."""

    within: ComputePlace
    """The place where it is computed, with all values of the stage around."""
    from_data: schedule.BoundsOp | None
    """The bounds that depend on data, which stand in no stage yet."""
    computed: Computed
    stored: Stored
    values: list[SSAValue]
    """What the dimensions stand for: the values of the place, the bounds from data, the axes that
    are no linear functions of leaves, and the leaves."""
    exprs: list[AffineExpr]
    """The values in terms of sizes, loops and opaque axes."""
    starts: dict[SSAValue, AffineExpr]
    """The start of every axis, over the values."""
    extents: dict[SSAValue, AffineExpr]
    """The extent of every axis, over the values."""
    bounds: dict[SSAValue, Bounds]
    """The bounds of each leaf axis, over the values in front of it."""
    axis_values: dict[SSAValue, AffineExpr]
    """Consumed root axes in terms of the values, if affine; if not, what they are made of."""
    guards: list[Guard]
    """Conditions over the values that have to hold within the bounds; `in_loops` leaves out those
    that follow."""
    facts: list[Fact]
    """Constraints on axes that are dimensions of their own, over the values."""
    instances: Points
    """The instances of the body, over the values and its roots."""
    init_instances: Points
    """Those of the init region, which has data axes only; the body of an update has none."""
    bounds_instances: Points | None
    """Those at which bounds from data are asked for, whether or not loops further in run."""
    promises: list[Promise] = field(default_factory=list)
    """What the schedule promises of sizes."""
    ahead: list[Ahead] = field(default_factory=list)
    """The boxes that its loops touch ahead, in the order of the ops that ask for it."""

    @property
    def place(self) -> ComputePlace:
        """The place, with those values that make a difference to what is computed."""
        return self.computed.place

    def in_loops(self) -> StageRegion:
        """The region with expressions in terms of sizes, loops and opaque axes alone."""

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


def is_opaque(around: ComputePlace | StageRegion, dim: int) -> bool:
    """Whether one of the values is an axis, no loop, that no expression gives."""
    return not is_leaf(around.values[dim]) and dim not in divided_dims(around.exprs)


def instances_of(read: Read, reader: StageRegion) -> Points:
    """The instances at which a read happens, for the region of its stage."""
    if in_bounds(read) and reader.bounds_instances is not None:
        return reader.bounds_instances
    return reader.init_instances if in_init(read) else reader.instances


class StageLoops:
    """The loops of one stage, for the elements that it computes."""

    def __init__(
        self,
        stage: schedule.StageOp,
        within: ComputePlace,
        computed: Computed,
        own_sizes: Mapping[SSAValue, AffineExpr],
        from_data: schedule.BoundsOp | None = None,
        beginning: Points | None = None,
    ):
        """`own_sizes` are the extents of axes that are no affine expressions of sizes.

        `from_data` has the bounds that depend on data, which become dimensions of their own.
        Loops of data axes run through the elements of `beginning` alone, if that is not None.
        """
        self.beginning = beginning
        self.stage, self.within, self.computed, self.from_data = stage, within, computed, from_data
        self.place = place = computed.place
        self.leaves = list(stage.order.axes)
        self.idle = idle_leaves(stage)
        self.before = len(place.values)
        self.spans = axis_spans(stage, computed.extents(), lambda axis, _: own_sizes[axis])
        axes = [*own_axes(stage, self.spans), *self.leaves]
        bounds = [] if from_data is None else [*from_data.values]
        self.values = [*place.values, *bounds, *axes]
        self.count = len(self.values)
        own = {value: dim for dim, value in enumerate(self.values) if dim >= self.before}
        self.dims = {axis: own[axis] for axis in axes}
        self.bound_dims = [own[value] for value in bounds]
        exprs = [*place.exprs, *map(AffineExpr.dimension, own.values())]
        self.map = leaf_map(stage, self.dims, computed.starts(), self.spans, exprs)
        self.roots = [self.map.values[axis] for axis in stage.root_axes]
        self.promises = self._promises()
        around = place.around.add_dims(SET, self.count - self.before)
        self.context = constrained(around, self.promises)
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
        sizes = self.place.values[: self.place.sizes]
        over_axes = inside_bounds(self.stage, sizes, self.roots) + self._inside_data_bounds()
        of_reduce += [*inside(reduce_roots, self.computed.reduce), *over_axes]
        reduce_domain = self._set(of_reduce).intersect(reduce_around)
        data_bounds, guards = self._loops(data_domain, data_around, data, self.data_facts)
        if over_axes:
            bounds, more = self._loops_together(data_domain, of_reduce, data_bounds)
        else:
            reduce_bounds, more = self._loops(
                reduce_domain.to_set(), reduce_around, reduce, self.reduce_facts
            )
            bounds = data_bounds | reduce_bounds
        data_domain = data_domain.intersect(self.context.intersect(self.data_facts).to_set())
        reduce_domain = reduce_domain.intersect(self.reduce_facts)
        starts = {axis: simplified(span.start) for axis, span in self.spans.items()}
        return StageRegion(
            within=self.within,
            from_data=self.from_data,
            computed=self.computed,
            stored=Stored(self.computed.box, {}),
            values=self.values,
            exprs=self.map.exprs,
            starts=starts | self.map.starts,
            extents={axis: simplified(span.extent) for axis, span in self.spans.items()},
            bounds={axis: bounds[axis] for axis in self.leaves},
            axis_values=self._axis_values(data_domain, reduce_domain),
            guards=[found for found in [*guards, *more] if found.alternatives],
            facts=[*self.map.facts, Fact([], [], self.promises)],
            instances=self._body_instances(data_domain, reduce_domain),
            init_instances=self._instances(data_domain, self._data_axes),
            bounds_instances=self._where_bounded(bounds),
        )

    @property
    def _data_axes(self) -> Sequence[SSAValue]:
        return self.stage.root_axes[: self.stage.data_axis_count]

    def _body_instances(self, data_domain: isl.Set, reduce_domain: isl.BasicSet) -> Points:
        """The instances of the body; the body of an update has a nest without data axes."""
        if self.stage.update is not None:
            domain = reduce_domain.intersect(self.context).to_set()
            domain = domain.intersect(self._where_computed())
            return self._instances(domain, self.stage.root_axes[self.stage.data_axis_count :])
        domain = data_domain.intersect(reduce_domain.to_set())
        return self._instances(domain, self.stage.root_axes)

    def _where_computed(self) -> isl.Set:
        """The iterations of the loops around in which anything is computed."""
        elements = self.computed.elements
        around = elements.over(self.place.values).set
        return around.add_dims(SET, self.count - self.before)

    def _bounds_from_data(self) -> Iterator[tuple[int, AffineExpr, AffineExpr]]:
        """The position, and the bounds, of each root axis that has bounds from data."""
        axes = [] if self.from_data is None else self.stage.data_bounded_axes
        values = map(AffineExpr.dimension, self.bound_dims)
        for axis, first, end in zip(axes, values, values, strict=True):
            yield list(self.stage.root_axes).index(axis), first, end

    def _promises(self) -> list[Constraint]:
        """Bounds from data are inside of those that the header of the stage says."""
        box, found = [*self.computed.box, *self.computed.reduce], list[Constraint]()
        for position, first, end in self._bounds_from_data():
            start, extent = box[position]
            found += [at_least(first, start), at_least(start + extent, end)]
        return found

    def _inside_data_bounds(self) -> list[Constraint]:
        """The constraints of bounds from data on root axes."""
        found: list[Constraint] = []
        for position, first, end in self._bounds_from_data():
            root = self.roots[position]
            found += [at_least(root, first), more_than(end, root)]
        return found

    def _by_kind(
        self, constraints: Iterable[tuple[SSAValue, Sequence[Constraint]]]
    ) -> tuple[list[Constraint], list[Constraint]]:
        """Constraints of data axes, which are over data leaves, and those of reduce axes."""
        data: list[Constraint] = []
        reduce: list[Constraint] = []
        for axis, of_axis in constraints:
            for constraint in of_axis:
                # The constraint of a reduce axis that is empty can have numbers alone.
                on_reduce = is_reduce(axis) or constraint.used_dims() & self.reduce_dims
                (reduce if on_reduce else data).append(constraint)
        return data, reduce

    def _set(self, constraints: Sequence[Constraint]) -> isl.BasicSet:
        return set_of(self.place.around.get_ctx(), self.count, constraints)

    def _of_elements(self) -> isl.Set:
        """The iterations of leaf axes at elements that are computed."""
        outer = [AffineExpr.dimension(k) for k in range(self.before)]
        roots = self.roots[: self.stage.data_axis_count]
        to_elements = function_of(self.context.get_space(), [*outer, *roots])
        elements = self.computed.elements
        if self.beginning is not None:
            elements = elements.intersect(self.beginning).over(elements.names)
        return elements.set.preimage_multi_aff(to_elements)

    def _loops(
        self,
        domain: isl.Set,
        around: isl.BasicSet,
        axes: Sequence[SSAValue],
        facts: isl.BasicSet,
    ) -> tuple[dict[SSAValue, Bounds], list[Guard]]:
        """Bounds of some leaf axes, and a guard for what of `domain` they do not say.

        Idle iterations are left out by a guard of their own: the other one may be about loops
        further out.
        """
        busy = self._bounds(domain, around, axes)
        bounds = self._with_idle(busy)
        cover = self._covered(self.context, busy).intersect(facts)
        whole = cover if bounds == busy else self._covered(self.context, bounds).intersect(facts)
        if domain.is_empty():
            # With loops there, their bounds say so, unless these run for nothing.
            return bounds, [Guard([NEVER] if self.idle.issuperset(axes) else [], whole)]
        guards = [guard(domain, cover)]
        return bounds, guards if whole is cover else [*guards, guard(cover.to_set(), whole)]

    def _bounds(
        self, domain: isl.Set, around: isl.BasicSet, axes: Sequence[SSAValue]
    ) -> dict[SSAValue, Bounds]:
        """Bounds of some leaf axes that run through `domain`, which is in `around`."""
        loops = domain.intersect(self.divided_facts.to_set())
        for axis, dim in self.map.own.items():
            if axis not in self.divided:
                loops = loops.eliminate(SET, dim, 1)
        hull = without_divisions(simple_hull(with_known_divisions(loops)), ())
        nested = self._with_divided(axes)
        spans = {self.dims[axis]: self._around([axis]) for axis in nested if self.divided}
        hull = hull.intersect(around)
        dims = [self.dims[axis] for axis in nested]
        if self.bound_dims and len(axes) == len(self.leaves):
            outer = self.leaves[: bounds_depth(self.stage)]
            place = dims.index(self.dims[outer[-1]]) + 1 if outer else 0
            dims[place:place] = self.bound_dims
        found = dict(zip(dims, read_bounds(hull, dims, self.context, spans), strict=True))
        return {axis: found[self.dims[axis]] for axis in axes}

    def _with_idle(self, bounds: Mapping[SSAValue, Bounds]) -> dict[SSAValue, Bounds]:
        """The bounds with all iterations, also idle ones."""
        spans = {axis: self.spans[axis] for axis in bounds if axis in self.idle}
        whole = {
            axis: Bounds([simplified(start)], [simplified(start + extent)])
            for axis, (start, extent) in spans.items()
        }
        return {**bounds, **whole}

    def _covered(self, context: isl.BasicSet, bounds: Mapping[SSAValue, Bounds]) -> isl.BasicSet:
        return covered(context, [self.dims[axis] for axis in bounds], [*bounds.values()])

    def _loops_together(
        self,
        data: isl.Set,
        reduce: Sequence[Constraint],
        data_bounds: Mapping[SSAValue, Bounds],
    ) -> tuple[dict[SSAValue, Bounds], list[Guard]]:
        """Bounds of all leaf axes, and guards, where `reduce`, on reduce axes, is over data axes.

        Data axes keep their bounds, as an init region runs through all of these. What more is
        known of them in loops of reduce axes is a guard.
        """
        domain = data.intersect(self._set(reduce).to_set())
        together = self._with_idle(self._bounds(domain, self._around(self.leaves), self.leaves))
        bounds: dict[SSAValue, Bounds] = {}
        guards: list[Guard] = []
        cover = self.context
        for axis in self.leaves:
            bounds[axis] = data_bounds.get(axis, together[axis])
            cover = self._covered(cover, {axis: bounds[axis]})
            said = together[axis].constraints(AffineExpr.dimension(self.dims[axis]))
            more = [one for one in said if one.used_dims() & self.reduce_dims]
            if axis in data_bounds and more:
                guards.append(Guard([conjunction(more)], cover))
                cover = constrained(cover, more)
        cover = cover.intersect(self.data_facts).intersect(self.reduce_facts)
        return bounds, [*guards, self._guard_of(reduce, cover)]

    def _guard_of(self, constraints: Sequence[Constraint], cover: isl.BasicSet) -> Guard:
        """Guards for what bounds do not say; that on reduce axes is apart: no init needs it."""
        domain = self._set(constraints)
        if cover.is_subset(domain):
            return Guard([], cover)
        kept = [one for one in constraints if one.used_dims() & self.reduce_dims]
        if not constrained(cover, kept).is_subset(domain):
            raise PassError(
                f'cannot say in which iterations the reduce axes of "{name_of(self.stage)}" run: '
                "one of them that has no loop has bounds over other axes; leave it out of fusions",
                self.stage,
            )
        return Guard([conjunction(kept)], cover)

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
        """The bounds of leaves and divided axes, added because a hull of pieces can lose them."""
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

    def _where_bounded(self, bounds: Mapping[SSAValue, Bounds]) -> Points | None:
        if self.from_data is None:
            return None
        outer = {axis: bounds[axis] for axis in self.leaves[: bounds_depth(self.stage)]}
        loops = self._covered(self.context, outer).intersect(self.data_facts)
        return self._instances(loops.to_set(), self._data_axes)

    def _instances(self, domain: isl.Set, axes: Sequence[SSAValue]) -> Points:
        exprs = [self.map.values[axis] for axis in axes]
        return Points([*self.values, *roots(axes)], flat_set(map_of(domain, exprs)))


def facts_of(facts: Iterable[Fact], axes: Collection[SSAValue]) -> list[Constraint]:
    """The constraints of the facts that are about these axes alone."""
    return [
        constraint
        for fact in facts
        if not fact.given and all(axis in axes for axis in fact.axes)
        for constraint in fact.then
    ]
