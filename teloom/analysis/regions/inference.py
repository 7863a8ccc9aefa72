"""The regions of stages: the elements that are computed at a place, because readers need them.

A stage's instances are related to the loops around them; the region that a producer
must compute at a place is the image of its readers' instances under their reads, with
the loops inside that place projected out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TypeVar, get_args

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.regions.ahead import (
    Ahead,
    check_ahead,
    common_bounds,
    shifted,
)
from teloom.analysis.regions.body_accesses import check_body
from teloom.analysis.regions.bounded import in_whole_blocks, said_of, with_said_bounds
from teloom.analysis.regions.folding import fold
from teloom.analysis.regions.iterations import (
    by_all_loops,
    by_what_matters,
    have_run,
    inside_storage,
    place_in,
    reads_what_is_there,
    where_run,
)
from teloom.analysis.regions.needs import Needs
from teloom.analysis.regions.outside import check_read, may_find_none, promises_of_data
from teloom.analysis.regions.recurrences import check_step, check_times
from teloom.analysis.regions.scan_lifetimes import Moment, in_time, times_at_once
from teloom.analysis.regions.scan_regions import (
    axes_apart,
    fixed_times,
    with_what_it_needs,
)
from teloom.analysis.regions.shared_order import InferredInstances, SharedOrder, SharedTimes
from teloom.analysis.regions.slices import check_slices
from teloom.analysis.regions.stage_loops import (
    Computed,
    ComputePlace,
    Promise,
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
    with_the_rest,
)
from teloom.analysis.sets.boxes import Box, box_around, tightened
from teloom.analysis.sets.guard_cost import NO_GUARD, is_nearly
from teloom.analysis.sets.integer_sets import (
    ONE,
    SET,
    Constraint,
    at_least,
    inside,
    non_negative,
    set_of,
    without_divisions,
)
from teloom.analysis.sets.modes import (
    OverBudget,
    approximated,
    approximated_by_piece,
    budget,
    convex,
    found_in_time,
)
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.declared_order import is_reordered_scan
from teloom.analysis.stages.domains import ANYWHERE_SIDE, bounded, check_domains
from teloom.analysis.stages.first_accesses import beginning
from teloom.analysis.stages.leaf_map import axis_spans
from teloom.analysis.stages.queries import (
    Access,
    Read,
    all_stages,
    at_stage,
    first_of_run,
    is_computed_whole,
    is_output,
    loops_around,
    loops_to,
    modes_of,
    name_of,
    operations_of,
    reader_of,
    reads_inside,
    reads_of,
    run_of,
    stages_around,
    states_of,
    steps_of,
)
from teloom.analysis.stages.read_maps import ReadMaps, Root, coordinates, data_roots
from teloom.analysis.stages.relations.meaning import CeilQuotient, Fact, Product, SizeExpr
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.analysis.stages.threads import (
    check_extents,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.operands import text
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.schedule import Mode
from teloom.errors import PassError, ScheduleError
from teloom.progress import reached

# Makes a size of an extent that is no affine expression of the sizes so far.
EmitSize = Callable[[Product | CeilQuotient, Sequence[SSAValue]], SSAValue]

_T = TypeVar("_T")

BUDGET = 100_000
"""isl operations per stage and mode; one takes about a microsecond.

With 50,000, every stage of `benchmarks/bounds.py` is exact, except where that takes seconds.
"""

MOST_OPERATIONS = 2**63 - 1
"""The largest number of operations that isl can count."""

PATIENCE = 20 * BUDGET
"""isl operations that a stage may take before it is refused."""


def infer_regions(
    func: te.FuncOp,
    emit: EmitSize,
    modes: Sequence[Mode] = tuple(Mode),
    operations: int = BUDGET,
) -> dict[schedule.StageOp, StageRegion]:
    """The regions of all stages of a function, readers before what they read.

    A stage takes the first of `modes` that needs no more than that many isl operations,
    or the last. `emit` is asked for extents of axes that are no affine expressions of
    sizes. Raises PassError for a read outside its tensor, or of a step of a recurrence that
    is not computed yet, with a witness, and for an axis that never runs or that has another
    extent than its thread axis.
    """
    check_domains(func)
    inference = _Inference(func, modes, operations)
    inference.make_sizes(emit)
    inference.infer()
    inference.look_ahead()
    return {stage: region.in_loops() for stage, region in inference.regions.items()}


class _Inference:
    def __init__(self, func: te.FuncOp, modes: Sequence[Mode], operations: int):
        self.func, self.modes, self.operations = func, modes, operations
        self.stages = all_stages(func)[::-1]
        self.sizes = list(func.sizes)
        self.context = isl.Context()
        self.accesses = ReadMaps(func, self.sizes, self.context)
        self.regions: dict[schedule.StageOp, StageRegion] = {}
        bounded = ((stage, stage.data_bounded_axes) for stage in self.stages)
        self.from_data = {stage: schedule.BoundsOp(axes) for stage, axes in bounded if axes}
        self.needs = Needs(self.accesses, self.regions)
        self.to_be_exact: set[schedule.StageOp] = set()
        self.by_all_loops = by_all_loops(self.stages)
        self.axes_apart: dict[schedule.StageOp, list[Root]] = {}
        self.own_sizes: dict[SSAValue, AffineExpr] = {}
        self.size_facts: list[Fact] = []

    def make_sizes(self, emit: EmitSize) -> None:
        """Makes a size of every extent of an axis that is no affine expression of sizes."""

        def make(axis: SSAValue, found: Product | CeilQuotient | SizeExpr) -> AffineExpr:
            if isinstance(found, SizeExpr):
                self.own_sizes[axis] = found.size
                return self.own_sizes[axis]
            self.sizes.append(emit(found, self.sizes))
            size = self.own_sizes[axis] = AffineExpr.dimension(len(self.sizes) - 1)
            # Sets cannot say what it is. But if it is positive, so are the factors of a product,
            # none of which is larger, and an extent of so many parts, which is not less.
            if isinstance(found, Product):
                positive = [at_least(factor, ONE) for factor in found.factors]
                positive += [at_least(size, factor) for factor in found.factors]
            else:
                positive = [at_least(found.extent, size)]
            self.size_facts.append(Fact([], [at_least(size, ONE)], positive))
            return size

        for stage in all_stages(self.func):
            with at_stage(stage):
                axis_spans(stage, [extent for _, extent in self.accesses.axis_box(stage)], make)

    def infer(self) -> None:
        """Infers the regions of all stages, those of readers first.

        An approximation must not refuse a program: elements that nothing needs can have reads
        outside, or give an axis another extent. So before a refusal, regions are inferred more
        exactly.
        """
        tasks = [(task, stage) for task in (self._visit, self._store) for stage in self.stages]
        done = 0
        while done < len(tasks):
            task, stage = tasks[done]
            reached("infer-bounds", done, len(tasks))
            try:
                with at_stage(stage):
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
        if is_reordered_scan(stage):
            check_times(stage, self.stages, self.accesses)
        self.regions[stage] = self._inferred(stage)
        check_extents(stage, self.regions[stage].extents)
        self._check_reads(stage)

    def _store(self, stage: schedule.StageOp) -> None:
        """Decides what is stored of a stage; all regions are known, also of steps of a scan."""
        self.regions[stage] = replace(self.regions[stage], stored=self._stored(stage))

    def _axes_apart(self, scan: schedule.StageOp) -> list[Root]:
        """The axes along which steps of a scan keep coordinates apart, if found in time."""
        find = partial(axes_apart, scan, self.stages, self.accesses)
        return found_in_time(self.context, self.operations, find, [])

    def _more_exactly(self, stage: schedule.StageOp, error: PassError) -> schedule.StageOp:
        """The stages to infer more exactly before one is refused: it, or all that decide over it.

        Raises the error if all of these are exact, or would take too many operations.
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
        """The result of `infer` in the first mode that does not take too long, or in the last.

        `infer` gets the operations that each of its parts may take; 0 is no limit.
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
        """The reason for a region's mode, in words; nothing if it is exact."""
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
        if is_computed_whole(stage) or inside_storage(stage, region.within):
            return region
        if any(map(is_reordered_scan, stages_around(stage))):
            return region  # a step that nothing reads may run before what it reads
        within, operations = region.within, operations_of(stage, self.operations)
        try:
            with budget(self.context, operations):
                hull = self._computed(stage, within, Mode.HULL)
            needed, around = (
                where_run(one.elements, stage, within, self.regions)
                for one in (region.computed, hull)
            )
            values = len(needed.names) - stage.data_axis_count
            if not is_nearly(needed.set, around.set, values, len(self.sizes)):
                return region
            found = self._with_loops(stage, within, hull._replace(reason=NO_GUARD), operations)
        except OverBudget:
            return region
        return region if found.guards else found

    def _ahead(self, op: schedule.AheadOp, mode: Mode, operations: int) -> Ahead:
        """The box around what an iteration reads, moved ahead, within what there is."""
        with budget(self.context, operations):
            return self._ahead_in(op, mode)

    def _ahead_in(self, op: schedule.AheadOp, mode: Mode) -> Ahead:
        place = self._place_in(op.stage, loops_to(op.axis))
        reads = list(reads_inside(op.tensor, op.axis))
        check_ahead(op, reads, self.needs.taken_whole(reads, place.values))
        stored = self._stored_box(op.tensor, place)
        tensor = self._inside(stored, place)
        names = [*place.values, *coordinates(len(stored))]
        dims = range(len(place.values), len(names))
        read = isl.Set.empty(tensor.get_space())
        for one in reads:
            piece = self.needs.read_by(one, place.values).over(names).set.intersect(tensor.to_set())
            read = read.union(approximated(piece, mode, tensor, dims, len(self.sizes)))
        box = box_around(convex(read, tensor, dims), tensor, dims, len(self.sizes))
        box, stored = place.in_loops(box), place.in_loops(stored)
        later = shifted(box, op, place.values)
        return Ahead(common_bounds(stored, later, place.around), place.values)

    def _stored_box(self, tensor: SSAValue, place: ComputePlace) -> Box:
        """(start, extent) per axis of a tensor that is stored outside of the place."""
        stage = tensor.owner
        if not isinstance(stage, schedule.StageOp) or stage.extern is not None:
            return self.accesses.box(tensor)
        region = self.regions[stage]

        def here(dim: int) -> AffineExpr:
            return AffineExpr.dimension(place.values.index(region.place.values[dim]))

        return [
            (replace_dims(start, here), replace_dims(extent, here))
            for start, extent in region.stored.box
        ]

    def _check_reads(self, stage: schedule.StageOp) -> None:
        for region in stage.definition.regions_with_values():
            for op in ops_in(region, *get_args(Access)):
                check_read(op, self.accesses, self.needs.instances(op))
                if isinstance(op, Read):
                    check_step(op, self.accesses, self.needs.instances(op), self.regions)
                    if may_find_none(op):
                        self._promise(stage, op)
        check_body(stage, self.func.sizes, self.context, PATIENCE)

    def _promise(self, stage: schedule.StageOp, read: Read) -> None:
        """Adds what has to hold of sizes for a read of what data chooses."""
        promises = self.regions[stage].promises
        found = promises_of_data(read, self.accesses, self.needs.instances(read))
        promises += (one for one in found if one not in promises)

    def _infer(self, stage: schedule.StageOp, mode: Mode, operations: int) -> StageRegion:
        with budget(self.context, operations):
            within = self._place(stage)
            computed = self._computed(stage, within, mode)
        return self._with_loops(stage, within, computed, operations)

    def _with_loops(
        self, stage: schedule.StageOp, within: ComputePlace, computed: Computed, operations: int
    ) -> StageRegion:
        if not is_computed_whole(stage) and not states_of(stage):
            computed = computed._replace(box=self._tightened(computed.box, computed.elements.set))
        if self._needs_own_size(stage, computed):
            # The sizes at hand are those of the declared extents.
            declared = self.accesses.axis_box(stage)[: stage.data_axis_count]
            computed = computed._replace(box=declared)
        box, promises = with_said_bounds(
            stage, computed.box, computed.elements, computed.place.sizes
        )
        if not is_computed_whole(stage):
            computed = computed._replace(box=box)
        from_data, begins = self.from_data.get(stage), self._beginning(stage)
        with budget(self.context, operations):
            found = StageLoops(stage, within, computed, self.own_sizes, from_data, begins).result()
        return replace(found, promises=[*map(Promise, promises), *self._of_relations(stage)])

    def _beginning(self, stage: schedule.StageOp) -> Points | None:
        """The elements that have to begin; None, for all, also where it takes too long to know."""
        find = partial(beginning, stage, self.accesses)
        return found_in_time(self.context, self.operations, find, None)

    def _of_relations(self, stage: schedule.StageOp) -> Iterator[Promise]:
        """The promises on sizes that relations divide by."""
        for relation in stage.relations:
            for divisor in meaning_of(relation).divisors(relation):
                word = relation.name.removeprefix("schedule.")
                yield Promise(
                    [Conjunction([], [divisor + -1])],
                    f"{word} of axis {schedule.axis_names(relation.consumed)} of "
                    f"{name_of(stage)} by {text(divisor, self.sizes)}, which must be at least 1",
                )

    def _tightened(self, box: Box, elements: isl.Set) -> Box:
        """A smaller box around elements, if one is found in time."""
        rank = elements.dim(SET)
        find = partial(tightened, box, elements, range(rank - len(box), rank))
        return found_in_time(self.context, self.operations, find, box)

    def _computed(self, stage: schedule.StageOp, within: ComputePlace, mode: Mode) -> Computed:
        box = self.accesses.axis_box(stage)
        declared_box, reduce = box[: stage.data_axis_count], box[stage.data_axis_count :]
        declared = self._declared(stage, within)
        if is_computed_whole(stage):
            whole = self.accesses.in_domain(stage, within.points(declared, data_roots(stage)))
            once = self._first_needed(stage, within, self._window(stage, within), whole)
            return Computed(within, Mode.EXACT, once, once, whole, declared_box, reduce, [])
        seen = self.needs.seen(stage, within.values)
        read, elements = self._needed(stage, within, mode, declared, seen)
        needed, elements = (
            self._with_what_it_needs(stage, one, declared) for one in (read, elements)
        )
        place = within
        if stage.attached and stage not in self.by_all_loops:
            place, elements = by_what_matters(within, elements)
            declared = self._declared(stage, place)
        dims = range(len(place.values), declared.dim(SET))
        region, limits = convex(elements.set, declared, dims), declared
        if ANYWHERE_SIDE in declared_box:
            limits = self._inside(declared_box, place, inside)
        box = box_around(region, limits, dims, len(self.sizes))
        if any(op.modulus is not None for _, op in said_of(stage)):
            elements = in_whole_blocks(stage, elements, box, declared)
            elements = self.accesses.in_domain(stage, elements)
            region = convex(elements.set, declared, dims)
            box = box_around(region, limits, dims, len(self.sizes))
        if states_of(stage):
            box[0] = fixed_times(box[0], declared_box[0], len(self.sizes))
        if inner := self._window(stage, place):
            everything = needed
            if mode is not Mode.EXACT:
                # The first iteration needs more than others; a box around it would be around all.
                pieces = approximated_by_piece(needed.set, mode, declared, dims, len(self.sizes))
                pieces = needed._replace(set=pieces)
                everything = self._with_what_it_needs(stage, pieces, declared)
                # A box around a piece can be at iterations that no loop of the stage has.
                loops = place.points(self._inside(box, place), data_roots(stage))
                everything = self.accesses.in_domain(stage, everything.intersect(loops))
            elif reads_what_is_there(stage):
                inside_box = self._inside(box, place).intersect(declared)
                around = place.points(inside_box, data_roots(stage))
                around = around.intersect(needed.over(place.values))
                everything = needed = with_the_rest(needed, around, inner)
            elements = self._first_needed(stage, place, inner, everything)
            needed = elements.intersect(needed)
        whole = self.needs.taken_whole(reads_of(stage), seen)
        reason = self._why(stage, mode)
        return Computed(place, mode, elements, needed, read, box, reduce, whole, reason)

    def _window(self, stage: schedule.StageOp, place: ComputePlace) -> Sequence[SSAValue]:
        """The loops whose earlier iterations are known to leave in storage what they computed."""
        inner = inside_storage(stage, place)
        opaque = any(is_opaque(place, place.values.index(axis)) for axis in inner)
        return inner if have_run(inner) and not opaque else ()

    def _first_needed(
        self,
        stage: schedule.StageOp,
        place: ComputePlace,
        inner: Sequence[SSAValue],
        elements: Points,
    ) -> Points:
        """The elements without those that an earlier iteration of these loops leaves in storage."""
        if not inner:
            return elements
        found = first_needed(where_run(elements, stage, place, self.regions), inner)
        return found._replace(set=found.set.coalesce())

    def _needed(
        self,
        stage: schedule.StageOp,
        place: ComputePlace,
        mode: Mode,
        declared: isl.BasicSet,
        seen: Sequence[SSAValue],
    ) -> tuple[Points, Points]:
        """The elements that readers need at a place, and those that this mode computes for it."""
        whole, dims = declared.to_set(), range(len(place.values), declared.dim(SET))
        names = [*place.values, *data_roots(stage)]
        needed = elements = isl.Set.empty(declared.get_space())
        for read in self.needs.of(stage, seen):
            piece = read.over(names).set.intersect(whole)
            needed = needed.union(piece)
            elements = elements.union(approximated(piece, mode, declared, dims, len(self.sizes)))
        elements = approximated(elements, mode, declared, dims, len(self.sizes)).intersect(whole)
        return Points(names, needed), self.accesses.in_domain(stage, Points(names, elements))

    def _with_what_it_needs(
        self, stage: schedule.StageOp, elements: Points, declared: isl.BasicSet
    ) -> Points:
        """Elements of a stage at its place, with those that steps need for them if it is a scan."""
        if stage not in self.axes_apart:
            return elements
        tensor = elements._replace(set=declared.to_set())
        return with_what_it_needs(elements, tensor, self.axes_apart[stage])

    def _declared(self, stage: schedule.StageOp, place: ComputePlace) -> isl.BasicSet:
        """The elements that a stage has, at every iteration of the loops around its place."""
        return self._inside(self.accesses.axis_box(stage)[: stage.data_axis_count], place)

    def _inside(
        self,
        box: Box,
        place: ComputePlace,
        within: Callable[[Iterable[AffineExpr], Box], list[Constraint]] = bounded,
    ) -> isl.BasicSet:
        """The elements in a box, at every iteration of the loops around a place."""
        count = len(place.values) + len(box)
        axes = map(AffineExpr.dimension, range(len(place.values), count))
        around = place.around.add_dims(SET, len(box))
        return set_of(self.context, count, within(axes, box)).intersect(around)

    def _stored(self, stage: schedule.StageOp) -> Stored:
        """The elements that are stored in the loops around the storage of a stage."""
        if is_output(stage) and stage.extern is None:
            return Stored(self.accesses.axis_box(stage)[: stage.data_axis_count], {})
        place, computed = self.regions[stage].place, self.regions[stage].computed
        inner, folds = inside_storage(stage, place), stage.storage.folds
        if not inner and not folds:
            return Stored(computed.box, {})
        dims = range(len(place.values), len(computed.elements.names))
        written = where_run(computed.elements, stage, place, self.regions)
        tensor = self._declared(stage, place)
        for axis in inner:
            dim = place.values.index(axis)
            tensor = without_divisions(tensor.eliminate(SET, dim, 1), ())
        stored = of_all_iterations(written, inner).set
        box = box_around(convex(stored, tensor, dims), tensor, dims, len(self.sizes))
        box = self._tightened(box, stored)
        if not folds:
            return Stored(box, {})
        read, moment = where_run(computed.read, stage, place, self.regions), inner
        if states_of(stage) and not inner and not is_reordered_scan(stage):
            with suppress(OverBudget, UnknownLifetimesError), budget(self.context, PATIENCE):
                return Stored(box, self._times_folded(stage, read, box))
        try:
            with budget(self.context, PATIENCE):
                if is_reordered_scan(stage) and not inner:
                    return Stored(box, self._times_folded(stage, read, box))
                if states_of(stage):
                    written, read = in_time(stage, written, read, self.accesses, self.regions)
                    moment = [*inner, *Moment]
                elif not inner and (shared := self._shared_times(stage)):
                    written, read, moment = shared
                lifetimes = Lifetimes(written, read, moment, len(dims))
                return Stored(box, fold(stage, lifetimes, box, self.sizes))
        except OverBudget:
            reason = f"that takes more than {PATIENCE} isl operations"
        except UnknownLifetimesError as error:
            reason = str(error)
        if asked := next((one for one in folds if one.axis.data in stage.storage.factors), None):
            raise ScheduleError(
                f'cannot say which elements of "{name_of(stage)}" are needed at the same time: '
                f"{reason}; store it without folding",
                stage,
                asked.location,
            )
        return Stored(box, {})

    def _times_folded(self, scan: schedule.StageOp, read: Points, box: Box) -> dict[int, int]:
        """The factor of time in a scan, by the order of all its loops."""
        (asked,) = scan.storage.folds if len(scan.storage.folds) == 1 else (None,)
        if asked is None or asked.axis.data:
            raise UnknownLifetimesError("its loops do not run from step to step")
        given = scan.storage.factors.get(0)
        factor = times_at_once(scan, read, self.accesses, self.regions, given)
        extent = box[0][1]
        is_all = isinstance(extent, AffineConstantExpr) and extent.value <= factor
        return {} if is_all else {0: factor}

    def _shared_times(self, stage: schedule.StageOp) -> SharedTimes | None:
        """When its elements are written and read in loops that it shares with all its readers."""
        run = run_of(first_of_run(stage))
        if len(run) == 1:
            return None
        return SharedOrder(run, InferredInstances(self.accesses, self.regions)).times_of(stage)

    def _place(self, stage: schedule.StageOp) -> ComputePlace:
        """The place where a stage is computed.

        Guards of the enclosing stage, and its loops further in, are inside this place.
        """
        enclosing = stage.enclosing
        if enclosing is None:
            sizes = len(self.sizes)
            dims = [*map(AffineExpr.dimension, range(sizes))]
            return ComputePlace(self.sizes, dims, sizes, non_negative(self.context, sizes))
        return self._place_in(enclosing, loops_around(stage))

    def _place_in(self, enclosing: schedule.StageOp, axes: Sequence[SSAValue]) -> ComputePlace:
        """The place in the loops of these leaf axes of a stage."""
        return place_in(self.regions[enclosing], axes, self.size_facts)

    def _needs_own_size(self, stage: schedule.StageOp, computed: Computed) -> bool:
        """Whether the extent of an axis is no affine expression of sizes, for this region."""
        if not self.own_sizes:
            return False
        asked: list[SSAValue] = []

        def ask(axis: SSAValue, _: object) -> AffineExpr:
            asked.append(axis)
            return self.own_sizes[axis]

        axis_spans(stage, computed.extents(), ask)
        return bool(asked)


def _deciding_over(stage: schedule.StageOp) -> list[schedule.StageOp]:
    """The stages whose regions decide over the region of a stage, itself first."""
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
