"""The domain of a stage: where the bounds of its root axes let these run.

An axis that has no iteration for any sizes is a mistake in the program, not an empty tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import Box, box_around
from teloom.analysis.sets.conditions import constraints_of
from teloom.analysis.sets.ends import Side
from teloom.analysis.sets.integer_sets import (
    SET,
    Constraint,
    at_least,
    constrained,
    inside,
    more_than,
    non_negative,
    simplified,
)
from teloom.analysis.stages.queries import all_stages, at_stage, name_of, result_behind
from teloom.dialects import schedule, te
from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.stage_header import ANYWHERE, FAR, ZERO
from teloom.errors import PassError

ANYWHERE_SIDE: Side = (ANYWHERE[0], AffineExpr.constant(2 * FAR))
"""(start, extent) of an axis that runs `ANYWHERE`."""


def bounded(points: Iterable[AffineExpr], box: Iterable[Side]) -> list[Constraint]:
    """Every point lies in its side of a box, or anywhere."""
    sides = [pair for pair in zip(points, box, strict=True) if pair[1] != ANYWHERE_SIDE]
    return inside([point for point, _ in sides], [side for _, side in sides])


def root_bounds(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], points: Sequence[AffineExpr]
) -> list[tuple[AffineExpr, AffineExpr]]:
    """(lower, upper) of each root axis, where the leading root axes have the values `points`.

    Dimension k is size k. An axis without a value counts as 0; bounds over it say nothing.
    """
    at = [AffineExpr.dimension(sizes.index(size)) for size in stage.sizes]
    rest = [ZERO] * (len(stage.root_axes) - len(points))
    dims = [*at, *points, *rest]
    return [
        (replace_dims(lower, dims.__getitem__), replace_dims(upper, dims.__getitem__))
        for lower, upper in stage.bounds.pairs()
    ]


def inside_bounds(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], points: Sequence[AffineExpr]
) -> list[Constraint]:
    """The constraints of bounds over other axes on the leading root axes, at `points`."""
    over_axes = stage.bounds.over_axes()
    if not over_axes:
        return []
    bounds = root_bounds(stage, sizes, points)
    found: list[Constraint] = []
    for position in over_axes:
        if position < len(points):
            lower, upper = bounds[position]
            found += [at_least(points[position], lower), more_than(upper, points[position])]
    return found


def inside_domain(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], points: Sequence[AffineExpr | None]
) -> list[Constraint]:
    """The constraints of the domain of a stage on its data axes, which have the values `points`.

    Dimension k is size k. Of an axis whose value is None it says nothing.
    """
    if stage.domain is None:
        return []
    at = [AffineExpr.dimension(sizes.index(size)) for size in stage.sizes]
    dims = {dim: value for dim, value in enumerate([*at, *points]) if value is not None}
    known = stage.bounds.where().only(lambda expr: expr.used_dims() <= dims.keys())
    return constraints_of(known.map(lambda expr: replace_dims(expr, dims.__getitem__)))


def domain_text(tensor: SSAValue) -> str:
    """The domain of the equation that gives a tensor: `where i - j >= 0`."""
    stage = result_behind(tensor).owner
    assert isinstance(stage, schedule.StageOp)
    where, values = stage.bounds.where(), [*stage.sizes, *stage.root_axes]
    signs = ["=="] * len(where.equalities) + [">="] * len(where.inequalities)
    said = (
        f"{affine.text(expr, values)} {sign} 0"
        for expr, sign in zip(where.exprs(), signs, strict=True)
    )
    return f"where {' and '.join(said)}"


def declared_box(stage: schedule.StageOp, sizes: Sequence[SSAValue], context: isl.Context) -> Box:
    """(start, extent) of the root axes, over the sizes: all positions that an axis can have."""
    over_axes = stage.bounds.over_axes()
    return [
        _declared_side(stage, sizes, position, context)
        if position in over_axes
        else (lower, difference(upper, lower))
        for position, (lower, upper) in enumerate(root_bounds(stage, sizes, []))
    ]


def _declared_side(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], position: int, context: isl.Context
) -> Side:
    """(start, extent) of a root axis, at all positions of the axes before it."""
    domain = _declared(stage, sizes, position + 1, context)
    dims = range(len(sizes), len(sizes) + position + 1)
    return box_around(domain, domain, dims, len(sizes))[-1]


def _declared(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], count: int, context: isl.Context
) -> isl.BasicSet:
    """The points of the first root axes, over the sizes and then these axes."""
    points = [AffineExpr.dimension(len(sizes) + k) for k in range(count)]
    found: list[Constraint] = []
    for point, (lower, upper) in zip(points, root_bounds(stage, sizes, points), strict=False):
        found += [at_least(point, lower), more_than(upper, point)]
    around = non_negative(context, len(sizes)).add_dims(SET, count)
    return constrained(around, found)


def check_domains(func: te.FuncOp) -> None:
    """Raises PassError for a root axis whose extent can be negative and cannot be positive.

    An extent that is 0 for all sizes is legal: it is that of an empty tensor.
    """
    for stage in all_stages(func):
        with at_stage(stage):
            for axis, (lower, upper) in zip(stage.root_axes, stage.bounds.pairs(), strict=True):
                if not _can_be(more_than(upper, lower), stage) and _can_be(
                    more_than(lower, upper), stage
                ):
                    raise PassError(_message(stage, axis, lower, upper), stage)


def _can_be(constraint: Constraint, stage: schedule.StageOp) -> bool:
    """Whether an inequality over the stage's sizes and axes holds for some of them."""
    linear, constant, divisions = constraint.terms()
    sizes = len(stage.sizes)
    if any(dim >= sizes for dim in constraint.used_dims()):
        before = max(constraint.used_dims()) + 1 - sizes
        domain = _declared(stage, stage.sizes, before, isl.Context())
        return not constrained(domain, [constraint]).is_empty()
    if not divisions:
        return constant >= 0 or any(factor > 0 for factor in linear.values())
    return not constrained(non_negative(isl.Context(), sizes), [constraint]).is_empty()


def _message(stage: schedule.StageOp, axis: SSAValue, lower: AffineExpr, upper: AffineExpr) -> str:
    def shown(bound: AffineExpr) -> str:
        return affine.text(simplified(bound), [*stage.sizes, *stage.root_axes])

    return (
        f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" runs from '
        f"{shown(lower)} to {shown(upper)}: that is never an iteration"
    )
