"""`schedule.decompose_padding`: a padding becomes a fill and a copy of the inside."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.sets.boxes import box_around
from teloom.analysis.sets.integer_sets import in_box, inside, set_of
from teloom.analysis.sets.modes import convex
from teloom.analysis.stages.conditions import condition
from teloom.analysis.stages.kinds import has_own_equation
from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.equation import yielded
from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.bodies.update import UpdateParts
from teloom.dialects.syntax.stage_header import AxisBounds
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.replaced_stage import replace_stage
from teloom.passes.schedule.unscheduled_stage import unscheduled_stage

INDEX = IndexType()


class ApplyDecomposePadding(Primitive):
    """Replaces the stage by an update that begins as the constant, over the box of the inside."""

    commands = (schedule.DecomposePaddingOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.DecomposePaddingOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        if (reason := _why_not(stage)) is not None:
            raise _refused(stage, op, reason)
        (value,) = yielded(stage.equation.body)
        choice = value.owner
        branches = _constant_and_other(choice) if isinstance(choice, scf.IfOp) else None
        if branches is None:
            raise _refused(stage, op, "it is no choice between a value and a constant")
        constant, other = branches
        assert isinstance(choice, scf.IfOp)
        box = _inside(stage, choice, other is choice.true_region, op)
        ends = [(start, start + extent) for start, extent in box]
        names = [axis.name_hint for axis in stage.root_axes]
        new = unscheduled_stage(
            name_of(stage),
            [*names, *(name and f"{name}.inside" for name in names)],
            AxisBounds.of([*stage.bounds.pairs(), *ends], stage.sizes),
            stage.data_axis_count,
            _update(stage, constant, other),
            [tensor.type for tensor in stage.tensors],
        )
        for axis, root in zip(stage.root_axes, new.root_axes, strict=False):
            axis.replace_all_uses_with(root)
        replace_stage(stage, new, self.stages)


def _refused(stage: schedule.StageOp, op: Operation, reason: str) -> ScheduleError:
    return ScheduleError(f'cannot decompose the padding of "{name_of(stage)}": {reason}', op)


def _why_not(stage: schedule.StageOp) -> str | None:
    if not has_own_equation(stage):
        return "it has no equation of its own"
    if stage.equation.is_reduction or len(stage.tensors) != 1:
        return "it is no equation of one element"
    if not stage.has_own_loops:
        return "its loops are not those of its equation any more"
    if stage.domain is not None:
        return "its domain is no box"
    if stage.attached:
        return f'"{name_of(stage.attached[0])}" is computed inside it'
    if schedule.ahead_in(stage) or schedule.tensorized_in(stage):
        return "something is said of its loops that an update does not have"
    return None


def _constant_and_other(choice: scf.IfOp) -> tuple[arith.ConstantOp, Region] | None:
    """The constant of one branch, and the other branch."""
    branches = (choice.false_region, choice.true_region)
    for branch, other in zip(branches, reversed(branches), strict=True):
        value = yielded(branch)[0] if branch.blocks else None
        if value is not None and isinstance(value.owner, arith.ConstantOp):
            return value.owner, other
    return None


def _inside(
    stage: schedule.StageOp, choice: scf.IfOp, holds: bool, op: Operation
) -> list[tuple[AffineExpr, AffineExpr]]:
    """(start, extent) per axis of the points at which the condition holds, or does not."""
    context, sizes = isl.Context(), list(stage.sizes)
    declared = in_box(context, len(sizes), stage.bounds.box(stage.data_axis_count))
    values = [*sizes, *stage.equation.body.block.args]
    found = condition(choice.cond, {value: dim for dim, value in enumerate(values)}, declared)
    if not found.exact:
        raise _refused(stage, op, "its condition is not affine in axes and sizes")
    points = found.points if holds else declared.to_set().subtract(found.points)
    dims = range(len(sizes), len(values))
    box = box_around(convex(points, declared, dims), declared, dims, len(sizes))
    axes = [AffineExpr.dimension(dim) for dim in dims]
    around = set_of(context, len(values), inside(axes, box)).intersect(declared)
    if not around.to_set().is_subset(points) or any(
        dim >= len(sizes) for side in box for end in side for dim in end.used_dims()
    ):
        raise _refused(stage, op, "where the value is used is no box")
    return box


def _update(stage: schedule.StageOp, constant: arith.ConstantOp, other: Region) -> UpdateParts:
    """The update: it begins as the constant, and each point writes the value of the branch."""
    count, arguments = stage.data_axis_count, stage.equation.body.block.args
    first = Block(arg_types=[INDEX] * count)
    start = constant.clone()
    first.add_ops([start, te.YieldOp([start.result])])
    body = Block(arg_types=[*[INDEX] * count, stage.tensors[0].type])
    *points, state = body.args
    state.name_hint = stage.tensors[0].name_hint
    for block in (first, body):
        for argument, old in zip(block.args, arguments, strict=False):
            argument.name_hint = old.name_hint
    known: dict[SSAValue, SSAValue] = dict(zip(arguments, points, strict=True))
    for op in [*_needed(stage, other), *list(other.block.ops)[:-1]]:
        body.add_op(op.clone(known))
    (value,) = yielded(other)
    map = AffineMapAttr(AffineMap.identity(count))
    body.add_op(te.WriteOp(known.get(value, value), state, map, points))
    return UpdateParts(Region(body), Region(), Region(first), is_reorderable=True)


def _needed(stage: schedule.StageOp, branch: Region) -> Sequence[Operation]:
    """The ops of the equation in front of the choice that a branch needs."""
    used = [operand for op in branch.walk() for operand in op.operands]
    needed = {value.owner for value in postorder(used, operands_of)}
    return [op for op in stage.equation.body.block.ops if op in needed]
