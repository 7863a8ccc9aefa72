"""Whether a scheduled function computes what its equations say: every read finds its writer.

For most reads a proof takes microseconds: in each iteration of the loops around a stage, the stage
computes what is read there. Integer sets decide on the other reads.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import NamedTuple

from xdsl.ir import BlockArgument, Operation, Region, SSAValue

from teloom.analysis.dependences.coverage import Coverage
from teloom.analysis.dependences.distinct_points import run_at_distinct_points
from teloom.analysis.dependences.flow import Edge, Violation
from teloom.analysis.dependences.instances import InstanceSets, is_axis
from teloom.analysis.dependences.outputs import check_in_loops, not_computed
from teloom.analysis.dependences.places import Places
from teloom.analysis.dependences.reduction_order import depends_on_order, swapped
from teloom.analysis.dependences.refusals import refusal
from teloom.analysis.dependences.shared_loops import check_shared
from teloom.analysis.dependences.text_forms import ONE, TextForms
from teloom.analysis.dependences.time_vectors import (
    Nest,
    axes_of_nest,
    has_elements,
    has_init_nest,
    loops_of_nest,
    nests_of,
    ordered_along,
)
from teloom.analysis.dependences.update_order import check_update_order
from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.regions.outside import check_read, may_find_none, promises_of_data
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.declared_order import is_reordered_scan
from teloom.analysis.stages.queries import (
    Access,
    Read,
    all_stages,
    at_stage,
    axes_of,
    fixed_axes,
    in_init,
    in_until,
    is_output,
    kind_of,
    leaves_of,
    name_of,
    reader_of,
    result_behind,
    shares_loops,
)
from teloom.analysis.stages.read_maps import instance_at, roots
from teloom.dialects import schedule, te
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.bodies.update import is_state
from teloom.errors import ScheduleError
from teloom.remarks import remark

OPERATIONS = 200_000
"""isl operations that one question may take; one takes about a microsecond."""

OPERATIONS_OF_A_WHOLE = 100_000
"""Those for the question whether an output is computed completely. If the answer is not known, the
loops were at least inferred from the whole output."""


class _Left(NamedTuple):
    """A question for integer sets: whether reads of a tensor find what its writer writes."""

    tensor: SSAValue
    is_shared: bool


class Legality:
    """The check of one function. Its methods raise `ScheduleError`, with a witness."""

    def __init__(self, func: te.FuncOp, strict: bool = False):
        """With `strict`, floats are added in the order of the equation."""
        self.func, self.strict = func, strict
        self.forms = TextForms()
        self.places = Places()
        self.coverage = Coverage(self.forms)
        self._unknown: set[schedule.StageOp] = set()
        self.is_around = cache(self._is_around)
        self.has_place_for_each = cache(self._has_place_for_each)

    @cached_property
    def sets(self) -> InstanceSets:
        return InstanceSets(self.func)

    def check(self) -> None:
        """Checks all stages."""
        for stage in all_stages(self.func):
            with at_stage(stage):
                self._check_stage(stage)

    def _check_stage(self, stage: schedule.StageOp) -> None:
        self._check_loops(stage)
        self._check_points(stage)
        self._check_once(stage)
        if self.strict and depends_on_order(stage):
            self._check_order(stage)
        for region in stage.definition.regions_with_values():
            self._check_accesses(region)
        if stage.update is not None:
            check_update_order(stage, self.sets, OPERATIONS, self.strict)
        if is_output(stage):
            self._check_output(stage)

    # Reads

    def _check_accesses(self, region: Region) -> None:
        """Checks accesses; those of an update to what it changes have an order of their own."""
        left: dict[_Left, list[Read]] = {}
        for op in preorder(region):
            if isinstance(op, te.WriteOp) or (isinstance(op, Access) and is_state(op.tensor)):
                check_read(op, self.sets.reads, self._instances(op))
            elif isinstance(op, Access) and (found := self._check_read(op)) is not None:
                left.setdefault(found, []).append(op)
        for (_, is_shared), reads in left.items():
            self._check_edges(reads, is_shared)

    def _instances(self, access: Access) -> Points:
        """The instances at which an access happens; for reads in bounds of loops, a superset."""
        stage = reader_of(access)
        if in_until(access):
            return self.sets.declared(stage).over([*self.sets.sizes, *roots(axes_of(access))])
        return self.sets.of(stage, Nest.INIT if in_init(access) else Nest.BODY)

    def _check_read(self, read: Read) -> _Left | None:
        """Checks that a read is inside of its tensor, and finds the value of its writer."""
        tensor = result_behind(read.tensor)
        writer = tensor.owner
        if may_find_none(read):
            self._check_choice(read)
        if isinstance(read, te.BufferOp) and writer is reader_of(read):
            return None  # a slice of its own that an extern fills
        elements, known = self._elements(read)
        if isinstance(writer, schedule.StageOp):
            is_shared = self._shares_loops(read, writer)
            is_settled = self._is_settled(read, writer, elements, known, is_shared)
            return None if is_settled else _Left(tensor, is_shared)
        if elements is None or not self._are_inside(read, elements, known):
            check_read(read, self.sets.reads, self._instances(read))
        return None

    def _check_choice(self, read: Read) -> None:
        """Checks that there is an element wherever data says which one is read."""
        for missing in promises_of_data(read, self.sets.reads, self._instances(read)):
            raise ScheduleError(f"{missing.words}, and no schedule.promised says it is not", read)

    def _shares_loops(self, read: Read, writer: schedule.StageOp) -> bool:
        """Whether the reader shares loops with a writer; their order in these is then checked."""
        if not shares_loops(writer):
            return False
        try:
            with budget(self.sets.context, OPERATIONS):
                return check_shared(read, writer, self.sets)
        except OverBudget:
            self._is_unknown(read, f"that takes more than {OPERATIONS} isl operations")
            return True

    def _elements(self, read: Read) -> tuple[list[Polynomial] | None, Inequalities]:
        """The elements that a read reads, if its subscripts are polynomials of loops."""
        known, body = self.forms.known_at(read)
        if isinstance(read, te.BufferOp):
            return None, known
        elements = body.of_exprs(read.map.data.results, read.operands_)
        return (elements if all(map(_is_of_loops, elements)) else None), known

    def _are_inside(self, read: Read, elements: list[Polynomial], known: Inequalities) -> bool:
        """Whether it is proved that the elements of an argument that are read are inside of it."""
        shape = self.func.shape_of(list(self.func.tensors).index(read.tensor))
        extents = [self.forms.expr(extent, self.func.sizes) for extent in shape]
        return all(
            known.hold(element, extent - ONE - element)
            for element, extent in zip(elements, extents, strict=True)
        )

    def _is_settled(
        self,
        read: Read,
        writer: schedule.StageOp,
        elements: list[Polynomial] | None,
        known: Inequalities,
        is_shared: bool,
    ) -> bool:
        """Whether it is proved that a read finds its value.

        The writer computes the element in each iteration of the loops around it, and nothing
        overwrites it before the read. The latter is known if loops are shared.
        """
        nest = Nest.INIT if in_init(read) else Nest.BODY
        if not self.is_around(writer, reader_of(read), nest):
            return False
        if writer.extern is not None:
            return not writer.root_axes
        if elements is None or not (is_shared or self.has_place_for_each(writer)):
            return False
        return self.coverage.covers(writer, elements, known)

    def _is_around(self, writer: schedule.StageOp, reader: schedule.StageOp, nest: Nest) -> bool:
        """Whether a nest of a reader runs behind its writer in each iteration around."""
        around = self.places.of(writer).loops
        if (*self.places.of(reader).loops, *loops_of_nest(reader, nest))[: len(around)] != around:
            return False
        if ordered_along(writer) and (reader is writer or writer.is_ancestor(reader)):
            return False
        between = around[len(self.places.of_storage(writer).loops) :]
        return all(kind_of(axis).one_after_another for axis in between)

    def _has_place_for_each(self, writer: schedule.StageOp) -> bool:
        """Whether elements of one iteration of the loops around have different places."""
        return all(
            self._is_within(writer.root_axes[axis], factor, writer)
            for axis, factor in writer.storage.factors.items()
        )

    def _is_within(self, axis: SSAValue, factor: int, stage: schedule.StageOp) -> bool:
        """Whether an axis is proved to have at most `factor` iterations."""
        side, known = self.forms.range(axis), self.forms.loops_around(stage)
        most = Polynomial.constant(factor)
        return any(
            known.hold(most - (upper - lower)) for lower in side.lower for upper in side.upper
        )

    def _check_edges(self, reads: Sequence[Read], is_shared: bool) -> None:
        """Decides by integer sets whether reads in one region find the value of their writer.

        All reads are one question at first. If the answer is not yes, each read is a question.
        """
        if len(reads) > 1 and (edge := Edge(reads, self.sets)).is_inside:
            with suppress(OverBudget):
                if not self._why_unknown(edge) and self._violation(edge, is_shared) is None:
                    return
        for read in reads:
            self._check_edge(read, is_shared)

    def _check_edge(self, read: Read, is_shared: bool) -> None:
        edge = Edge([read], self.sets)
        if not edge.is_inside:
            raise ScheduleError(
                f'stage "{name_of(edge.reader)}" reads "{name_of(edge.writer)}" outside of the '
                f"loop in which that is stored, {schedule.axis_names(edge.storage)}",
                read,
            )
        why, found = self._why_unknown(edge), None
        try:
            if why is None and (found := self._violation(edge, is_shared)) is not None:
                # Sets have more points where sizes stand for products: what is proved for more
                # points holds.
                why = self.sets.of_products(edge.writer, edge.reader)
        except OverBudget:
            why = f"that takes more than {OPERATIONS} isl operations"
        if why is not None:
            self._is_unknown(read, why)
        elif found is not None:
            raise refusal(edge, found, self.sets)

    def _violation(self, edge: Edge, is_shared: bool) -> Violation | None:
        with budget(self.sets.context, OPERATIONS):
            return edge.violation(is_there=is_shared)

    def _why_unknown(self, edge: Edge) -> str | None:
        """Why sets cannot decide whether reads find what is written; None if they can."""
        stages = (edge.writer, edge.reader)
        return self.sets.opaque(*stages) or self.sets.from_data(*stages)

    def _is_unknown(self, read: Read, why: str) -> None:
        """Says in a remark that it is not known whether a read finds its value.

        Raises ScheduleError instead if threads might race, or if a scan runs in another order than
        its own.
        """
        reader, writer = reader_of(read), result_behind(read.tensor).owner
        assert isinstance(writer, schedule.StageOp)
        finds = f'stage "{name_of(reader)}" finds what "{name_of(writer)}" writes'
        message = f"it is not proved that {finds}: {why}"
        if is_output(writer) and writer.enclosing is not None:
            raise ScheduleError(f"{message}; compute it at the root", writer)
        if is_reordered_scan(writer):
            raise ScheduleError(
                f"{message}; known is the order in which the loops of time, "
                f"{schedule.axis_name(writer.root_axes[0])}, are outermost",
                writer.order,
            )
        between = self.places.of(writer).loops[len(self.places.of_storage(writer).loops) :]
        apart = next((axis for axis in between if not kind_of(axis).one_after_another), None)
        if apart is not None:
            raise ScheduleError(
                f'{message}; "{name_of(writer)}" is stored outside of {schedule.axis_name(apart)}, '
                f"whose iterations, as it is {kind_of(apart).value}, have no order",
                read,
            )
        remark(message, read)

    def _is_known(self, stage: schedule.StageOp, is_proof: bool = False) -> bool:
        """Whether what sets find of single instances can be trusted; one remark says why not.

        Sets may have too many instances. So if they find nothing wrong, that is a proof, unless the
        places of opaque axes matter.
        """
        why = self.sets.opaque(stage) if is_proof else self.sets.inexact(stage)
        if why is not None and stage not in self._unknown:
            self._unknown.add(stage)
            loops = f'the loops of stage "{name_of(stage)}" run through its points'
            remark(f"it is not proved that {loops}: {why}", stage)
        return why is None

    # Instances

    def _check_loops(self, stage: schedule.StageOp) -> None:
        """Checks that all expressions of a stage are over axes of the loops around it."""
        around = self.places.of(stage)
        if stage.stored_at is not None and stage.stored_at not in around.loops:
            raise ScheduleError(
                f'stage "{name_of(stage)}" is stored in the loop of '
                f"{schedule.axis_name(stage.stored_at)}, in which it is not computed",
                stage,
            )
        if stage.region is not None:
            _check_over(stage.region, self.places.of_storage(stage).fixed, stage)
        leaves, ranges = [*stage.order.axes], stage.ranges
        for depth, axis in enumerate(leaves):
            if axis in ranges:
                _check_over(ranges[axis], around.fixed | {axis}, stage, leaves[:depth])
        _check_shared_loops(stage)
        known = around.fixed | fixed_axes(stage, leaves)
        for op in stage.inferred:
            if not isinstance(op, schedule.RegionOp):
                _check_over(op, known, stage)

    def _check_points(self, stage: schedule.StageOp) -> None:
        """Checks that each nest computes declared points, and elements that have a place."""
        if stage.extern is not None and not stage.root_axes:
            return
        for nest in nests_of(stage):
            axes = axes_of_nest(stage, nest)
            points = [self.forms.of(axis) for axis in stage.root_axes]
            within = [
                bound
                for axis, point, (start, end) in zip(
                    stage.root_axes, points, self.forms.declared(stage, points), strict=True
                )
                if axis in axes
                for bound in (point - start, end - ONE - point)
            ]
            sides = zip(stage.root_axes, points, self.forms.box(stage), strict=False)
            for axis, point, (offset, extent) in sides:
                if axis in axes:
                    within += [point - offset, offset + extent - ONE - point]
            if has_elements(stage, nest):
                within += self.forms.in_domain(stage, points)
            if not self.forms.loops_in(stage, nest).hold(*within):
                self._check_points_by_sets(stage, nest)

    def _check_points_by_sets(self, stage: schedule.StageOp, nest: Nest) -> None:
        found = self.sets.of(stage, nest)
        outside = found.without_those_of(self.sets.declared(stage, nest))
        if not outside.set.is_empty():
            if not self._is_known(stage):
                return
            at = instance_at(outside.first(), stage)
            raise ScheduleError(
                f'stage "{name_of(stage)}" runs at {at}, which is no point of its axes', stage
            )
        if not self._is_known(stage, is_proof=True) or not has_elements(stage, nest):
            return
        outside = found.without_those_of(self.sets.stored(stage))
        if not outside.set.is_empty():
            if not self._is_known(stage):
                return
            at = instance_at(outside.first(), stage)[: stage.data_axis_count]
            raise ScheduleError(
                f'stage "{name_of(stage)}" computes element {at}, which is outside of what is '
                "stored",
                stage,
            )

    def _check_once(self, stage: schedule.StageOp) -> None:
        """Checks that no two iterations at one place run at one point of a reduction.

        In parallel loops no two may run at one point at all: they would write one element at the
        same time.
        """
        is_concurrent = not all(kind.data.one_after_another for kind in stage.order.kinds)
        if not (has_init_nest(stage) or is_concurrent):
            return
        if run_at_distinct_points(stage, self.forms):
            return
        pair = self.sets.twice(stage)
        if self._is_known(stage, is_proof=pair is None) and pair is not None:
            one, other, at = pair
            raise ScheduleError(
                f'stage "{name_of(stage)}" runs twice at {at}: at {one} and at {other}', stage
            )

    def _check_order(self, stage: schedule.StageOp) -> None:
        """Checks that values are folded in the order of the equation."""
        if stage.reassociated is not None:
            raise ScheduleError(
                f'stage "{name_of(stage)}" folds in another order than the program says, by '
                f"{stage.reassociated.data}, and a sum of floats depends on the order; leave that "
                "out, or build without strict",
                stage,
            )
        found = swapped(stage, self.sets)
        if found is None:
            return
        how = "before" if kind_of(found.apart).one_after_another else "at the same time as"
        raise ScheduleError(
            f'stage "{name_of(stage)}" adds the value at {found.second} {how} that at '
            f"{found.first} to element {found.element}: the equation adds {found.first} first, and "
            "a sum of floats depends on the order; keep it, or build without strict",
            stage.order,
            stage.order.command_apart(found.apart),
        )

    # Outputs

    def _check_output(self, stage: schedule.StageOp) -> None:
        """Checks that an output is computed completely, and stored as the caller's array."""
        if self.places.of_storage(stage).loops:
            raise ScheduleError(
                f'stage "{name_of(stage)}" is an output, and is stored in a loop', stage
            )
        is_computed = stage.extern is not None or self._has_all_of_region(stage)
        if stage.enclosing is not None:
            check_in_loops(stage, self.sets, self.forms, OPERATIONS)
        elif not is_computed:
            self._check_all_computed(stage)

    def _check_all_computed(self, stage: schedule.StageOp) -> None:
        """Decides by integer sets whether an output at the root is computed completely."""
        try:
            with budget(self.sets.context, OPERATIONS_OF_A_WHOLE):
                missing = not_computed(stage, self.sets)
        except OverBudget:
            remark(
                f'it is not proved that "{name_of(stage)}" is computed as a whole: that takes more '
                f"than {OPERATIONS_OF_A_WHOLE} isl operations",
                stage,
            )
            return
        if self._is_known(stage, is_proof=missing is None) and missing is not None:
            raise missing

    def _has_all_of_region(self, stage: schedule.StageOp) -> bool:
        """Whether it is proved that the stage of an output computes all of its region."""
        known = self.forms.loops_around(stage)
        axes = stage.root_axes[: stage.data_axis_count]
        declared = self.forms.declared(stage, [*map(Polynomial.of, axes)])
        sides = [(offset, offset + extent) for offset, extent in self.forms.box(stage)]
        for (start, end), (first, behind) in zip(declared, sides, strict=False):
            if not (known.are_equal(start, first) and known.are_equal(end, behind)):
                raise ScheduleError(
                    f'stage "{name_of(stage)}" is an output, but its region is not all of it', stage
                )
        elements: list[Polynomial] = []
        for axis, (start, end) in zip(axes, declared, strict=False):
            known.add_value((axis,))
            elements.append(Polynomial.of(axis))
            known.add(elements[-1] - start)
            known.add(end - ONE - elements[-1])
        for held in self.forms.in_domain(stage, elements):
            known.add(held)
        return self.coverage.covers(stage, elements, known)


def _check_shared_loops(stage: schedule.StageOp) -> None:
    """Refuses a shared loop whose bounds come from data, which its own stage alone reads."""
    following = stage.next_op
    behind = following.shared if isinstance(following, schedule.StageOp) else ()
    shared = [*stage.order.axes][: max(len(stage.shared), len(behind))]
    from_data = {leaf for axis in stage.data_bounded_axes for leaf in leaves_of(axis)}
    if found := next((axis for axis in shared if axis in from_data), None):
        raise ScheduleError(
            f'stage "{name_of(stage)}" shares the loop of {schedule.axis_name(found)}, whose '
            "bounds come from data and are read in that stage alone; it can share loops around it",
            stage,
        )


def _check_over(
    op: Operation,
    known: Collection[SSAValue],
    stage: schedule.StageOp,
    leaves: Sequence[SSAValue] = (),
) -> None:
    """Raises `ScheduleError` for an axis of an op that is neither `known` nor fixed by `leaves`."""
    used = {value for value in op.operands if is_axis(value) and value not in known}
    if used and (unknown := used - fixed_axes(stage, leaves)):
        name = schedule.axis_name(next(value for value in op.operands if value in unknown))
        raise ScheduleError(
            f'what is said of stage "{name_of(stage)}" uses axis {name} outside of its loop', op
        )


def _is_of_loops(form: Polynomial) -> bool:
    """Whether a subscript depends on sizes and axes only, not on data."""
    return all(is_axis(value) or isinstance(value, BlockArgument) for value in form.values())
