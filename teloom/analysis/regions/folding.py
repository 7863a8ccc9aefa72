"""The factors by which the storage of a stage is folded."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.regions.windows import Clash, Lifetimes
from teloom.analysis.sets.boxes import Box
from teloom.analysis.stages.queries import function_around, name_of
from teloom.dialects import loop, schedule
from teloom.errors import ScheduleError


def fold(
    stage: schedule.StageOp, lifetimes: Lifetimes, box: Box, sizes: Sequence[SSAValue]
) -> dict[int, int]:
    """The factor of each data axis of the stage along which folding saves memory.

    Raises ScheduleError for a factor by which two elements that live at the same time would
    share memory.
    """
    folds: dict[int, int] = {}
    for asked in sorted(stage.storage.folds, key=lambda one: one.axis.data):
        axis = asked.axis.data
        factor = lifetimes.smallest_factor(axis, folds)
        if isinstance(asked.factor, IntAttr):
            clash = lifetimes.clash(axis, asked.factor.data, folds)
            if clash is not None:
                raise _refusal(stage, asked, clash, factor, sizes)
            factor = asked.factor.data
        extent = box[axis][1]
        is_all = isinstance(extent, AffineConstantExpr) and extent.value <= (factor or extent.value)
        if factor is not None and not is_all:
            folds[axis] = factor
    return folds


def _refusal(
    stage: schedule.StageOp,
    asked: loop.FoldAttr,
    clash: Clash,
    smallest: int | None,
    sizes: Sequence[SSAValue],
) -> ScheduleError:
    name, axis = name_of(stage), stage.root_axes[asked.axis.data]
    factor = stage.storage.factors[asked.axis.data]
    known = [
        f"{function_around(stage).name_of_size(size)} = {value}"
        for size, value in zip(sizes, clash.around, strict=False)
        if size in stage.sizes
    ]
    here = f" (here {', '.join(known)})" if known else ""
    legal = "no factor is large enough"
    if smallest is not None:
        legal = f"the smallest factor is {smallest}"
    return ScheduleError(
        f'cannot fold axis {schedule.axis_name(axis)} of "{name}" by {factor}: '
        f"{name}{clash.one} and {name}{clash.other} would share memory, and both are needed at "
        f"the same time{here}; {legal}",
        stage,
        asked.location,
    )
