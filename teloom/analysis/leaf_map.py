"""From leaf axes back to root axes: what splits and fusions mean, as expressions.

A root axis that a relation consumed starts at the offset of its stage's region: its
value is that offset plus what its leaves make. Any other root axis is its own leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.integer_sets import Constraint
from teloom.dialects import schedule
from teloom.errors import ScheduleError


class LeafMap(NamedTuple):
    """Root axes as functions of leaf axes.

    values: an expression for every axis of the stage; for a consumed root axis it is
    absolute, for an axis made by a relation it counts from 0.
    constraints: what holds between leaf axes beyond the bounds of the root axes.
    """

    values: dict[SSAValue, AffineExpr]
    constraints: list[Constraint]

    def roots(self, stage: schedule.StageOp) -> list[AffineExpr]:
        return [self.values[axis] for axis in stage.root_axes]


def leaf_map(
    stage: schedule.StageOp,
    dims: Mapping[SSAValue, int],
    starts: Sequence[AffineExpr],
    extents: Sequence[AffineExpr],
) -> LeafMap:
    """The leaf map of a stage whose leaf axes are the dimensions `dims`.

    starts, extents: of the root axes, over the same dimensions, in elements. Raises
    ScheduleError where a relation needs an extent to be constant and it is not.
    """
    sizes = axis_extents(stage, extents)
    values = {axis: AffineExpr.dimension(dims[axis]) for axis in stage.order.axes}
    constraints: list[Constraint] = []
    for relation in reversed(stage.relations):
        if isinstance(relation, schedule.SplitOp):
            factor = split_factor(relation, sizes)
            inner = values[relation.inner]
            values[relation.parent_] = values[relation.outer] * factor + inner
            constraints += between(inner, AffineExpr.constant(factor))
        else:
            _unfuse(relation, values, sizes)
    for axis, start, extent in zip(stage.root_axes, starts, extents, strict=True):
        if axis not in stage.order.axes:
            constraints += between(values[axis], extent)
            values[axis] = start + values[axis]
    return LeafMap(values, constraints)


def between(expr: AffineExpr, extent: AffineExpr) -> list[Constraint]:
    """0 <= expr < extent."""
    return [Constraint(expr, False), Constraint(extent + expr * -1 + -1, False)]


def _unfuse(
    relation: schedule.FuseOp,
    values: dict[SSAValue, AffineExpr],
    sizes: Mapping[SSAValue, AffineExpr],
) -> None:
    rest = values[relation.fused]
    for axis in reversed(relation.args[1:]):
        extent = constant_extent(axis, sizes, relation)
        values[axis] = rest % extent
        rest = rest // extent
    values[relation.args[0]] = rest


def axis_extents(
    stage: schedule.StageOp, extents: Sequence[AffineExpr]
) -> dict[SSAValue, AffineExpr]:
    """The extent of every axis of a stage, given those of its root axes."""
    sizes = dict(zip(stage.root_axes, extents, strict=True))
    for relation in stage.relations:
        if isinstance(relation, schedule.SplitOp):
            factor = split_factor(relation, sizes)
            parent = sizes[relation.parent_]
            inner = factor
            if isinstance(parent, AffineConstantExpr):
                inner = min(factor, parent.value)
            sizes[relation.outer] = parent.ceil_div(factor)
            sizes[relation.inner] = AffineExpr.constant(inner)
        else:
            product = sizes[relation.args[0]]
            for axis in relation.args[1:]:
                product = product * constant_extent(axis, sizes, relation)
            sizes[relation.fused] = product
    return sizes


def split_factor(relation: schedule.SplitOp, sizes: Mapping[SSAValue, AffineExpr]) -> int:
    """The factor of a split, in iterations; nparts needs a constant parent extent."""
    if relation.factor is not None:
        return relation.factor.value.data
    assert relation.nparts is not None
    extent = constant_extent(relation.parent_, sizes, relation)
    return max(1, -(-extent // relation.nparts.value.data))


def constant_extent(
    axis: SSAValue,
    sizes: Mapping[SSAValue, AffineExpr],
    relation: schedule.SplitOp | schedule.FuseOp,
) -> int:
    """The extent of `axis` as a number, at least 1; ScheduleError if it is symbolic."""
    extent = sizes[axis]
    if isinstance(extent, AffineConstantExpr):
        return max(1, extent.value)
    word = relation.name.removeprefix("schedule.")
    what = "nparts" if isinstance(relation, schedule.SplitOp) else "its inner axes"
    raise ScheduleError(
        f"{word} by {what} needs a constant extent, but axis "
        f"{schedule.axis_name(axis)} has a symbolic one",
        relation,
    )
