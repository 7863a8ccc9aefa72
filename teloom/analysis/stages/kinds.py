"""What a stage is to those who schedule it: elementwise, a broadcast, a reduction ...

Each kind of the first three holds the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from xdsl.ir.affine import AffineDimExpr

from teloom.analysis.stages.queries import is_output, states_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import preorder


def is_elementwise(stage: schedule.StageOp) -> bool:
    """Whether each element is made of those at the same place of other tensors."""
    axes = [*range(stage.data_axis_count)]
    return is_injective(stage) and all(read == axes for read in _axes_of_reads(stage))


def is_broadcast(stage: schedule.StageOp) -> bool:
    """Whether each read takes some of the axes, in their order, and nothing else."""
    return is_injective(stage) and all(
        None not in read and all(a < b for a, b in pairwise(read)) for read in _axes_of_reads(stage)
    )


def is_injective(stage: schedule.StageOp) -> bool:
    """Whether each element follows from others by an equation that folds nothing."""
    return has_own_equation(stage) and not is_reduction(stage)


def has_own_equation(stage: schedule.StageOp) -> bool:
    """Whether an equation defines the stage, and it is no scan."""
    return isinstance(stage.definition, schedule.EquationOp) and not states_of(stage)


def is_reduction(stage: schedule.StageOp) -> bool:
    """Whether each element is a fold."""
    return stage.extern is None and stage.update is None and stage.equation.is_reduction


def _axes_of_reads(stage: schedule.StageOp) -> Iterator[list]:
    """For each read the number of the axis that each subscript is; None for any other subscript."""
    axes = stage.equation.body.block.args
    for read in preorder(stage.equation):
        if isinstance(read, te.ReadOp):
            operands = [axes.index(one) if one in axes else None for one in read.operands_]
            yield [
                operands[subscript.position] if isinstance(subscript, AffineDimExpr) else None
                for subscript in read.map.data.results
            ]


IS_OF_KIND: Mapping[str, Callable[[schedule.StageOp], bool]] = {
    "elementwise": is_elementwise,
    "broadcast": is_broadcast,
    "injective": is_injective,
    "reduction": is_reduction,
    "update": lambda stage: stage.update is not None,
    "extern": lambda stage: stage.extern is not None,
    "scan": lambda stage: bool(states_of(stage)),
    "output": is_output,
}
"""The kinds of stages by their words, `schedule.KINDS`."""
