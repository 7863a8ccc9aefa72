"""What a loop does ahead of its iteration: the box of a later one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.integer_sets import constrained, more_than, simplified
from teloom.analysis.sets.loop_bounds import Bounds
from teloom.analysis.stages.queries import (
    Read,
    is_stored_inside,
    leaves_of,
    name_of,
    qualified,
)
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import schedule
from teloom.dialects.affine.fold import replace_dims
from teloom.errors import ScheduleError


class Ahead(NamedTuple):
    """A box of elements that a loop touches ahead: its sides, over sizes and axes."""

    bounds: list[Bounds]
    values: list[SSAValue]


def changes_with(axis: SSAValue, ahead: Ahead) -> bool:
    """Whether the box differs between the iterations of a leaf axis."""
    dims = {
        dim
        for bounds in ahead.bounds
        for expr in [*bounds.lower, *bounds.upper]
        for dim in expr.used_dims()
    }
    return any(axis in leaves_of(ahead.values[dim]) for dim in dims)


def shifted(box: Box, op: schedule.AheadOp, values: Sequence[SSAValue]) -> Box:
    """A box over `values`, as it is `op.offset` iterations of the loop later.

    Raises `ScheduleError` if a value does not move by a constant distance.
    """

    def later(dim: int) -> AffineExpr:
        return AffineExpr.dimension(dim) + _distance(values[dim], op)

    return [(replace_dims(start, later), replace_dims(extent, later)) for start, extent in box]


def _distance(value: SSAValue, op: schedule.AheadOp) -> int:
    step = _step(value, op.axis)
    if step is None:
        raise _refusal(op, [value])
    return step * op.offset.value.data


def _step(value: SSAValue, axis: SSAValue) -> int | None:
    """The step of a value from one iteration of a leaf axis to the next, if it is constant."""
    if value is axis:
        return 1
    if axis not in leaves_of(value):
        return 0
    (relation,) = schedule.consumers_of(value)
    assert isinstance(relation, schedule.RelationOp)
    made = [_step(result, axis) for result in relation.results]
    return meaning_of(relation).step(relation, made)


def common_bounds(one: Box, other: Box, around: isl.BasicSet) -> list[Bounds]:
    """The intersection of two boxes, side by side, at all iterations of the loops `around`."""
    found: list[Bounds] = []
    for (start, extent), (other_start, other_extent) in zip(one, other, strict=True):
        end, other_end = simplified(start + extent), simplified(other_start + other_extent)
        start, other_start = simplified(start), simplified(other_start)
        found.append(Bounds(_largest(start, other_start, around), _least(end, other_end, around)))
    return found


def _largest(one: AffineExpr, other: AffineExpr, around: isl.BasicSet) -> list[AffineExpr]:
    """Of two expressions, those that may be the greater one."""
    if _never_above(one, other, around):
        return [other]
    return [one] if _never_above(other, one, around) else [one, other]


def _least(one: AffineExpr, other: AffineExpr, around: isl.BasicSet) -> list[AffineExpr]:
    """Of two expressions, those that may be the smaller one."""
    if _never_above(one, other, around):
        return [one]
    return [other] if _never_above(other, one, around) else [one, other]


def _never_above(one: AffineExpr, other: AffineExpr, around: isl.BasicSet) -> bool:
    return constrained(around, [more_than(one, other)]).is_empty()


def check_ahead(
    op: schedule.AheadOp, reads: Sequence[Read], taken_whole: Sequence[SSAValue]
) -> None:
    """Raises `ScheduleError` if the loop reads nothing from outside, or axes are not affine."""
    if not reads or is_stored_inside(op.tensor, op.axis):
        raise ScheduleError(
            f"the loop of {schedule.axis_name(op.axis)} {op.WORD} "
            f"{op.tensor.name_hint or 'a tensor'}, but reads nothing of it that is stored "
            "outside of that loop",
            op,
        )
    if taken_whole:
        raise _refusal(op, taken_whole)


def _refusal(op: schedule.AheadOp, axes: Sequence[SSAValue]) -> ScheduleError:
    return ScheduleError(
        f'cannot say what "{name_of(op.stage)}" reads {op.offset.value.data} iterations of '
        f"{schedule.axis_name(op.axis)} ahead: how {qualified(axes)} follows from it is not "
        "affine, for an extent is symbolic; prefetch at an axis that is not made by such a fuse "
        "or split",
        op,
    )
