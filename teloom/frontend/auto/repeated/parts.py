"""Parts of an equation that few of its axes decide, computed once."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from teloom.dialects.bodies.postorder import postorder
from teloom.frontend.auto.facts import SLOW, EquationFacts, extent_of, is_box, work_of
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.auto.tiles import group_of
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.schedule.precomputed import parts_over, sources_of
from teloom.frontend.tensor.tensors import ComputeOp, IterVar

AGAIN = 4
"""The least number of points for which a slow part is computed."""

WORK_AGAIN = 256
"""The least work that a stage saves per element, if tiles would do a part of it again: lanes and
rows of a tile share the rest."""


def compute_parts_once(rules: ScheduleWriter, op: ComputeOp) -> None:
    """Computes the parts of an equation first that its innermost loops would compute again."""
    stage = rules.s[op]
    if not is_box(op):
        return
    while axes := next(_axes_of_repeated_parts(rules, stage.op), None):
        parts = rules.s.stage_of(rules.s.precompute(stage.op.output(0), axes))
        own = ", ".join(axis.name for axis in axes)
        others = ", ".join(axis.name for axis in stage.root_axes if axis not in axes)
        rules.say(parts, f"what {op.name} computes of {own} alone, once for all {others}")


def _axes_of_repeated_parts(rules: ScheduleWriter, op: ComputeOp) -> Iterator[list[IterVar]]:
    """Axes of an equation, of which parts of it that are worth a stage are functions."""
    equation = EquationFacts(op)
    if not equation.work or not op.axis or group_of(equation, rules.machine) is not None:
        return
    for axes in _axes_of_parts(op):
        again = equation.points // max(1, prod(map(extent_of, axes)))
        innermost = op.reduce_axis or [op.axis[equation.last]]
        is_innermost = any(one in axes for one in innermost)
        if is_innermost and again >= AGAIN:
            parts = [part[0] for part in parts_over(op, axes)]
            # Of integers, what te computes may be nothing in IR: the magnitude of an unsigned one.
            are_floats = all(dtypes.of(one.dtype).kind == dtypes.FLOAT for one in parts)
            is_slow = (work := work_of(parts)) >= SLOW
            if are_floats and (is_slow or (equation.is_product and work * again >= WORK_AGAIN)):
                yield axes


def _axes_of_parts(op: ComputeOp) -> list[list[IterVar]]:
    """The axes of the parts of an equation that do not have all of them, fewest points first.

    Of as many points, they come in the order of the equation.
    """
    axes_of: dict[Expr, frozenset[IterVar]] = {}
    for expr in postorder(sources_of(op), lambda one: one.operands()):
        own = [expr] if isinstance(expr, IterVar) else []
        axes_of[expr] = frozenset(own).union(*(axes_of[one] for one in expr.operands()))
    every = [*op.axis, *op.reduce_axis]
    found = dict.fromkeys(axes for axes in axes_of.values() if axes and axes < {*every})
    ordered = ([axis for axis in every if axis in axes] for axes in found)
    return sorted(ordered, key=lambda axes: prod(map(extent_of, axes)))
