"""The loop nest of one stage, alone or from where it no longer shares loops with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    FloatAttr,
    IndexType,
    UnitAttr,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.rewriter import InsertPoint

from teloom.analysis.regions.slices import filled_box
from teloom.analysis.stages.accumulations import Accumulation, accumulation_of
from teloom.analysis.stages.partitions import joined, partition_of, points_of, tail_of
from teloom.analysis.stages.pragmas import pragmas_of
from teloom.analysis.stages.queries import (
    Read,
    at_stage,
    bounds_depth,
    init_depth,
    is_reduce,
    name_of,
    result_behind,
    run_of,
    stored_in,
)
from teloom.dialects import loop, schedule, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.extern import axes_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.boxes import pack_box
from teloom.dialects.syntax.stage_header import scalar_type
from teloom.dialects.syntax.tails import Tail
from teloom.errors import PassError, ScheduleError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.while_loops import inside_of, while_loop
from teloom.passes.nests.axis_values import DIM, AxisValues, StageAxes
from teloom.passes.nests.equation_body import AffineValue, EquationBody
from teloom.passes.nests.guard_tests import (
    FurtherBounds,
    Test,
    as_one,
    runs_once,
    take_limits,
    tests_by_depth,
)

INDEX = IndexType()

_WriteOp = TypeVar("_WriteOp", bound=loop.WriteOp)

BuildRun = Callable[[Sequence[schedule.StageOp], "FunctionValues", Builder], None]
"""Emits the loops of stages that share some, and their storage where they have none yet."""


class FunctionValues:
    """Maps the values of a `te.func` to those of the function that is emitted.

    `tensors` maps tensors to the regions that hold them; `sizes` maps sizes to index values;
    `axes` maps sizes and axes to affine expressions of index values.
    """

    def __init__(self, keep_trivial_loops: bool):
        self.keep_trivial_loops = keep_trivial_loops
        self.tensors: dict[SSAValue, SSAValue] = {}
        self.sizes: dict[SSAValue, SSAValue] = {}
        self.axes = AxisValues()

    def add_size(self, old: SSAValue, new: SSAValue) -> None:
        self.sizes[old] = new
        self.axes.define(old, DIM, [new])

    def copy(self) -> FunctionValues:
        """A copy of the values, to which those of one branch can be added."""
        copied = FunctionValues(self.keep_trivial_loops)
        copied.tensors, copied.sizes = {**self.tensors}, self.sizes
        copied.axes = self.axes.copy()
        return copied

    def body(
        self, axes: Mapping[SSAValue, AffineValue], found: Accumulation | None = None
    ) -> EquationBody:
        """A copier of regions of a definition whose arguments become `axes`.

        What accumulates becomes a reduction.
        """
        load, store = self._load, self._store
        if found is not None:
            load, store = partial(self._neutral, found), partial(self._reduce, found)
        return EquationBody(axes, load, store, self.sizes, keep_promises=False)

    def _neutral(
        self,
        found: Accumulation,
        read: Read,
        map: AffineMapAttr,
        operands: Sequence[SSAValue],
        builder: Builder,
    ) -> SSAValue:
        """A load; of the element to which a value is added, what changes nothing."""
        if read is not found.read:
            return self._load(read, map, operands, builder)
        identity = found.identity
        if isinstance(found.combining, arith.AddfOp):  # x + -0.0 is x, also where x is -0.0
            identity = FloatAttr(-0.0, identity.type)
        return builder.insert(arith.ConstantOp(identity)).result

    def _reduce(
        self,
        found: Accumulation,
        write: te.WriteOp,
        value: SSAValue,
        map: AffineMapAttr,
        operands: Sequence[SSAValue],
        builder: Builder,
    ) -> None:
        tensor = self.tensors[result_behind(write.tensor)]
        block = loop.combining([tensor])
        combined = found.combining.clone(
            dict(zip(found.combining.operands, block.args, strict=True))
        )
        block.add_ops([combined, loop.YieldOp(combined.results)])
        identity = ArrayAttr([found.identity])
        place = map.data.results, operands
        op = loop.ReduceOp([value], [tensor], *place, Region(block), identity)
        op.location = write.location
        builder.insert(op)

    def _store(
        self,
        write: te.WriteOp,
        value: SSAValue,
        map: AffineMapAttr,
        operands: Sequence[SSAValue],
        builder: Builder,
    ) -> None:
        tensor = self.tensors[result_behind(write.tensor)]
        op = builder.insert(loop.StoreOp(value, tensor, map.data.results, operands))
        op.location = write.location

    def _load(
        self, read: Read, map: AffineMapAttr, operands: Sequence[SSAValue], builder: Builder
    ) -> SSAValue:
        tensor = self.tensors[result_behind(read.tensor)]
        sides = map.data.results
        if isinstance(read, te.ReadOp):
            op = loop.LoadOp(tensor, sides, operands)
        else:
            box = list(zip(sides[::2], sides[1::2], strict=True))
            used, offsets, extents = pack_box(box, operands)
            op = loop.BufferOp.create(
                operands=[tensor, *used],
                properties=read.properties | {"offsets": offsets, "extents": extents},
                attributes=read.attributes,
                result_types=[read.buffer.type],
            )
        op.location = read.location
        return builder.insert(op).results[0]


def never_runs(stage: schedule.StageOp) -> bool:
    """Whether there are no elements to compute. Those of an update need not begin to be written."""
    if stage.update is None or stage.region is None:
        return _has_no_points(stage)
    region = stage.region
    box = zip(region.offsets.data.results, region.extents.data.results, strict=True)
    return any(_is_empty([start], [start + extent]) for start, extent in box)


def _has_no_points(stage: schedule.StageOp) -> bool:
    """Whether a loop over data axes has a constant empty range, or a guard is constant false.

    An empty loop over reduce axes does not count: its points still get the identity.
    """
    ranges = [op for axis, op in stage.ranges.items() if axis in stage.order.axes]
    ranges = [op for op in ranges if not is_reduce(op.axis)]
    guards = [guard.alternatives for guard in stage.guards]
    return any(_is_empty(op.lower.data.results, op.upper.data.results) for op in ranges) or any(
        all(map(_never_holds, alternatives)) for alternatives in guards
    )


def _never_holds(alternative: Conjunction) -> bool:
    return any(
        isinstance(expr, AffineConstantExpr) and expr.value < 0 for expr in alternative.inequalities
    )


def _is_empty(lower: Sequence[AffineExpr], upper: Sequence[AffineExpr]) -> bool:
    constants = [
        [bound.value for bound in bounds if isinstance(bound, AffineConstantExpr)]
        for bounds in (lower, upper)
    ]
    return all(constants) and max(constants[0]) >= min(constants[1])


def realize_stage(stage: schedule.StageOp, mapped: FunctionValues, builder: Builder) -> None:
    """Gives storage to the tensors of a stage that have none yet and need it."""
    with at_stage(stage):
        for tensor in stage.tensors:
            if tensor not in mapped.tensors and (any(tensor.uses) or not never_runs(stage)):
                _realize_tensor(stage, tensor, mapped, builder)


def _realize_tensor(
    stage: schedule.StageOp, tensor: SSAValue, mapped: FunctionValues, builder: Builder
) -> None:
    region = stage.region
    if region is None:
        raise PassError(
            f'stage "{name_of(stage)}" has no schedule.region; run infer-bounds first', stage
        )
    operands = OperandList()
    box = [
        (
            mapped.axes.expr(offset, values, operands),
            mapped.axes.expr(extent, values, operands),
        )
        for offset, extent, values in _stored(stage, region, tensor)
    ]
    realize = loop.RealizeOp(
        name_of(stage),
        box,
        operands.values,
        scalar_type(tensor.type),
        stage.storage,
    )
    realize.location = stage.location
    realize.tensor.name_hint = tensor.name_hint
    mapped.tensors[tensor] = builder.insert(realize).tensor


def _stored(
    stage: schedule.StageOp, region: schedule.RegionOp, tensor: SSAValue
) -> Iterator[tuple[AffineExpr, AffineExpr, Sequence[SSAValue]]]:
    """The offset and extent of each stored axis, and the values that they are expressions of."""
    box = list(zip(region.offsets.data.results, region.extents.data.results, strict=True))
    values: Sequence[SSAValue] = region.operands_
    if stage.extern is not None:
        number = stage.tensors.index(tensor)
        box, values = filled_box(stage.extern, number, box, values)
    yield from ((offset, extent, values) for offset, extent in box)


def nests_of(stage: schedule.StageOp, mapped: FunctionValues, build: BuildRun) -> list[LoopNest]:
    """The loop nests of a stage, in the order in which they run.

    `build` emits the stages that are computed in these loops.
    """
    leaves = stage.order.leaves
    if stage.update is None:
        return [LoopNest(stage, mapped, leaves, build)]
    data = [(axis, kind) for axis, kind in leaves if not is_reduce(axis)]
    domain = [(axis, kind) for axis, kind in leaves if is_reduce(axis)]
    begin = [] if _has_no_points(stage) else [_BeginNest(stage, mapped, data, build)]
    return [*begin, _UpdateNest(stage, mapped, domain, build)]


class LoopNest:
    """The loops of one stage.

    A reduction has two nests that share the loops outside of the first reduce axis, or of another
    axis further out:

        data loops { tests { init loops { init }
                             reduce loops and other data loops { update } } }

    Each test stands at the depth where its axes are defined. The init nest lacks reduce axes, so
    its tests are placed anew. Some belong to a shared depth, but the update nest has them further
    in, for instance because they also constrain a reduce axis there: the init nest opens these
    first. Tests that the shared loops have already are not repeated.

    Where loops are shared with other stages, too, the tests of these depths wait for the place
    where the stage is alone: they are `pending`.
    """

    def __init__(
        self,
        stage: schedule.StageOp,
        mapped: FunctionValues,
        leaves: Sequence[tuple[SSAValue, LoopKind]],
        build: BuildRun,
    ):
        self.stage, self.mapped, self.build_run = stage, mapped, build
        self.pending: list[Test] = []
        self.leaves = leaves
        self.ranges = stage.ranges
        self.init_depth = None if stage.update is not None else init_depth(stage)
        self.tests = tests_by_depth(stage, [axis for axis, _ in leaves])
        self.axes = StageAxes(stage, mapped.axes)
        self.from_data = stage.bounds_from_data
        self.codes = {op.does: op for op in schedule.codes_of(stage)}

    def build(self, depth: int, builder: Builder) -> None:
        """Emits the loops from `depth` inwards."""
        if self.from_data is None or depth != bounds_depth(self.stage):
            builder = self._guarded(self.tests[depth], self.axes, builder)
        else:
            builder = self._define_bounds(self.from_data, depth, builder)
        for part in (schedule.IntrinsicPart.FILLS, schedule.IntrinsicPart.UPDATES):
            if part is schedule.IntrinsicPart.UPDATES and depth == self.init_depth:
                self._init_loops(depth, builder)
            remaining = self._beside_code(part, self.leaves[depth:], self.axes, builder)
            if remaining is None:
                return
            builder = remaining
        if depth == len(self.leaves):
            self._innermost(builder)
            return
        axis, _ = self.leaves[depth]
        leaves = [leaf for leaf, _ in self.leaves]
        limits = take_limits(self.stage, leaves, self.tests, depth) if self.tests[depth + 1] else ()
        inner = self._loop(axis, builder, limits)
        self._begin(depth + 1, self.axes, inner)
        self.build(depth + 1, inner)

    def build_alone(self, depth: int, builder: Builder) -> None:
        """Emits the loops from `depth` inwards; those around are shared with other stages."""
        for part, code in self.codes.items():
            if (
                part is not schedule.IntrinsicPart.RESETS
                and len(code.leaves) > len(self.leaves) - depth
            ):
                raise ScheduleError(
                    f'the loop of axis {schedule.axis_name(code.leaves[0])} of "'
                    f'{name_of(self.stage)}" is shared with other stages; no code of an intrinsic '
                    "can stand in its place",
                    self.stage,
                )
        with at_stage(self.stage):
            builder = self._guarded(as_one(self.pending), self.axes, builder)
            if depth:
                self._begin(depth, self.axes, builder)
            self.build(depth, builder)

    def begin_shared(self, depth: int, builder: Builder) -> None:
        """Emits what stands in front of a shared loop, that at `depth`."""
        if depth:
            self._begin_shared(depth, builder)
        self.pending += self.tests[depth]
        if depth == self.init_depth:
            axes = self.axes.copy()
            self._init_loops(depth, self._guarded(as_one(self.pending), axes, builder))

    def _begin_shared(self, depth: int, builder: Builder) -> None:
        """Emits what stands at the head of the shared loop around `depth`.

        It runs where the iteration is one of the stage's own. What it computes is stored for all
        of the iteration.
        """
        axis = self.leaves[depth - 1][0]
        inner = [stage for stage in self.stage.attached if stage.at is axis]
        for stored in [*stored_in(axis), *(one for one in inner if not one.is_stored_elsewhere)]:
            self._realize(stored, self.axes, builder)
        if inner or self._ahead_at(axis):
            axes = self.axes.copy()
            self._begin(depth, axes, self._guarded(as_one(self.pending), axes, builder))

    def _ahead_at(self, axis: SSAValue) -> list[schedule.AheadOp]:
        return [op for op in schedule.ahead_in(self.stage) if op.axis is axis]

    def _begin(self, depth: int, axes: StageAxes, builder: Builder) -> None:
        """Emits what stands at the head of the loop outside of `depth`, in front of those inside.

        Iterations that do not run do nothing ahead: those of a rolling buffer would all do the
        same. What is computed at the loop is computed in these, too.
        """
        axis = self.leaves[depth - 1][0]
        if ahead := self._ahead_at(axis):
            inside = axes.copy()
            early, _ = self._tests_at(depth)
            running = self._guarded(early, inside, builder)
            for op in ahead:
                self._do_ahead(op, inside, running)
        for stored in stored_in(axis):
            self._realize(stored, axes, builder)
        for attached in self.stage.attached:
            if attached.at is axis and not attached.shared:
                run = run_of(attached)
                for stage in run:
                    self._define_axes_of(stage, axes, builder)
                self.build_run(run, self.mapped, builder)

    def _tests_at(self, depth: int) -> tuple[list[Test], list[Test]]:
        """The tests at a depth that are not about bounds from data, and those that are."""
        bounds = () if self.from_data is None else self.from_data.values
        late = [one for one in self.tests[depth] if not {*one.operands}.isdisjoint(bounds)]
        return [one for one in self.tests[depth] if one not in late], late

    def _define_bounds(self, from_data: schedule.BoundsOp, depth: int, builder: Builder) -> Builder:
        """Defines bounds from data, behind the tests of this place that are not about them."""
        early, late = self._tests_at(depth)
        builder = self._guarded(early, self.axes, builder)
        region = self.stage.equation.bounds_from_data
        used = [any(argument.uses) for argument in region.block.args]
        axes = [axis for axis, is_used in zip(self._data_axes, used, strict=True) if is_used]
        places = dict(zip(axes, self.axes.of(axes, builder), strict=True))
        arguments = zip(self._data_axes, region.block.args, strict=True)
        known = {argument: places[axis] for axis, argument in arguments if axis in places}
        values = self.mapped.body(known).copy(region.block, builder)
        for name, value in zip(from_data.values, values, strict=True):
            value.name_hint = value.name_hint or name.name_hint
            self.mapped.axes.define(name, DIM, [value])
        return self._guarded(late, self.axes, builder)

    def _realize(self, stored: schedule.StageOp, axes: StageAxes, builder: Builder) -> None:
        """Gives storage, here, to a stage that is computed further in."""
        if stored.region is not None:
            axes.of_operands(stored.region, builder)
        realize_stage(stored, self.mapped, builder)

    def _define_axes_of(
        self, attached: schedule.StageOp, axes: StageAxes, builder: Builder
    ) -> None:
        """Defines the consumed axes of this stage that `attached` uses, or a stage in it."""
        consumed = (axis for relation in self.stage.relations for axis in relation.consumed)
        used = [
            axis
            for axis in consumed
            if any(attached.is_ancestor(use.operation) for use in axis.uses)
        ]
        axes.of(used, builder)

    def _init_loops(self, first: int, builder: Builder) -> None:
        """Emits the init nest: the loops over the data axes inside of the first reduce axis."""
        leaves = [(axis, kind) for axis, kind in self.leaves if not is_reduce(axis)]
        tests = tests_by_depth(self.stage, [axis for axis, _ in leaves])
        axes = self.axes.copy()  # definitions in the init nest do not dominate the update
        for depth in range(first + 1):
            remaining = [test for test in tests[depth] if test not in self.tests[depth]]
            builder = self._guarded(remaining, axes, builder)
        for depth in range(first, len(leaves) + 1):
            remaining = self._beside_code(
                schedule.IntrinsicPart.RESETS, leaves[depth:], axes, builder
            )
            if remaining is None:
                return
            if depth < len(leaves):
                builder = self._loop(leaves[depth][0], remaining)
                builder = self._guarded(tests[depth + 1], axes, builder)
        if self.stage.extern is not None:
            self._fill(self.stage.extern.init.block, axes, remaining)
        else:
            self._init(axes, remaining)

    def _beside_code(
        self,
        part: schedule.IntrinsicPart,
        leaves: Sequence[tuple[SSAValue, LoopKind]],
        axes: StageAxes,
        builder: Builder,
    ) -> Builder | None:
        """Emits the code, if there is any, that runs in the place of the loops of these leaves.

        Returns the builder of the place where the loops run; None if they never do.
        """
        code = self.codes.get(part)
        if code is None or list(code.leaves) != [axis for axis, _ in leaves]:
            return builder
        axes = axes.copy()
        axes.of([value for value in code.operands_ if axes.owns(value)], builder)
        if not code.alternatives:
            self._run(code, axes, builder)
            return None
        whole, otherwise = Block(), Block()
        operands = OperandList()
        condition = self._over_loops(code.alternatives, code.operands_, operands)
        branch = loop.IfOp(condition, operands.values, Region(whole), Region(otherwise))
        builder.insert(branch)
        self._run(code, axes, Builder(InsertPoint.at_end(whole)))
        return Builder(InsertPoint.at_end(otherwise))

    def _run(self, code: schedule.CodeOp, axes: StageAxes, builder: Builder) -> None:
        """Copies the code of a tile; the leaves in it are where it starts."""
        for leaf, start in zip(code.leaves, code.starts.data.results, strict=True):
            operands = OperandList()
            expr = self.mapped.axes.expr(start, code.operands_, operands)
            self.mapped.axes.define(leaf, expr, operands.values)
        self._fill(code.body.block, axes, builder)

    def _loop(
        self, axis: SSAValue, builder: Builder, limits: Sequence[FurtherBounds] = ()
    ) -> Builder:
        """Opens the loop of an axis, within limits; returns the builder of its body."""
        (lower, upper), operands = self.sides(axis)
        return self.open(axis, lower, upper, operands, builder, limits)

    def open(
        self,
        axis: SSAValue,
        lower: list[AffineExpr],
        upper: list[AffineExpr],
        operands: OperandList,
        builder: Builder,
        limits: Sequence[FurtherBounds] = (),
        others: Sequence[tuple[schedule.StageOp, SSAValue]] = (),
    ) -> Builder:
        """Opens a loop with these bounds, and defines the axis; returns the builder of its body.

        `others` are axes of other stages whose loop it is, too.
        """
        if not self.mapped.keep_trivial_loops and runs_once(lower, upper):
            self.mapped.axes.define(axis, lower[0], operands.values)
            return builder
        for one in limits:
            for side, found in ((lower, one.lower), (upper, one.upper)):
                side += [self.mapped.axes.expr(bound, one.operands, operands) for bound in found]
        op = self._for(lower, upper, operands, dict(self.leaves)[axis], builder)
        op.induction_variable.name_hint = axis.name_hint
        loops = [(self.stage, axis), *others]
        policies = joined(partition_of(stage, leaf) for stage, leaf in loops)
        loop.set_policies(op, policies, Tail.AUTO if others else tail_of(self.stage, axis))
        loop.set_points(op, sorted({at for stage, leaf in loops for at in points_of(stage, leaf)}))
        notes = [pragmas_of(stage, leaf) for stage, leaf in loops]
        loop.set_pragmas(op, {name: note for one in notes for name, note in one.items()})
        self.mapped.axes.define(axis, DIM, [op.induction_variable])
        return Builder(InsertPoint.at_end(op.body.block))

    def sides(self, axis: SSAValue) -> tuple[list[list[AffineExpr]], OperandList]:
        """The lower and the upper bounds of an axis, and the values that they are over."""
        range_op = self.ranges.get(axis)
        if range_op is None:
            raise PassError(
                f"axis {schedule.axis_name(axis)} has no range; run infer-bounds first",
                self.stage,
            )
        operands = OperandList()
        sides = [
            [
                self.mapped.axes.expr(bound, range_op.operands_, operands)
                for bound in map.data.results
            ]
            for map in (range_op.lower, range_op.upper)
        ]
        return sides, operands

    def _for(
        self,
        lower: Sequence[AffineExpr],
        upper: Sequence[AffineExpr],
        operands: OperandList,
        kind: LoopKind,
        builder: Builder,
    ) -> loop.ForOp:
        """Emits a loop with an empty body."""
        body = Region(Block(arg_types=[INDEX]))
        op = builder.insert(loop.ForOp(lower, upper, operands.values, body, kind))
        op.location = self.stage.location
        return op

    def _do_ahead(self, ahead: schedule.AheadOp, axes: StageAxes, builder: Builder) -> None:
        """Emits loops over the elements that a later iteration needs."""
        if ahead.bounds is None:
            raise PassError(f"what it {ahead.WORD} has no bounds; run infer-bounds first", ahead)
        if any(_is_empty(lower, upper) for lower, upper in ahead.bounds):
            return
        axes.of_operands(ahead, builder)
        position = OperandList()
        subscripts: list[AffineExpr] = []
        for bounds in ahead.bounds:
            operands = OperandList()
            lower, upper = (
                [self.mapped.axes.expr(bound, ahead.operands_, operands) for bound in side]
                for side in bounds
            )
            op = self._for(lower, upper, operands, LoopKind.SERIAL, builder)
            subscripts.append(position.dim(op.induction_variable))
            builder = Builder(InsertPoint.at_end(op.body.block))
        tensor = self.mapped.tensors[ahead.tensor]
        builder.insert(ahead.access(tensor, subscripts, position.values))

    def _guarded(self, tests: Iterable[Test], axes: StageAxes, builder: Builder) -> Builder:
        """Opens a branch for each test; returns the builder inside of all of them."""
        for test in tests:
            builder = self._guard(test, axes, builder)
        return builder

    def _guard(self, test: Test, axes: StageAxes, builder: Builder) -> Builder:
        exprs = [expr for alternative in test.alternatives for part in alternative for expr in part]
        for position in sorted({dim for expr in exprs for dim in expr.used_dims()}):
            if axes.owns(test.operands[position]):
                axes.define(test.operands[position], builder)
        operands = OperandList()
        condition = self._over_loops(test.alternatives, test.operands, operands)
        block = Block()
        builder.insert(loop.IfOp(condition, operands.values, Region(block)))
        return Builder(InsertPoint.at_end(block))

    def _over_loops(
        self,
        alternatives: Sequence[Conjunction],
        values: Sequence[SSAValue],
        operands: OperandList,
    ) -> list[Conjunction]:
        """A condition over sizes and axes, as one over the values in `operands`."""
        return [
            one.map(lambda expr: self.mapped.axes.expr(expr, values, operands))
            for one in alternatives
        ]

    # The innermost statements

    def _innermost(self, builder: Builder) -> None:
        """Emits what runs at each point of the loops."""
        if self.stage.extern is not None:
            self._fill(self.stage.extern.body.block, self.axes, builder)
        elif self.stage.equation.is_reduction:
            self._update(self.axes, builder)
        else:
            self._assign(self.axes, builder)

    def _fill(self, block: Block, axes: StageAxes, builder: Builder) -> None:
        """Copies a region of the extern, at the current point of the open loops."""
        names = axes_in(block)
        places = axes.of(self.stage.root_axes[: len(names)], builder)
        self.mapped.body(dict(zip(names, places, strict=True))).copy(block, builder)

    def _assign(self, axes: StageAxes, builder: Builder) -> None:
        for store in self._write(loop.StoreOp, self._values(axes, builder), axes, builder):
            store.streamed = UnitAttr() if self.stage.storage.is_streamed else None

    def _init(self, axes: StageAxes, builder: Builder) -> None:
        equation = self.stage.equation
        if equation.has_init:
            places = axes.of(self._data_axes, builder)
            values = self._copy(equation.init.block, places, builder)
        else:
            values = [builder.insert(arith.ConstantOp(one)).result for one in equation.starts]
        self._write(loop.InitOp, values, axes, builder)

    def _update(self, axes: StageAxes, builder: Builder) -> None:
        equation = self.stage.equation
        new = self._values(axes, builder)
        subscripts, operands = self._subscripts(axes, builder)
        tensors = [self.mapped.tensors[tensor] for tensor in self.stage.tensors]
        block = loop.combining(tensors)
        combine = self.mapped.body({})
        new, more = new[: len(tensors)], new[len(tensors) :]
        for old, argument in zip(equation.combine.block.args, block.args, strict=False):
            argument.name_hint = old.name_hint
            combine.values[old] = argument
        combine.values.update(
            zip(equation.combine.block.args[2 * len(tensors) :], more, strict=True)
        )
        combined = combine.copy(equation.combine.block, Builder(InsertPoint.at_end(block)))
        block.add_op(loop.YieldOp(combined))
        reduce = loop.ReduceOp(new, tensors, subscripts, operands, Region(block), equation.identity)
        reduce.location = self.stage.location
        builder.insert(reduce)

    @property
    def _data_axes(self) -> Sequence[SSAValue]:
        return self.stage.root_axes[: self.stage.data_axis_count]

    def _values(self, axes: StageAxes, builder: Builder) -> list[SSAValue]:
        """Emits the values of the equation at the current point of the open loops."""
        places = axes.of(self.stage.root_axes, builder)
        return self._copy(self.stage.equation.body.block, places, builder)

    def _copy(
        self, block: Block, places: Sequence[AffineValue], builder: Builder
    ) -> list[SSAValue]:
        axes: dict[SSAValue, AffineValue] = dict(zip(axes_in(block), places, strict=True))
        return self.mapped.body(axes).copy(block, builder)

    def _write(
        self,
        kind: type[_WriteOp],
        values: Sequence[SSAValue],
        axes: StageAxes,
        builder: Builder,
    ) -> list[_WriteOp]:
        subscripts, operands = self._subscripts(axes, builder)
        writes: list[_WriteOp] = []
        for tensor, value in zip(self.stage.tensors, values, strict=True):
            write = kind(value, self.mapped.tensors[tensor], subscripts, operands)
            write.location = self.stage.location
            writes.append(builder.insert(write))
        return writes

    def _subscripts(
        self, axes: StageAxes, builder: Builder
    ) -> tuple[list[AffineExpr], list[SSAValue]]:
        operands = OperandList()
        subscripts = [
            replace_dims(expr, lambda k, values=values: operands.dim(values[k]))
            for expr, values in axes.of(self._data_axes, builder)
        ]
        return subscripts, operands.values


class _BeginNest(LoopNest):
    """The loops over the elements of an update, which set what these begin as."""

    def _innermost(self, builder: Builder) -> None:
        update = self.stage.definition
        places = self.axes.of(self._data_axes, builder)
        values = self._copy(update.init.block, places, builder)
        self._write(loop.StoreOp, values, self.axes, builder)


class _UpdateNest(LoopNest):
    """The loops over the domain of an update, which change elements."""

    def _innermost(self, builder: Builder) -> None:
        update = self.stage.update
        assert update is not None
        places = self.axes.of(self._domain, builder)
        block = update.body.block
        axes: dict[SSAValue, AffineValue] = dict(zip(axes_in(block), places, strict=True))
        is_shared = any(kind.is_parallel for _, kind in self.leaves)
        found = accumulation_of(update) if is_shared else None
        self.mapped.body(axes, found).copy(block, builder)

    @property
    def _domain(self) -> Sequence[SSAValue]:
        return self.stage.root_axes[self.stage.data_axis_count :]

    def _loop(
        self, axis: SSAValue, builder: Builder, limits: Sequence[FurtherBounds] = ()
    ) -> Builder:
        update = self.stage.update
        assert update is not None
        if not update.has_until or axis is not self._domain[len(axes_in(update.until.block)) - 1]:
            return super()._loop(axis, builder, limits)
        return self._while(axis, update.until.block, builder)

    def _while(self, axis: SSAValue, until: Block, builder: Builder) -> Builder:
        """Opens the loop of an axis that ends at its bound, or where `until` says so."""
        (lower, upper), operands = self.sides(axis)
        code = IndexCode(builder.insert)
        start = code.largest(code.expr(bound, operands.values) for bound in lower)
        end = code.joined(arith.MinSIOp, (code.expr(bound, operands.values) for bound in upper))

        def has_ended(now: SSAValue, inside: Builder) -> SSAValue:
            self.mapped.axes.define(axis, DIM, [now])
            places = self.axes.of(self._domain[: len(axes_in(until))], inside)
            (ended,) = self._copy(until, places, inside)
            return ended

        op = builder.insert(while_loop(start, end, has_ended))
        op.location = self.stage.location
        inner, now = inside_of(op)
        self.mapped.axes.define(axis, DIM, [now])
        return inner
