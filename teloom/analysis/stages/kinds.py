"""What a stage is to those who schedule it: elementwise, a broadcast, a reduction ...

Each kind of the first three holds the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import TensorType
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.analysis.stages.queries import is_output, states_of
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import preorder

ONLY = -1
"""In place of the number of an axis: the subscript is 0, of an axis of one element."""

Subscripts = Sequence[int | None]
"""Of a read: for each subscript the number of the axis that it is, or `ONLY`; None for others."""


def all_elementwise(reads: Iterable[Subscripts], axes: int) -> bool:
    """Whether each of the reads of an equation takes all of its axes, in their order."""
    return all([*read] == [*range(axes)] for read in reads)


def all_broadcast(reads: Iterable[Subscripts]) -> bool:
    """Whether each of the reads of an equation takes some of its axes, in their order, alone.

    >>> all_broadcast([[0, ONLY], [1]]), all_broadcast([[1, 0]]), all_broadcast([[0, None]])
    (True, False, False)
    """
    return all(map(_is_broadcast, reads))


def _is_broadcast(read: Subscripts) -> bool:
    axes = [axis for axis in read if axis != ONLY]
    return all(a is not None and b is not None and a < b for a, b in pairwise([ONLY, *axes]))


def is_elementwise(stage: schedule.StageOp) -> bool:
    """Whether each element is made of those at the same place of other tensors."""
    return is_injective(stage) and all_elementwise(_reads_of(stage), stage.data_axis_count)


def is_broadcast(stage: schedule.StageOp) -> bool:
    """Whether each element is made of those at some of its axes, in their order."""
    return is_injective(stage) and all_broadcast(_reads_of(stage))


def is_injective(stage: schedule.StageOp) -> bool:
    """Whether each element follows from others by an equation that folds nothing."""
    return has_own_equation(stage) and not is_reduction(stage)


def has_own_equation(stage: schedule.StageOp) -> bool:
    """Whether an equation defines the stage, and it is no scan."""
    return isinstance(stage.definition, schedule.EquationOp) and not states_of(stage)


def is_reduction(stage: schedule.StageOp) -> bool:
    """Whether each element is a fold."""
    return stage.extern is None and stage.update is None and stage.equation.is_reduction


def word_of_code(stage: schedule.StageOp) -> str:
    """What a stage is that code fills: an extern, or a scan, which copies slices of its steps."""
    return "a scan of different shapes" if states_of(stage) else "an extern"


def _reads_of(stage: schedule.StageOp) -> Iterator[Subscripts]:
    axes = stage.equation.body.block.args
    for read in preorder(stage.equation):
        if isinstance(read, te.ReadOp):
            assert isinstance(read.tensor.type, TensorType)
            operands = [axes.index(one) if one in axes else None for one in read.operands_]
            sides = zip(read.map.data.results, read.tensor.type.get_shape(), strict=True)
            yield [_number(subscript, extent, operands) for subscript, extent in sides]


def _number(subscript: AffineExpr, extent: int, operands: Subscripts) -> int | None:
    match subscript:
        case AffineDimExpr():
            return operands[subscript.position]
        case AffineConstantExpr(value=0) if extent == 1:
            return ONLY
    return None


IS_OF_KIND: Mapping[str, Callable[[schedule.StageOp], bool]] = {
    "elementwise": is_elementwise,
    "broadcast": is_broadcast,
    "injective": is_injective,
    "reduction": is_reduction,
    "update": lambda stage: stage.update is not None,
    "extern": lambda stage: stage.extern is not None and not states_of(stage),
    "scan": lambda stage: bool(states_of(stage)),
    "output": is_output,
}
"""The kinds of stages by their words, `schedule.KINDS`."""
