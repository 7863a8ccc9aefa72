"""Which elements of each stage are computed where: the regions that its readers need.

A stage's instances are related to the loops around them; the region that a producer
must compute at a place is the image of its readers' instances under their reads, with
the loops inside that place projected out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses import Accesses
from teloom.analysis.boxes import box_around
from teloom.analysis.integer_sets import IN, SET, Constraint, between, flat_set, set_of
from teloom.analysis.leaf_map import axis_extents
from teloom.analysis.loop_bounds import covered
from teloom.analysis.modes import OverBudget, approximated, budget, convex
from teloom.analysis.stage_loops import Computed, Place, StageLoops, StageRegion
from teloom.analysis.stages import all_stages, in_init, is_output, path, reader_of, reads_of
from teloom.analysis.threads import check_extents, relaxed_axes
from teloom.dialects import schedule, te
from teloom.dialects.schedule import Mode

# Makes a size that is the product of expressions of the sizes so far.
Multiply = Callable[[Sequence[AffineExpr], Sequence[SSAValue]], SSAValue]

BUDGET = 20_000
"""isl operations per stage and mode; one takes about a microsecond."""


def infer_regions(
    func: te.FuncOp,
    multiply: Multiply,
    modes: Sequence[Mode] = tuple(Mode),
    operations: int = BUDGET,
) -> dict[schedule.StageOp, StageRegion]:
    """The regions of all stages of a function, readers before what they read.

    A stage takes the first of `modes` that needs no more than that many isl operations,
    or the last. `multiply` is asked for the products of symbolic extents that fusions
    need. Raises PassError for a read outside its tensor, with a witness, and for an axis
    that has another extent than its thread axis.
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
        check_extents(stage, self.regions[stage].extents)
        for region in stage.equation.regions_with_values():
            for op in region.walk():
                if isinstance(op, te.ReadOp):
                    self.accesses.check(op, self._instances(op))

    def _infer(self, stage: schedule.StageOp, mode: Mode) -> StageRegion:
        place = self._place(stage)
        bounds = self.accesses.axis_bounds(stage)
        declared_box, reduce = bounds[: stage.data_axis_count], bounds[stage.data_axis_count :]
        dims = range(len(place.values), len(place.values) + len(declared_box))
        constraints = [
            constraint
            for dim, (_, extent) in zip(dims, declared_box, strict=True)
            for constraint in between(AffineExpr.dimension(dim), extent)
        ]
        declared = set_of(self.context, dims.stop, constraints).intersect(
            place.around.add_dims(SET, len(dims))
        )
        if is_output(stage):
            computed = Computed(Mode.EXACT, declared.to_set(), declared_box, reduce)
            return StageLoops(stage, place, computed, self.products).result()
        elements = self._needed(stage, mode, declared, dims)
        box = box_around(convex(elements, declared, dims), dims, len(self.sizes))
        computed = Computed(mode, elements, box, reduce)
        if self._needs_product(stage, computed):
            # The products at hand are those of the declared extents.
            computed = computed._replace(box=declared_box)
        return StageLoops(stage, place, computed, self.products).result()

    def _place(self, stage: schedule.StageOp) -> Place:
        """Where a stage is computed.

        The enclosing stage's guards and its loops further in say nothing here: they
        are inside the place where the stage is computed.
        """
        enclosing = stage.enclosing
        if enclosing is None:
            sizes = range(len(self.sizes))
            non_negative = [Constraint(AffineExpr.dimension(k), False) for k in sizes]
            around = set_of(self.context, len(sizes), non_negative)
            return Place(self.sizes, len(sizes), around)
        region = self.regions[enclosing]
        first = region.around.dim(SET)
        leaves = list(enclosing.order.axes)
        axes = leaves[: leaves.index(stage.at) + 1]
        bounds = [region.bounds[axis] for axis in axes]
        context = region.around.add_dims(SET, len(axes))
        around = covered(context, range(first, first + len(axes)), bounds).remove_divs()
        return Place([*region.values[:first], *axes], len(self.sizes), around)

    def _needed(
        self, stage: schedule.StageOp, mode: Mode, declared: isl.BasicSet, dims: range
    ) -> isl.Set:
        """The elements that the readers inside the loops around the stage read.

        In whatever iteration of a relaxed loop a reader is: all see the same elements.
        """
        relaxed, first = relaxed_axes(stage), dims.start - len(path(stage))
        needed = isl.Set.empty(declared.get_space())
        for read in reads_of(stage):
            instances = self._instances(read)
            near = instances.project_out(IN, dims.start, instances.dim(IN) - dims.start)
            piece = flat_set(near.apply_range(self.accesses.of(read).map))
            for position in relaxed:
                piece = piece.eliminate(SET, first + position, 1)
            piece = piece.intersect(declared.to_set())
            needed = needed.union(approximated(piece, mode, declared, dims, len(self.sizes)))
        needed = approximated(needed, mode, declared, dims, len(self.sizes))
        return needed.intersect(declared.to_set())

    def _instances(self, read: te.ReadOp) -> isl.Map:
        region = self.regions[reader_of(read)]
        return region.init_instances if in_init(read) else region.instances

    def _needs_product(self, stage: schedule.StageOp, computed: Computed) -> bool:
        """Whether a fusion of the stage multiplies symbolic extents of this region."""
        asked: list[schedule.FuseOp] = []

        def ask(relation: schedule.FuseOp, _: Sequence[AffineExpr]) -> AffineExpr:
            asked.append(relation)
            return self.products[relation]

        axis_extents(stage, computed.extents(), ask)
        return bool(asked)
