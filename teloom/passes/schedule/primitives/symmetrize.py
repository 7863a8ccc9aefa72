"""`schedule.symmetrize`: one triangle of a symmetric stage is computed, and copied to both."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from teloom.analysis.intrinsics.texts import value_text
from teloom.analysis.stages.queries import name_of, states_of
from teloom.analysis.symmetry import asymmetric_value, has_symmetric_bounds
from teloom.dialects import schedule, te
from teloom.dialects.bodies.equation import EquationParts, yielded
from teloom.errors import ScheduleError
from teloom.passes.schedule.caches import (
    computed_inside,
    computing_stage,
    define_by,
    insert_producer,
    name_tensors,
    said_of_loops,
)
from teloom.passes.schedule.primitives.handles import Primitive

SUFFIX = "triangle"


class ApplySymmetrize(Primitive):
    """Moves the equation to a new stage at the root, of which the old one reads a triangle.

    The old stage keeps its place, scope, readers and data axes. Its equation reads the element of
    the triangle, for which no condition asks below the diagonal or above it: `partition-loops`
    divides the loops there. That only a triangle is computed follows from what is read.
    """

    commands = (schedule.SymmetrizeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SymmetrizeOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        for axis in (op.row, op.column):
            self.stage_of(axis, op)  # refuses an axis of a stage that was inlined
        reason = _why_not(stage, op.row, op.column)
        if reason is not None:
            raise ScheduleError(
                f'cannot symmetrize "{name_of(stage)}" along {schedule.axis_name(op.row)} and '
                f"{schedule.axis_name(op.column)}: {reason}",
                op,
            )
        row, column = _positions(stage, op.row, op.column)
        name = schedule.derived_name(name_of(stage), SUFFIX, self.stages.names)
        triangle = computing_stage(name, stage)
        name_tensors(triangle, stage.tensors, SUFFIX)
        insert_producer(self, op.triangle, triangle, stage)
        names = [axis.name_hint for axis in stage.root_axes[: stage.data_axis_count]]
        define_by(stage, triangle, _from_both_sides(triangle.tensors, names, row, column))


def _positions(stage: schedule.StageOp, row: SSAValue, column: SSAValue) -> tuple[int, int]:
    axes = list(stage.root_axes)
    return axes.index(row), axes.index(column)


def _why_not(stage: schedule.StageOp, row: SSAValue, column: SSAValue) -> str | None:
    if states_of(stage):
        return "it is a scan, which only copies"
    if stage.update is not None:
        return "it is an update, whose points write elements one after another"
    if stage.extern is not None:
        return "it is an extern, of whose code nothing is known"
    data_axes = stage.root_axes[: stage.data_axis_count]
    for axis in (row, column):
        if axis not in data_axes:
            return (
                f"{schedule.axis_name(axis)} is no data axis of it; those are "
                f"{schedule.axis_names(data_axes)}"
            )
    return _said(stage) or _difference(stage, row, column)


def _said(stage: schedule.StageOp) -> str | None:
    """What keeps the equation of a stage from moving to another one."""
    kept = schedule.OrderOp | schedule.EquationOp
    reason = computed_inside(stage) or said_of_loops(stage, kept)
    if reason is None and not stage.has_own_loops:
        reason = "its loops changed"
    before = "symmetrize comes before all commands on the axes of its stage"
    return reason and f"{reason}; {before}"


def _difference(stage: schedule.StageOp, row: SSAValue, column: SSAValue) -> str | None:
    """Where a stage is not symmetric."""
    positions = _positions(stage, row, column)
    both = f"{schedule.axis_name(row)} and {schedule.axis_name(column)}"
    if not has_symmetric_bounds(stage.bounds, positions):
        return f"the bounds of its axes are others where {both} change places"
    value = asymmetric_value(stage.equation, positions)
    if value is None:
        return None
    return f"{value_text(value)} is another value where {both} change places"


def _from_both_sides(
    tensors: Sequence[SSAValue], names: Sequence[str | None], row: int, column: int
) -> EquationParts:
    """An equation that reads the elements of the lower triangle, also for the upper one."""
    block = Block(arg_types=[IndexType()] * len(names))
    for axis, name in zip(block.args, names, strict=True):
        axis.name_hint = name
    builder = Builder(InsertPoint.at_end(block))
    is_below = builder.insert(arith.CmpiOp(block.args[column], block.args[row], "sle"))
    opposite = [*block.args]
    opposite[row], opposite[column] = opposite[column], opposite[row]
    branches = [_reading(tensors, points) for points in (block.args, opposite)]
    types = [value.type for value in yielded(branches[0])]
    chosen = builder.insert(scf.IfOp(is_below, types, *branches))
    builder.insert(te.YieldOp([*chosen.results]))
    return EquationParts(Region(block), Region(), None, Region())


def _reading(tensors: Sequence[SSAValue], point: Sequence[SSAValue]) -> Region:
    """A branch that reads the elements of tensors at a point."""
    map = AffineMapAttr(AffineMap.identity(len(point)))
    reads = [te.ReadOp(tensor, map, [*point]) for tensor in tensors]
    return Region(Block([*reads, scf.YieldOp(*(read.value for read in reads))]))
