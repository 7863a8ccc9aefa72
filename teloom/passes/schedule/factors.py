"""The axes of a reduction after one of its reduce axes is factored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.stages.leaf_domains import LeafDomain, joined_axes, leaf_domain
from teloom.analysis.stages.queries import is_reduce, name_of, states_of
from teloom.dialects import schedule
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import ScheduleError
from teloom.passes.nests.equation_body import AffineValue
from teloom.passes.schedule.ordering import require_serial
from teloom.passes.schedule.primitives.handles import command_word


class Factoring(NamedTuple):
    """The axes of the stage of partial results of a reduction."""

    axis: SSAValue
    """The reduce leaf that becomes a data axis."""
    domain: LeafDomain
    """That of this leaf, and of all axes that relations join with it."""
    axes: list[SSAValue]
    """What each axis of the new stage stands for: data axes, with the leaf among them, reduce axes
    with their relations, and the other leaves of the domain."""
    bounds: list[tuple[AffineExpr, AffineExpr]]
    """(lower, upper) of each axis of the new stage, over the sizes of the function and `axes`."""
    where: Conjunction
    """What holds in the domain of the new stage, over the same."""

    @staticmethod
    def of(stage: schedule.StageOp, axis: SSAValue, position: int, command: Operation) -> Factoring:
        """The axes with the leaf `axis` at a position among the data axes.

        Raises ScheduleError where the axis cannot be factored.
        """
        _check(stage, axis, position, command)
        joined = joined_axes(stage, [axis])
        domain = leaf_domain(stage, joined, command)
        require_serial(stage, domain.leaves, command)
        count = stage.data_axis_count
        data, reduce = [*stage.root_axes[:count]], stage.root_axes[count:]
        data.insert(position, axis)
        kept = [root for root in reduce if root not in joined]
        axes = [*data, *kept, *(leaf for leaf in domain.leaves if leaf is not axis)]
        old = stage.bounds.over(domain.around)
        dims = _dims_over(axes, stage, domain.sizes)

        def over(expr: AffineExpr) -> AffineExpr:
            return replace_dims(expr, dims.__getitem__)

        bounds = {
            root: (over(lower), over(upper))
            for root, (lower, upper) in zip(stage.root_axes, old.pairs(), strict=True)
        }
        for leaf in domain.leaves:
            start, extent = domain.starts[leaf], domain.extents[leaf]
            bounds[leaf] = (ZERO, extent) if leaf is axis else (start, start + extent)
        return Factoring(axis, domain, axes, [bounds[one] for one in axes], old.where().map(over))

    @property
    def position(self) -> int:
        """The position of the factored axis."""
        return self.axes.index(self.axis)

    @property
    def extent(self) -> AffineExpr:
        """The number of partial results of each element."""
        return self.domain.extents[self.axis]

    def places(self, arguments: Sequence[SSAValue]) -> dict[SSAValue, AffineValue]:
        """The coordinates of the axes, where `arguments` are those of the new stage.

        The factored axis counts from 0 there.
        """
        sizes = self.domain.around
        places: dict[SSAValue, AffineValue] = {}
        for axis, argument in zip(self.axes, arguments, strict=True):
            start = self.domain.starts[axis] if axis is self.axis else ZERO
            places[axis] = start + AffineExpr.dimension(len(sizes)), [*sizes, argument]
        return places


def _dims_over(axes: Sequence[SSAValue], stage: schedule.StageOp, sizes: int) -> list[AffineExpr]:
    """The sizes and the root axes of a stage over sizes and then `axes`; 0 for another axis."""
    return [AffineExpr.dimension(dim) for dim in range(sizes)] + [
        AffineExpr.dimension(sizes + axes.index(root)) if root in axes else ZERO
        for root in stage.root_axes
    ]


def _check(stage: schedule.StageOp, axis: SSAValue, position: int, command: Operation) -> None:
    reason = _why_not(stage, axis)
    if reason is not None:
        raise ScheduleError(
            f'cannot rfactor axis {schedule.axis_name(axis)} of stage "{name_of(stage)}": {reason}',
            command,
        )
    if position > stage.data_axis_count:
        raise ScheduleError(
            f"cannot put axis {schedule.axis_name(axis)} at {position}: the data axes of "
            f'"{name_of(stage)}" leave it the positions 0..{stage.data_axis_count}',
            command,
        )


def _why_not(stage: schedule.StageOp, axis: SSAValue) -> str | None:
    leaves = stage.order.axes
    if states_of(stage):
        return "it is a scan, which only copies; rfactor axes of its steps"
    if stage.extern is not None:
        return "it is an extern, whose body folds by itself"
    if stage.update is not None:
        return "it is an update, whose points write elements one after another"
    if axis not in leaves:
        return f"it is no leaf axis of that stage; its leaf axes are {schedule.axis_names(leaves)}"
    if not is_reduce(axis):
        reduces = schedule.axis_names(leaf for leaf in leaves if is_reduce(leaf))
        return f"it is a data axis; reduce axes: {reduces}"
    if stage.equation.identity is None:
        return "the identity of its reduction is no constant, so partial results have no start"
    if stage.data_bounded_axes:
        return "bounds of reduce axes of that stage are read from data"
    if stage.attached:
        return (
            f'"{name_of(stage.attached[0])}" is computed inside that stage; rfactor comes before '
            "commands that place others there"
        )
    if ahead := schedule.ahead_in(stage):
        return f"that stage {ahead[0].WORD} in its loops; rfactor comes before that"
    kept = schedule.RelationOp | schedule.OrderOp | schedule.PartitionedOp
    for op in stage.body.block.ops:
        of_axes = [value for value in op.operands if isinstance(value.type, schedule.AxisType)]
        if not isinstance(op, kept) and any(map(is_reduce, of_axes)):
            return f"{command_word(op)} says more of reduce axes; rfactor comes before that"
    return None
