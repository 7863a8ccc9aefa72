"""Which elements of each stage are computed where: the regions that its readers need.

A stage's instances are related to the loops around them; the region that a producer
must compute at a place is the image of its readers' instances under their reads, with
the loops inside that place projected out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses import Accesses
from teloom.analysis.boxes import Box, box_around
from teloom.analysis.integer_sets import (
    IN,
    SET,
    Constraint,
    between,
    flat_set,
    function_of,
    map_of,
    set_of,
    simple_hull,
    simplified,
    simplified_in,
)
from teloom.analysis.leaf_map import axis_extents, leaf_map
from teloom.analysis.loop_bounds import Bounds, covered, guard, read_bounds
from teloom.analysis.modes import OverBudget, approximated, budget, convex
from teloom.analysis.stages import (
    all_stages,
    in_init,
    is_output,
    is_reduce,
    path,
    reader_of,
    reads_of,
)
from teloom.dialects import schedule, te
from teloom.dialects.constraints import Conjunction
from teloom.dialects.schedule import Mode

# Makes a size that is the product of expressions of the sizes so far.
Multiply = Callable[[Sequence[AffineExpr], Sequence[SSAValue]], SSAValue]

BUDGET = 20_000
"""isl operations per stage and mode; one takes about a microsecond."""


@dataclass
class StageRegion:
    """What is inferred of one stage.

    mode: how exactly its region is computed.
    values: what the dimensions stand for: sizes, the axes of the loops around, leaves,
    and axes whose value is no affine expression of those.
    box: (offset, extent) per data axis, in elements, over the leading values.
    starts, extents: of every axis, over the values; an axis that a relation made
    starts at 0.
    bounds: of each leaf axis, over the values before it.
    places: consumed root axes in terms of the values, where they are affine; also what
    other axes are made of, where some are not.
    guards: conditions over the values, beyond the bounds, that all hold.
    around: where the loops around the stage run, over the leading values.
    instances: values -> (sizes, root axes), for the body; init_instances the same with
    data axes only, for the init region.
    """

    mode: Mode
    values: list[SSAValue]
    box: Box
    starts: dict[SSAValue, AffineExpr]
    extents: dict[SSAValue, AffineExpr]
    bounds: dict[SSAValue, Bounds]
    places: dict[SSAValue, AffineExpr]
    guards: list[list[Conjunction]]
    around: isl.BasicSet
    instances: isl.Map
    init_instances: isl.Map


def infer_regions(
    func: te.FuncOp,
    multiply: Multiply,
    modes: Sequence[Mode] = tuple(Mode),
    operations: int = BUDGET,
) -> dict[schedule.StageOp, StageRegion]:
    """The regions of all stages of a function, readers before what they read.

    A stage takes the first of `modes` that needs no more than that many isl operations,
    or the last. `multiply` is asked for the products of symbolic extents that fusions
    need. Raises PassError for a read outside its tensor, with a witness.
    """
    inference = _Inference(func, modes, operations)
    inference.multiply_extents(multiply)
    for stage in reversed(all_stages(func)):
        inference.visit(stage)
    return inference.regions


class _Inference:
    def __init__(self, func: te.FuncOp, modes: Sequence[Mode], operations: int):
        self.func, self.modes, self.operations = func, modes, operations
        self.sizes = list(func.sizes)
        self.context = isl.Context()
        self.accesses = Accesses(func, self.sizes, self.context)
        self.regions: dict[schedule.StageOp, StageRegion] = {}
        self.products: dict[schedule.FuseOp, AffineExpr] = {}

    def multiply_extents(self, multiply: Multiply) -> None:
        """Makes a size of every product of symbolic extents that a fusion needs."""

        def product(relation: schedule.FuseOp, extents: Sequence[AffineExpr]) -> AffineExpr:
            self.sizes.append(multiply(extents, self.sizes))
            self.products[relation] = AffineExpr.dimension(len(self.sizes) - 1)
            return self.products[relation]

        for stage in all_stages(self.func):
            bounds = self.accesses.axis_bounds(stage)
            axis_extents(stage, [upper + lower * -1 for lower, upper in bounds], product)

    def visit(self, stage: schedule.StageOp) -> None:
        """Infers the region of a stage whose readers are done."""
        *limited, last = self.modes
        for mode in limited:
            try:
                with budget(self.context, self.operations):
                    self.regions[stage] = self._infer(stage, mode)
                break
            except OverBudget:
                continue
        else:
            self.regions[stage] = self._infer(stage, last)
        for region in stage.equation.regions_with_values():
            for op in region.walk():
                if isinstance(op, te.ReadOp):
                    self.accesses.check(op, self._instances(op))

    def _infer(self, stage: schedule.StageOp, mode: Mode) -> StageRegion:
        loops = path(stage)
        values = [*self.sizes, *loops]
        around = self._around(stage, len(values))
        declared_box = self.accesses.axis_bounds(stage)[: stage.data_axis_count]
        dims = range(len(values), len(values) + len(declared_box))
        constraints = [
            constraint
            for dim, (_, extent) in zip(dims, declared_box, strict=True)
            for constraint in between(AffineExpr.dimension(dim), extent)
        ]
        declared = set_of(self.context, dims.stop, constraints).intersect(
            around.add_dims(SET, len(dims))
        )
        if is_output(stage):
            return _StageInference(
                self, stage, Mode.EXACT, values, around, declared.to_set(), declared_box
            ).result()
        elements = self._needed(stage, mode, declared, dims)
        box = box_around(convex(elements, declared, dims), dims, len(self.sizes))
        if self._needs_product(stage, box):
            # The products at hand are those of the declared extents.
            box = declared_box
        return _StageInference(self, stage, mode, values, around, elements, box).result()

    def _around(self, stage: schedule.StageOp, count: int) -> isl.BasicSet:
        """Where the loops around a stage run: a set of sizes and their axes.

        The enclosing stage's guards and its loops further in say nothing here: they
        are inside the place where the stage is computed.
        """
        enclosing = stage.enclosing
        if enclosing is None:
            sizes = range(len(self.sizes))
            non_negative = [Constraint(AffineExpr.dimension(k), False) for k in sizes]
            return set_of(self.context, count, non_negative)
        region = self.regions[enclosing]
        first = region.around.dim(SET)
        axes = list(enclosing.order.axes)[: count - first]
        bounds = [region.bounds[axis] for axis in axes]
        context = region.around.add_dims(SET, len(axes))
        return covered(context, range(first, count), bounds).remove_divs()

    def _needed(
        self, stage: schedule.StageOp, mode: Mode, declared: isl.BasicSet, dims: range
    ) -> isl.Set:
        """The elements that the readers inside the loops around the stage read."""
        needed = isl.Set.empty(declared.get_space())
        for read in reads_of(stage):
            instances = self._instances(read)
            near = instances.project_out(IN, dims.start, instances.dim(IN) - dims.start)
            piece = flat_set(near.apply_range(self.accesses.of(read).map))
            piece = piece.intersect(declared.to_set())
            needed = needed.union(approximated(piece, mode, declared, dims, len(self.sizes)))
        needed = approximated(needed, mode, declared, dims, len(self.sizes))
        return needed.intersect(declared.to_set())

    def _instances(self, read: te.ReadOp) -> isl.Map:
        region = self.regions[reader_of(read)]
        return region.init_instances if in_init(read) else region.instances

    def _needs_product(self, stage: schedule.StageOp, box: Box) -> bool:
        """Whether a fusion of the stage multiplies symbolic extents of this box."""
        asked: list[schedule.FuseOp] = []

        def ask(relation: schedule.FuseOp, _: Sequence[AffineExpr]) -> AffineExpr:
            asked.append(relation)
            return self.products[relation]

        axis_extents(stage, self.starts(stage, box)[1], ask)
        return bool(asked)

    def starts(
        self, stage: schedule.StageOp, box: Box
    ) -> tuple[list[AffineExpr], list[AffineExpr]]:
        """Where root axes start, and their extents, at the place of computation."""
        reduce = self.accesses.axis_bounds(stage)[stage.data_axis_count :]
        starts = [offset for offset, _ in box] + [lower for lower, _ in reduce]
        extents = [extent for _, extent in box]
        extents += [upper + lower * -1 for lower, upper in reduce]
        return starts, extents


class _StageInference:
    """The loops of one stage, given the elements that it computes."""

    def __init__(
        self,
        program: _Inference,
        stage: schedule.StageOp,
        mode: Mode,
        values: list[SSAValue],
        around: isl.BasicSet,
        elements: isl.Set,
        box: Box,
    ):
        self.program, self.stage, self.mode = program, stage, mode
        self.around, self.elements, self.box = around, elements, box
        self.leaves = list(stage.order.axes)
        self.before = len(values)
        self.dims = {axis: self.before + k for k, axis in enumerate(self.leaves)}
        starts, root_extents = program.starts(stage, box)
        self.starts = dict(zip(stage.root_axes, starts, strict=True))
        self.extents = axis_extents(
            stage, root_extents, lambda relation, _: program.products[relation]
        )
        first_opaque = self.before + len(self.leaves)
        self.map = leaf_map(stage, self.dims, starts, self.extents, first_opaque)
        self.dims |= {axis: first_opaque + k for k, axis in enumerate(self.map.opaque)}
        self.values = [*values, *self.leaves, *self.map.opaque]
        self.count = len(self.values)
        self.context = around.add_dims(SET, self.count - self.before)
        of_data, of_reduce = _by_kind(self.map.facts, self.dims)
        self.data_facts, self.reduce_facts = self._set(of_data), self._set(of_reduce)

    def result(self) -> StageRegion:
        data = [axis for axis in self.leaves if not is_reduce(axis)]
        reduce = [axis for axis in self.leaves if is_reduce(axis)]
        of_data, of_reduce = _by_kind(self.map.constraints, self.dims)
        data_domain = self._computed().intersect(self._set(of_data).to_set())
        data_domain = data_domain.intersect(self._around_leaves(data).to_set())
        reduce_domain = self._set([*of_reduce, *self._reduce_bounds()])
        reduce_domain = reduce_domain.intersect(self._around_leaves(reduce))
        data_bounds, data_guard = self._loops(data_domain, data, self.data_facts)
        reduce_bounds, reduce_guard = self._loops(reduce_domain.to_set(), reduce, self.reduce_facts)
        bounds = data_bounds | reduce_bounds
        data_domain = data_domain.intersect(self.context.intersect(self.data_facts).to_set())
        reduce_domain = reduce_domain.intersect(self.reduce_facts)
        roots = self.map.roots(self.stage)
        return StageRegion(
            self.mode,
            self.values,
            self.box,
            self.starts,
            {axis: simplified(extent, self.count) for axis, extent in self.extents.items()},
            {axis: bounds[axis] for axis in self.leaves},
            self._places(data_domain, reduce_domain),
            [found for found in (data_guard, reduce_guard) if found],
            self.around,
            self._instances(data_domain.intersect(reduce_domain.to_set()), roots),
            self._instances(data_domain, roots[: self.stage.data_axis_count]),
        )

    def _set(self, constraints: Sequence[Constraint]) -> isl.BasicSet:
        return set_of(self.program.context, self.count, constraints)

    def _computed(self) -> isl.Set:
        """The values of leaf axes that stand for elements to compute."""
        outer = [AffineExpr.dimension(k) for k in range(self.before)]
        roots = self.map.roots(self.stage)[: self.stage.data_axis_count]
        to_elements = function_of(self.context.get_space(), [*outer, *roots])
        return self.elements.preimage_multi_aff(to_elements)

    def _reduce_bounds(self) -> list[Constraint]:
        data = self.stage.data_axis_count
        declared = self.program.accesses.axis_bounds(self.stage)[data:]
        found: list[Constraint] = []
        roots = self.map.roots(self.stage)[data:]
        for root, (lower, upper) in zip(roots, declared, strict=True):
            found += between(root + lower * -1, upper + lower * -1)
        return found

    def _loops(
        self, domain: isl.Set, axes: Sequence[SSAValue], facts: isl.BasicSet
    ) -> tuple[dict[SSAValue, Bounds], list[Conjunction]]:
        """Bounds of some leaf axes, and what they do not say of `domain`."""
        dims = [self.dims[axis] for axis in axes]
        opaque = len(self.map.opaque)
        loops = domain.eliminate(SET, self.count - opaque, opaque).remove_unknown_divs()
        hull = simple_hull(loops).intersect(self._around_leaves(axes)).remove_unknown_divs()
        bounds = read_bounds(hull, dims, self.context)
        cover = covered(self.context, dims, bounds).intersect(facts)
        if domain.is_empty():
            return dict(zip(axes, bounds, strict=True)), []
        return dict(zip(axes, bounds, strict=True)), guard(domain, cover)

    def _around_leaves(self, axes: Sequence[SSAValue]) -> isl.BasicSet:
        """Where leaves run at most: a hull of pieces can lose their bounds."""
        found: list[Constraint] = []
        for axis in axes:
            start = self.starts.get(axis, AffineExpr.constant(0))
            place = AffineExpr.dimension(self.dims[axis]) + start * -1
            found += between(place, self.extents[axis])
        return self._set(found)

    def _places(
        self, data_domain: isl.Set, reduce_domain: isl.BasicSet
    ) -> dict[SSAValue, AffineExpr]:
        return {
            axis: simplified_in(reduce_domain.to_set() if is_reduce(axis) else data_domain, value)
            for axis, value in self.map.values.items()
            if axis not in self.leaves
            and axis not in self.map.opaque
            and (axis in self.starts or self.map.opaque)
        }

    def _instances(self, domain: isl.Set, roots: Sequence[AffineExpr]) -> isl.Map:
        sizes = [AffineExpr.dimension(k) for k in range(len(self.program.sizes))]
        map = map_of(domain, [*sizes, *roots])
        opaque = len(self.map.opaque)
        return map.project_out(IN, self.count - opaque, opaque)


def _by_kind(
    constraints: Sequence[Constraint], dims: Mapping[SSAValue, int]
) -> tuple[list[Constraint], list[Constraint]]:
    """Constraints on data leaves, and those on reduce leaves."""
    reduce_dims = {dim for axis, dim in dims.items() if is_reduce(axis)}
    data: list[Constraint] = []
    reduce: list[Constraint] = []
    for constraint in constraints:
        on_reduce = constraint.expr.used_dims() & reduce_dims
        (reduce if on_reduce else data).append(constraint)
    return data, reduce
