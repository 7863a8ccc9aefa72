"""Whether a schedule folds the values of a reduction in the order of its equation.

Sums of floats depend on the order. Pairs of values of one element, in one iteration of the loops
around, are compared.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from teloom.analysis.dependences.flow import first_before
from teloom.analysis.dependences.instances import Again, InstanceSets
from teloom.analysis.stages.declared_order import runs_through
from teloom.analysis.stages.kinds import is_reduction
from teloom.analysis.stages.queries import is_reduce
from teloom.analysis.stages.read_maps import data_roots, roots
from teloom.dialects import schedule

_CHOOSES = (
    arith.SelectOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MaxnumfOp,
    arith.MinnumfOp,
)
"""Ops that return one of their operands: the order of folding does not change the result."""


class Swapped(NamedTuple):
    """Two points of the reduce axes; the equation folds `first` before the other one."""

    element: list[int]
    first: list[int]
    second: list[int]
    apart: SSAValue
    """The loop that folds both at the same time, or the second one first."""


def depends_on_order(stage: schedule.StageOp) -> bool:
    """Whether the order of folding can change the result: sums of floats are rounded."""
    return is_reduction(stage) and any(map(_rounds, stage.equation.combine.block.ops))


def _rounds(op: Operation) -> bool:
    is_float = any(isinstance(result.type, AnyFloat) for result in op.results)
    return is_float and not isinstance(op, _CHOOSES)


def swapped(stage: schedule.StageOp, sets: InstanceSets) -> Swapped | None:
    """Two values that a schedule folds in another order than the equation; None without any."""
    if _keeps_order(stage):
        return None
    own = [*stage.order.axes]
    folds = [root for root in roots(stage.root_axes) if is_reduce(root.axis)]
    leaves = [axis for axis in own if is_reduce(axis)]
    found = sets.of(stage)
    again = [*map(Again, folds)]
    both = found.intersect(found.renamed([*own, *folds], [*map(Again, own), *again]))
    ordered = [*first_before(leaves, leaves, [*map(Again, leaves)], sets.context)]
    for step in both.steps(folds, again):
        pairs = both.where(*step)
        for piece in ordered:
            pairs = pairs.without_those_of(piece)
        if not pairs.set.is_empty():
            point = pairs.first()
            differs = next(axis for axis in leaves if point[axis] != point[Again(axis)])
            return Swapped(
                [point[one] for one in data_roots(stage)],
                [point[one] for one in folds],
                [point[one] for one in again],
                differs,
            )
    return None


def _keeps_order(stage: schedule.StageOp) -> bool:
    """Whether the loops over reduce axes obviously keep the order of the equation."""
    folds, leaves = (filter(is_reduce, axes) for axes in (stage.root_axes, stage.order.axes))
    return runs_through([*leaves], [*folds], stage)
