"""Which elements of each stage are computed where: the regions that its readers need.

A stage's instances are related to the loops around them; the region that a producer
must compute at a place is the image of its readers' instances under their reads, with
the loops inside that place projected out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TypeVar

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.ahead import (
    Ahead,
    check_ahead,
    common_bounds,
    shifted,
)
from teloom.analysis.regions.body_accesses import check_body
from teloom.analysis.regions.folding import fold
from teloom.analysis.regions.outside import check_read
from teloom.analysis.regions.recurrences import check_step
from teloom.analysis.regions.scan_lifetimes import in_time
from teloom.analysis.regions.scan_regions import (
    axes_apart,
    fixed_times,
    with_what_it_needs,
)
from teloom.analysis.regions.slices import check_slices, points_filling
from teloom.analysis.regions.stage_loops import (
    Computed,
    Place,
    StageLoops,
    StageRegion,
    Stored,
    is_opaque,
)
from teloom.analysis.regions.windows import (
    Lifetimes,
    UnknownLifetimesError,
    first_needed,
    of_all_iterations,
)
from teloom.analysis.sets.boxes import Box, box_around, tightened
from teloom.analysis.sets.guard_cost import NO_GUARD, is_nearly
from teloom.analysis.sets.integer_sets import (
    IN,
    SET,
    Constraint,
    constrained,
    flat_set,
    inside,
    non_negative,
    set_of,
    without_divisions,
)
from teloom.analysis.sets.loop_bounds import covered
from teloom.analysis.sets.modes import (
    OverBudget,
    approximated,
    approximated_by_piece,
    budget,
    convex,
)
from teloom.analysis.stages.domains import check_domains
from teloom.analysis.stages.leaf_map import axis_spans
from teloom.analysis.stages.queries import (
    Read,
    all_stages,
    fixed_axes,
    in_init,
    is_computed_whole,
    is_leaf,
    leaves_of,
    loops_around,
    loops_of,
    modes_of,
    name_of,
    operations_of,
    path,
    path_to_storage,
    reader_of,
    reads_inside,
    reads_of,
    stage_of,
    states_of,
    steps_of,
)
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.analysis.stages.relations import Fact
from teloom.analysis.stages.threads import (
    check_extents,
    has_threads,
    same_threads,
    without_relaxed,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.schedule import Mode
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError, placed

Regions = Mapping[schedule.StageOp, StageRegion]

# Makes a size that is the product of expressions of the sizes so far.
Multiply = Callable[[Sequence[AffineExpr], Sequence[SSAValue]], SSAValue]

_T = TypeVar("_T")

BUDGET = 100_000
"""isl operations per stage and mode; one takes about a microsecond.

With 50,000 every stage of `benchmarks/bounds.py` is exact but where that takes seconds.
"""

MOST_OPERATIONS = 2**63 - 1
"""The largest number of operations that isl can count."""

PATIENCE = 20 * BUDGET
"""isl operations that a stage may take rather than be refused."""


def infer_regions(
    func: te.FuncOp,
    multiply: Multiply,
    modes: Sequence[Mode] = tuple(Mode),
    operations: int = BUDGET,
) -> dict[schedule.StageOp, StageRegion]:
    """The regions of all stages of a function, readers before what they read.

    A stage takes the first of `modes` that needs no more than that many isl operations,
    or the last. `multiply` is asked for the products of symbolic extents that fusions
    need. Raises PassError for a read outside its tensor, or of a step of a recurrence that
    is not computed yet, with a witness, and for an axis that never runs or that has another
    extent than its thread axis.
    """
    check_domains(func)
    inference = _Inference(func, modes, operations)
    inference.multiply_extents(multiply)
    inference.infer()
    inference.look_ahead()
    return {stage: region.in_loops() for stage, region in inference.regions.items()}


class _Inference:
    def __init__(self, func: te.FuncOp, modes: Sequence[Mode], operations: int):
        self.func, self.modes, self.operations = func, modes, operations
        self.stages = all_stages(func)[::-1]
        self.sizes = list(func.sizes)
        self.context = isl.Context()
        self.has_threads = any(map(has_threads, self.stages))
        self.accesses = ReadMaps(func, self.sizes, self.context)
        self.regions: dict[schedule.StageOp, StageRegion] = {}
        self.to_be_exact: set[schedule.StageOp] = set()
        self.axes_apart: dict[schedule.StageOp, list[int]] = {}
        self.products: dict[schedule.RelationOp, AffineExpr] = {}
        self.product_facts: list[Fact] = []

    def multiply_extents(self, multiply: Multiply) -> None:
        """Makes a size of every product of symbolic extents that a fusion needs."""

        def product(relation: schedule.RelationOp, extents: Sequence[AffineExpr]) -> AffineExpr:
            self.sizes.append(multiply(extents, self.sizes))
            size = self.products[relation] = AffineExpr.dimension(len(self.sizes) - 1)
            # No set says what a product is, but where it is positive, so are its factors.
            positive = [Constraint(factor + -1, False) for factor in extents]
            positive += [Constraint(size + factor * -1, False) for factor in extents]
            self.product_facts.append(Fact([], [Constraint(size + -1, False)], positive))
            return size

        for stage in all_stages(self.func):
            axis_spans(stage, [extent for _, extent in self.accesses.axis_box(stage)], product)

    def infer(self) -> None:
        """Infers the regions of all stages, those of readers first.

        Elements that nothing needs can have reads outside, or give an axis another extent: an
        approximation refuses no program, so what decided over a region is inferred anew then.
        """
        tasks = [(task, stage) for task in (self._visit, self._store) for stage in self.stages]
        done = 0
        while done < len(tasks):
            task, stage = tasks[done]
            try:
                with placed(stage, f'stage "{name_of(stage)}"'):
                    task(stage)
                done += 1
            except PassError as error:
                done = self.stages.index(self._more_exactly(stage, error))
                for later in self.stages[done:]:
                    self.regions.pop(later, None)

    def _visit(self, stage: schedule.StageOp) -> None:
        """Infers the region of a stage whose readers are done."""
        check_slices(stage, self.accesses)
        if states_of(stage) and not is_computed_whole(stage):
            self.axes_apart[stage] = self._axes_apart(stage)
        self.regions[stage] = self._inferred(stage)
        check_extents(stage, self.regions[stage].extents)
        self._check_reads(stage)

    def _store(self, stage: schedule.StageOp) -> None:
        """Says what is stored of a stage: all regions are known, those of steps of a scan too."""
        self.regions[stage] = replace(self.regions[stage], stored=self._stored(stage))

    def _axes_apart(self, scan: schedule.StageOp) -> list[int]:
        """The axes of a scan that its steps keep apart, as far as that is found in time."""
        try:
            with budget(self.context, self.operations):
                return axes_apart(scan, self.stages, self.accesses)
        except OverBudget:
            return []

    def _more_exactly(self, stage: schedule.StageOp, error: PassError) -> schedule.StageOp:
        """What to infer anew, before a stage is refused: it, or all that its region follows from.

        Raises the error where all of that is exact, or takes too many operations to be.
        """
        approximate = [
            one
            for one in _deciding_over(stage)
            if one in self.regions and self.regions[one].computed.mode is not Mode.EXACT
        ]
        new = [one for one in approximate if one not in self.to_be_exact]
        if new:
            self.to_be_exact.update([stage] if stage in new else new)
            return next(one for one in self.regions if one in self.to_be_exact and one in new)
        if approximate:
            found = self.regions[approximate[0]].computed.mode
            error.args = (
                f'{error}; "{name_of(approximate[0])}" is computed as a {found}, maybe for '
                "no reader",
            )
        raise error

    def look_ahead(self) -> None:
        """Infers what loops do ahead; all regions are known."""
        for stage in self.regions:
            if asked := schedule.ahead_in(stage):
                found = [self._within_budget(stage, partial(self._ahead, op)) for op in asked]
                self.regions[stage] = replace(self.regions[stage], ahead=found)

    def _within_budget(self, stage: schedule.StageOp, infer: Callable[[Mode, int], _T]) -> _T:
        """What `infer` finds in the first mode that does not take too long, or the last.

        It is given the operations that each of its parts may take; 0 is no limit.
        """
        *limited, last = modes_of(stage, self.modes)
        for mode in limited:
            try:
                return infer(mode, operations_of(stage, self.operations))
            except OverBudget:
                continue
        return infer(last, 0)

    def _inferred(self, stage: schedule.StageOp) -> StageRegion:
        if stage in self.to_be_exact:
            try:
                return self._infer(stage, Mode.EXACT, PATIENCE)
            except OverBudget:
                pass
        region = self._within_budget(stage, partial(self._infer, stage))
        return self._without_costly_guard(stage, region)

    def _why(self, stage: schedule.StageOp, mode: Mode) -> str:
        """Why a region is computed in this mode; nothing if it is exact."""
        if mode is Mode.EXACT:
            return ""
        before = [*takewhile(lambda other: other is not mode, modes_of(stage, self.modes))]
        if not before:
            return "as asked"
        spent = operations_of(stage, self.operations)
        return f"{' and '.join(before)} took more than {spent} isl operations"

    def _without_costly_guard(self, stage: schedule.StageOp, region: StageRegion) -> StageRegion:
        """A hull instead of an exact region, where a guard costs more than it saves."""
        is_asked = Mode.HULL not in modes_of(stage, self.modes)
        if is_asked or region.computed.mode is not Mode.EXACT or not region.guards:
            return region
        if is_computed_whole(stage) or _inside_storage(stage, region.place):
            return region
        place, operations = region.place, operations_of(stage, self.operations)
        try:
            with budget(self.context, operations):
                hull = self._computed(stage, place, Mode.HULL)
            needed, around = (
                where_run(one.elements, stage, place, self.regions)
                for one in (region.computed, hull)
            )
            if not is_nearly(needed, around, len(place.values), len(self.sizes)):
                return region
            found = self._with_loops(stage, place, hull._replace(reason=NO_GUARD), operations)
        except OverBudget:
            return region
        return region if found.guards else found

    def _ahead(self, op: schedule.AheadOp, mode: Mode, operations: int) -> Ahead:
        """The box around what an iteration reads, moved ahead, as far as there is any of it."""
        with budget(self.context, operations):
            return self._ahead_in(op, mode)

    def _ahead_in(self, op: schedule.AheadOp, mode: Mode) -> Ahead:
        leaves = list(op.stage.order.axes)
        place = self._place_in(op.stage, leaves[: leaves.index(op.axis) + 1])
        reads = list(reads_inside(op.tensor, op.axis))
        check_ahead(op, reads, self._taken_whole(reads, place.values))
        stored = self._stored_box(op.tensor, place)
        tensor = self._inside(stored, place)
        dims = range(len(place.values), tensor.dim(SET))
        read = isl.Set.empty(tensor.get_space())
        for one in reads:
            piece = self._read_by(one, place.values).intersect(tensor.to_set())
            read = read.union(approximated(piece, mode, tensor, dims, len(self.sizes)))
        box = box_around(convex(read, tensor, dims), tensor, dims, len(self.sizes))
        box, stored = place.in_loops(box), place.in_loops(stored)
        later = shifted(box, op, place.values)
        return Ahead(common_bounds(stored, later, place.around), place.values)

    def _stored_box(self, tensor: SSAValue, place: Place) -> Box:
        """The (start, extent) of what is stored of a tensor, which is outside of the place."""
        stage = tensor.owner
        if not isinstance(stage, schedule.StageOp) or stage.extern is not None:
            return [(ZERO, extent) for extent in self.accesses.extents(tensor)]
        region = self.regions[stage]

        def here(dim: int) -> AffineExpr:
            return AffineExpr.dimension(place.values.index(region.place.values[dim]))

        return [
            (replace_dims(start, here), replace_dims(extent, here))
            for start, extent in region.stored.box
        ]

    def _check_reads(self, stage: schedule.StageOp) -> None:
        for region in stage.definition.regions_with_values():
            for op in region.walk():
                if isinstance(op, Read):
                    check_read(op, self.accesses, self._instances(op))
                    check_step(op, self.accesses, self._instances(op), self.regions)
        check_body(stage, self.func.sizes, self.context, PATIENCE)

    def _infer(self, stage: schedule.StageOp, mode: Mode, operations: int) -> StageRegion:
        with budget(self.context, operations):
            place = self._place(stage)
            computed = self._computed(stage, place, mode)
        return self._with_loops(stage, place, computed, operations)

    def _with_loops(
        self, stage: schedule.StageOp, place: Place, computed: Computed, operations: int
    ) -> StageRegion:
        if not is_computed_whole(stage) and not states_of(stage):
            computed = computed._replace(box=self._tightened(computed.box, computed.elements))
        if self._needs_product(stage, computed):
            # The products at hand are those of the declared extents.
            declared = self.accesses.axis_box(stage)[: stage.data_axis_count]
            computed = computed._replace(box=declared)
        with budget(self.context, operations):
            return StageLoops(stage, place, computed, self.products).result()

    def _tightened(self, box: Box, elements: isl.Set) -> Box:
        """A smaller box around elements, if one is found in time."""
        rank = elements.dim(SET)
        try:
            with budget(self.context, self.operations):
                return tightened(box, elements, range(rank - len(box), rank))
        except OverBudget:
            return box

    def _computed(self, stage: schedule.StageOp, place: Place, mode: Mode) -> Computed:
        box = self.accesses.axis_box(stage)
        declared_box, reduce = box[: stage.data_axis_count], box[stage.data_axis_count :]
        declared = self._declared(stage, place)
        dims = range(len(place.values), declared.dim(SET))
        if is_computed_whole(stage):
            whole = declared.to_set()
            return Computed(Mode.EXACT, whole, whole, whole, declared_box, reduce, [])
        seen = without_relaxed(stage, place.values) if self.has_threads else place.values
        needed, elements = self._needed(stage, mode, declared, place.values, seen)
        read = needed
        needed, elements = (
            self._with_what_it_needs(stage, one, declared) for one in (needed, elements)
        )
        box = box_around(convex(elements, declared, dims), declared, dims, len(self.sizes))
        if states_of(stage):
            box[0] = fixed_times(box[0], declared_box[0], len(self.sizes))
        inner = _inside_storage(stage, place)
        if inner and not any(is_opaque(place, dim) for dim in inner):
            everything = needed
            if mode is not Mode.EXACT:
                # What the first iteration needs is more than others do, and would be around all.
                pieces = approximated_by_piece(needed, mode, declared, dims, len(self.sizes))
                everything = self._with_what_it_needs(stage, pieces, declared)
                # What is around a piece can be where no loop of the stage runs.
                everything = everything.intersect(self._inside(box, place).to_set())
            ran = where_run(everything, stage, place, self.regions)
            elements = first_needed(ran, inner).coalesce()
            needed = elements.intersect(needed)
        whole = self._taken_whole(reads_of(stage), seen)
        reason = self._why(stage, mode)
        return Computed(mode, elements, needed, read, box, reduce, whole, reason)

    def _with_what_it_needs(
        self, stage: schedule.StageOp, elements: isl.Set, declared: isl.BasicSet
    ) -> isl.Set:
        """Elements of a stage at its place, and if it is a scan, those that steps need for them."""
        if stage not in self.axes_apart:
            return elements
        first = declared.dim(SET) - stage.data_axis_count
        return with_what_it_needs(elements, declared, first, self.axes_apart[stage])

    def _declared(self, stage: schedule.StageOp, place: Place) -> isl.BasicSet:
        """The elements that a stage has, at every iteration of the loops around its place."""
        return self._inside(self.accesses.axis_box(stage)[: stage.data_axis_count], place)

    def _inside(self, box: Box, place: Place) -> isl.BasicSet:
        """The elements in a box, at every iteration of the loops around a place."""
        count = len(place.values) + len(box)
        axes = map(AffineExpr.dimension, range(len(place.values), count))
        around = place.around.add_dims(SET, len(box))
        return set_of(self.context, count, inside(axes, box)).intersect(around)

    def _stored(self, stage: schedule.StageOp) -> Stored:
        """What is stored in the loops that are around the storage of a stage."""
        place, computed = self.regions[stage].place, self.regions[stage].computed
        inner, folds = _inside_storage(stage, place), stage.storage.folds
        if not inner and not folds:
            return Stored(computed.box, {})
        dims = range(len(place.values), computed.elements.dim(SET))
        written = where_run(computed.elements, stage, place, self.regions)
        tensor = self._declared(stage, place)
        for dim in inner:
            tensor = without_divisions(tensor.eliminate(SET, dim, 1), ())
        stored = of_all_iterations(written, inner)
        box = box_around(convex(stored, tensor, dims), tensor, dims, len(self.sizes))
        box = self._tightened(box, stored)
        if not folds:
            return Stored(box, {})
        read = where_run(computed.read, stage, place, self.regions)
        try:
            with budget(self.context, PATIENCE):
                if states_of(stage):
                    written, read, moment = in_time(
                        stage, written, read, self.accesses, self.regions
                    )
                    inner = [*inner, *moment]
                lifetimes = Lifetimes(written, read, inner, len(dims))
                return Stored(box, fold(stage, lifetimes, box, self.sizes))
        except OverBudget:
            reason = f"that takes more than {PATIENCE} isl operations"
        except UnknownLifetimesError as error:
            reason = str(error)
        if asked := next((one for one in folds if one.axis.data in stage.storage.factors), None):
            raise PassError(
                f'cannot say which elements of "{name_of(stage)}" are needed at the same time: '
                f"{reason}; store it without folding",
                stage,
                asked.location,
            )
        return Stored(box, {})

    def _place(self, stage: schedule.StageOp) -> Place:
        """Where a stage is computed.

        The enclosing stage's guards and its loops further in say nothing here: they
        are inside the place where the stage is computed.
        """
        enclosing = stage.enclosing
        if enclosing is None:
            sizes = len(self.sizes)
            dims = [*map(AffineExpr.dimension, range(sizes))]
            return Place(self.sizes, dims, sizes, non_negative(self.context, sizes))
        return self._place_in(enclosing, loops_around(stage))

    def _place_in(self, enclosing: schedule.StageOp, axes: Sequence[SSAValue]) -> Place:
        """The place in the loops of these leaf axes of a stage."""
        region = self.regions[enclosing]
        fixed = {*region.place.values, *fixed_axes(enclosing, axes)}
        values = [value for value in region.values if value in fixed]
        context = _with_axes(region.place.around, region)
        around = loops = _loops(context, region, axes)
        for fact in [*self.product_facts, *region.facts]:
            # Loops can go beyond what relations allow, and leave it to guards.
            if fixed.issuperset(fact.axes) and _holds(fact, loops):
                around = constrained(around, fact.then)
        for dim in _others(region.values, values):
            around = around.project_out(SET, dim, 1)
        kept = [dim for dim, value in enumerate(region.values) if value in fixed]
        here = {dim: AffineExpr.dimension(position) for position, dim in enumerate(kept)}
        exprs = [replace_dims(region.exprs[dim], here.__getitem__) for dim in kept]
        around = without_divisions(around, range(len(values)))
        return Place(values, exprs, len(self.sizes), around)

    def _needed(
        self,
        stage: schedule.StageOp,
        mode: Mode,
        declared: isl.BasicSet,
        values: Sequence[SSAValue],
        seen: Sequence[SSAValue],
    ) -> tuple[isl.Set, isl.Set]:
        """The elements that readers need at a place, and those that this mode computes for it.

        Both are over the place's `values` and the data axes. Values that are not `seen`, those
        of relaxed loops, make no difference: each needs what all together read.
        """
        dims = range(len(values), declared.dim(SET))
        needed = elements = isl.Set.empty(declared.get_space())
        for read in reads_of(stage):
            piece = self._read_by(read, seen, self._in_same_threads(stage, read, seen))
            for dim, value in enumerate(values):
                if value not in seen:
                    piece = piece.insert_dims(SET, dim, 1)
            piece = points_filling(piece, read.tensor, self.accesses, len(values))
            piece = piece.intersect(declared.to_set())
            needed = needed.union(piece)
            elements = elements.union(approximated(piece, mode, declared, dims, len(self.sizes)))
        elements = approximated(elements, mode, declared, dims, len(self.sizes))
        return needed, elements.intersect(declared.to_set())

    def _read_by(
        self, read: Read, seen: Sequence[SSAValue], near: isl.Map | None = None
    ) -> isl.Set:
        """The elements that a read reads while sizes and axes have the values `seen`.

        `near` are the instances that count, all where it is left out.
        """
        near = self._instances(read) if near is None else near
        for dim in _others(self.regions[reader_of(read)].values, seen):
            near = near.project_out(IN, dim, 1)
        return flat_set(near.apply_range(self.accesses.of(read).map))

    def _in_same_threads(
        self, stage: schedule.StageOp, read: Read, seen: Sequence[SSAValue]
    ) -> isl.Map:
        """The instances of a read in the threads around a stage that each have a copy of it.

        Where a loop inside the place has more iterations than there are threads around, any
        thread may run them.
        """
        near, reader = self._instances(read), reader_of(read)
        if not self.has_threads:
            return near
        region = self.regions[reader]
        around = {*path(stage)}
        loops = [axis for axis in loops_of(read) if axis not in around]
        for inner, outer in same_threads(stage, loops, seen):
            distance = self._index(inner, region.values) + self._index(outer, region.values) * -1
            same = set_of(self.context, len(region.values), [Constraint(distance, True)]).to_set()
            iterations = where_run(near.domain(), reader, region.place, self.regions)
            dim = region.values.index(outer)
            by_own = iterations.intersect(same).project_out(SET, dim, 1)
            if iterations.project_out(SET, dim, 1).is_subset(by_own):
                near = near.intersect_domain(same)
        return near

    def _index(self, axis: SSAValue, values: Sequence[SSAValue]) -> AffineExpr:
        """How far an axis of a loop is from its start, over values of a stage in the loop."""
        region = self.regions[stage_of(axis)]

        def here(dim: int) -> AffineExpr:
            return AffineExpr.dimension(values.index(region.values[dim]))

        start = replace_dims(region.starts[axis], here)
        return AffineExpr.dimension(values.index(axis)) + start * -1

    def _taken_whole(self, reads: Iterable[Read], values: Sequence[SSAValue]) -> list[SSAValue]:
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
                instances = self._instances(read)
                access = instances.apply_range(self.accesses.of(read).map)
                access = access.gist_domain(instances.domain())
                dims = {axis: region.values.index(axis) for axis in half_fixed}
                found |= {axis: None for axis in dims if access.involves_dims(IN, dims[axis], 1)}
        return list(found)

    def _instances(self, read: Read) -> isl.Map:
        region = self.regions[reader_of(read)]
        return region.init_instances if in_init(read) else region.instances

    def _needs_product(self, stage: schedule.StageOp, computed: Computed) -> bool:
        """Whether a fusion of the stage multiplies symbolic extents of this region."""
        if not self.products:
            return False
        asked: list[schedule.RelationOp] = []

        def ask(relation: schedule.RelationOp, _: Sequence[AffineExpr]) -> AffineExpr:
            asked.append(relation)
            return self.products[relation]

        axis_spans(stage, computed.extents(), ask)
        return bool(asked)


def _deciding_over(stage: schedule.StageOp) -> list[schedule.StageOp]:
    """The stages whose regions that of a stage follows from, itself first."""
    found: dict[schedule.StageOp, None] = {}
    pending = [stage]
    while pending:
        one = pending.pop()
        if one not in found:
            found[one] = None
            pending += map(reader_of, reads_of(one))
            pending += steps_of(one)
            pending += [one.enclosing] if one.enclosing is not None else []
    return list(found)


def where_run(
    elements: isl.Set, stage: schedule.StageOp, place: Place, regions: Regions
) -> isl.Set:
    """Of elements at the place of a stage, those at iterations that the loops around have."""
    around = iterations_around(stage, place, regions)
    around = around.add_dims(SET, elements.dim(SET) - around.dim(SET))
    return elements.intersect(around.to_set())


def newly_needed(stage: schedule.StageOp, regions: Regions) -> isl.Set:
    """What readers need of a stage and no earlier iteration has left in its storage."""
    place = regions[stage].place
    needed = where_run(regions[stage].computed.needed, stage, place, regions)
    inner = _inside_storage(stage, place)
    if all(is_leaf(place.values[dim]) for dim in inner):
        return first_needed(needed, inner)
    return needed


def iterations_around(stage: schedule.StageOp, place: Place, regions: Regions) -> isl.BasicSet:
    """The iterations of the loops around a stage, over its place's values, as these run.

    The place's `around` may hold more: it has no divisions.
    """
    enclosing = stage.enclosing
    if enclosing is None:
        return place.around
    region = regions[enclosing]
    context = _with_axes(iterations_around(enclosing, region.place, regions), region)
    loops = _loops(context, region, loops_around(stage))
    for fact in region.facts:
        if all(axis in place.values for axis in fact.axes) and _holds(fact, loops):
            loops = constrained(loops, fact.then)
    for dim in _others(region.values, place.values):
        loops = loops.project_out(SET, dim, 1)
    return loops


def _holds(fact: Fact, loops: isl.BasicSet) -> bool:
    """Whether what a fact takes for given holds wherever these loops run."""
    return not fact.given or loops.is_subset(constrained(loops, fact.given))


def _inside_storage(stage: schedule.StageOp, place: Place) -> list[int]:
    """The dimensions of the place whose loops are not around the storage of the stage.

    The loops stand first, in their order, and then what is made of them.
    """
    if not stage.is_stored_elsewhere:
        return []
    around = path_to_storage(stage)
    fixed = {axis for owner in map(stage_of, around) for axis in _fixed(owner, around)}
    axes = enumerate(place.values[place.sizes :], place.sizes)
    inner = [dim for dim, axis in axes if axis not in fixed]
    return sorted(inner, key=lambda dim: not is_leaf(place.values[dim]))


def _fixed(stage: schedule.StageOp, loops: Sequence[SSAValue]) -> set[SSAValue]:
    """The axes of a stage that these loops, some of them its own, give one value."""
    return fixed_axes(stage, [axis for axis in loops if stage_of(axis) is stage])


def _with_axes(around: isl.BasicSet, region: StageRegion) -> isl.BasicSet:
    """What is around a stage, with all its axes as further dimensions."""
    return around.add_dims(SET, len(region.values) - around.dim(SET))


def _loops(context: isl.BasicSet, region: StageRegion, axes: Sequence[SSAValue]) -> isl.BasicSet:
    """Where the loops of these leaf axes run, inside `context`."""
    dims = [region.values.index(axis) for axis in axes]
    return covered(context, dims, [region.bounds[axis] for axis in axes])


def _others(values: Sequence[SSAValue], kept: Sequence[SSAValue]) -> list[int]:
    """The positions of the `values` that are not kept, the last first."""
    remaining = set(kept)
    return [dim for dim, value in reversed([*enumerate(values)]) if value not in remaining]
