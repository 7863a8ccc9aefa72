"""Axes that have no iteration for any sizes: a mistake in the program, not an empty tensor."""

from __future__ import annotations

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import (
    Constraint,
    constrained,
    more_than,
    non_negative,
    simplified,
)
from teloom.analysis.stages.queries import all_stages, name_of
from teloom.dialects import schedule, te
from teloom.dialects.affine import operands as affine
from teloom.errors import PassError


def check_domains(func: te.FuncOp) -> None:
    """Raises PassError for a root axis whose extent can be negative and cannot be positive.

    An extent that is 0 for all sizes is legal: it is that of an empty tensor.
    """
    for stage in all_stages(func):
        for axis, (lower, upper) in zip(stage.root_axes, stage.bounds.pairs(), strict=True):
            if not _can_be(more_than(upper, lower), stage) and _can_be(
                more_than(lower, upper), stage
            ):
                raise PassError(_message(stage, axis, lower, upper), stage)


def _can_be(constraint: Constraint, stage: schedule.StageOp) -> bool:
    """Whether an inequality over the stage's sizes holds for some of them."""
    linear, constant, divisions = constraint.terms()
    if not divisions:
        return constant >= 0 or any(factor > 0 for factor in linear.values())
    sizes = non_negative(isl.Context(), len(stage.sizes))
    return not constrained(sizes, [constraint]).is_empty()


def _message(stage: schedule.StageOp, axis: SSAValue, lower: AffineExpr, upper: AffineExpr) -> str:
    def shown(bound: AffineExpr) -> str:
        return affine.text(simplified(bound), stage.sizes)

    return (
        f'axis {schedule.axis_name(axis)} of stage "{name_of(stage)}" runs from '
        f"{shown(lower)} to {shown(upper)}: that is never an iteration"
    )
