"""`schedule.blockize`: the inner loops of a stage become one block."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.sets.integer_sets import (
    Constraint,
    constrained,
    first_of,
    inside,
    non_negative,
)
from teloom.analysis.stages.leaf_map import axis_spans, leaf_map, own_axes
from teloom.analysis.stages.queries import box_of, function_around, is_reduce, name_of, states_of
from teloom.dialects import schedule
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.affine.polynomials import of_exprs
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import ZERO, AxisBounds
from teloom.errors import ScheduleError
from teloom.passes.schedule.blocks import BlockCode, Leaf
from teloom.passes.schedule.ordering import set_order
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.replaced_stage import replace_stage
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage


class ApplyBlockize(Primitive):
    """Replaces a stage by an extern whose axes are the loops around the block.

    Stages that are computed in these loops stay there, and handles of them are handles of the axes.
    """

    commands = (schedule.BlockizeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.BlockizeOp, rewriter: PatternRewriter):
        stage = self.leaf_stage(op.var, op)
        leaves = stage.order.leaves
        first = list(stage.order.axes).index(op.var)
        if (reason := _why_not(stage, list(stage.order.axes)[first:])) is not None:
            raise _refused(stage, op, reason)
        if shared := self.stages.order.sharing(name_of(stage), first):
            other = next(one for one in (shared[0].stage, shared[0].other) if one != name_of(stage))
            raise _refused(stage, op, f'"{other}" shares its loop')
        outer, inner = leaves[:first], leaves[first:]
        new = _Blocks(stage, op).stage([axis for axis, _ in outer], inner)
        order = _by_data([axis for axis, _ in outer])
        moved = dict(zip(order, new.root_axes, strict=True))
        set_order(new, [(moved[axis], kind) for axis, kind in outer])
        self.stages.order.move(moved)
        for axis, root in moved.items():
            axis.replace_all_uses_with(root)
        replace_stage(stage, new, self.stages)


def _refused(stage: schedule.StageOp, op: schedule.BlockizeOp, reason: str) -> ScheduleError:
    axis = schedule.axis_name(op.var)
    return ScheduleError(f'cannot make a block of "{name_of(stage)}" at {axis}: {reason}', op)


def _why_not(stage: schedule.StageOp, inner: Sequence[SSAValue]) -> str | None:
    if states_of(stage):
        return "it is a scan, which only copies; make blocks of its steps"
    if stage.extern is not None:
        return "it is an extern, whose points are blocks already"
    if stage.update is not None:
        return "it is an update, whose points are in an order"
    if stage.data_bounded_axes:
        return "bounds of its reduce axes are read from data"
    if stage.equation.has_init:
        return "it starts from an init of its own"
    if any(start != ZERO for start, _ in box_of(stage.tensors[0])[0]):
        return "its data axes do not start at 0, and those of blocks do"
    storage = stage.storage
    if storage.alignments or storage.folds or storage.own_layout is not None:
        return "where its elements are stored is said axis by axis"
    if schedule.ahead_in(stage) or schedule.tensorized_in(stage):
        return "something is said of its loops that blocks do not have"
    for attached in stage.attached:
        if attached.at in inner:
            return f'"{name_of(attached)}" is computed inside, at {schedule.axis_name(attached.at)}'
    around = [axis for axis in stage.order.axes if axis not in inner]
    for axis, kind in stage.order.leaves:
        if axis in around and (
            kind is LoopKind.VECTORIZED or (kind.is_parallel and is_reduce(axis))
        ):
            return f"{schedule.axis_name(axis)}, which is around it, is {kind.value}"
    return None


def _by_data(axes: Sequence[SSAValue]) -> list[SSAValue]:
    """Data axes, then reduce axes."""
    return sorted(axes, key=is_reduce)


class _Blocks:
    """The loops of a stage over all of its elements, as functions of which its axes are."""

    def __init__(self, stage: schedule.StageOp, op: schedule.BlockizeOp):
        self.old, self.op = stage, op
        self.sizes = list(function_around(stage).sizes)
        pairs = stage.bounds.over(self.sizes).pairs()
        if stage.bounds.over_axes():
            raise _refused(stage, op, "its axes have bounds over other axes")
        if stage.domain is not None:
            raise _refused(stage, op, "its domain is no box")
        self.starts = [lower for lower, _ in pairs]
        self.spans = axis_spans(
            stage, [difference(end, start) for start, end in pairs], self._make_size
        )
        if own := own_axes(stage, self.spans):
            names = schedule.axis_names(own)
            raise _refused(stage, op, f"axes {names} are no sums of multiples of its loops")
        leaves = list(stage.order.axes)
        self.values = [*self.sizes, *leaves]
        dims = {leaf: len(self.sizes) + k for k, leaf in enumerate(leaves)}
        exprs = [*map(AffineExpr.dimension, range(len(self.values)))]
        self.map = leaf_map(stage, dims, self.starts, self.spans, exprs)
        self._require_whole(leaves)

    def _make_size(self, axis: SSAValue, found: object) -> AffineExpr:
        raise _refused(
            self.old,
            self.op,
            f"the extent of axis {schedule.axis_name(axis)} is no affine expression of sizes",
        )

    def _range(self, leaf: SSAValue) -> tuple[AffineExpr, AffineExpr]:
        """The start and the extent of a loop, over the sizes."""
        start, extent = self.spans[leaf]
        roots = list(self.old.root_axes)
        return (self.starts[roots.index(leaf)] if leaf in roots else start), extent

    def _require_whole(self, leaves: Sequence[SSAValue]) -> None:
        """Refuses loops that run beyond the points of the stage."""
        context, count = isl.Context(), len(self.sizes)
        points = [AffineExpr.dimension(count + k) for k in range(len(leaves))]
        box = inside(points, [self._range(leaf) for leaf in leaves])
        every = constrained(
            non_negative(context, count).add_dims(isl.dim_type.set, len(leaves)), box
        )
        for axis, constraints in self.map.constraints.items():
            held = constrained(every, [one for one in constraints if isinstance(one, Constraint)])
            missing = every.to_set().subtract(held.to_set())
            if missing.is_empty():
                continue
            point = first_of(missing)
            names = [value.name_hint or "a value" for value in self.values]
            at = ", ".join(f"{name} = {number}" for name, number in zip(names, point, strict=True))
            raise _refused(
                self.old,
                self.op,
                f"not all blocks are whole: axis {schedule.axis_name(axis)} has no point at {at}; "
                "use factors that divide its extent",
            )

    def stage(
        self, outer: Sequence[SSAValue], inner: Sequence[tuple[SSAValue, LoopKind]]
    ) -> schedule.StageOp:
        """The stage of blocks, without a place."""
        axes = _by_data(outer)
        ranges = [self._range(axis) for axis in axes]
        for axis, (start, _) in zip(axes, ranges, strict=True):
            if start != ZERO and not is_reduce(axis):
                name = schedule.axis_name(axis)
                raise _refused(self.old, self.op, f"{name} does not count from 0")
        roots = [self.map.values[axis] for axis in self.old.root_axes]
        loops = [Leaf(axis, kind, *of_exprs(self._range(axis), self.sizes)) for axis, kind in inner]
        code = BlockCode(self.old, axes, loops, of_exprs(roots, self.values), self.op)
        bounds = AxisBounds.of([(start, start + extent) for start, extent in ranges], self.sizes)
        return unscheduled_stage(
            name_of(self.old),
            [axis.name_hint for axis in axes],
            bounds,
            sum(not is_reduce(axis) for axis in axes),
            code.parts(),
            [tensor.type for tensor in self.old.tensors],
        )
