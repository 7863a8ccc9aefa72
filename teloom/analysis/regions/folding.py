"""By which factors the storage of a stage is folded."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr

from teloom.analysis.regions.windows import Clash, Lifetimes
from teloom.analysis.sets.boxes import Box
from teloom.analysis.stages.queries import folds_of, name_of
from teloom.dialects import schedule
from teloom.errors import PassError


def fold(
    stage: schedule.StageOp, lifetimes: Lifetimes, box: Box, sizes: Sequence[SSAValue]
) -> list[int]:
    """The factor per data axis of the stage, 0 where folding saves nothing.

    Raises PassError for a factor by which two elements that live at the same time would
    share memory.
    """
    folds: dict[int, int] = {}
    asked = {list(stage.root_axes).index(op.axis): op for op in folds_of(stage)}
    for axis, op in sorted(asked.items()):
        factor = lifetimes.smallest_factor(axis, folds)
        if op.factor is not None:
            clash = lifetimes.clash(axis, op.factor.value.data, folds)
            if clash is not None:
                raise _refusal(op, clash, factor, sizes)
            factor = op.factor.value.data
        extent = box[axis][1]
        is_all = isinstance(extent, AffineConstantExpr) and extent.value <= (factor or extent.value)
        if factor is not None and not is_all:
            folds[axis] = factor
    return [folds.get(axis, 0) for axis in range(len(box))]


def _refusal(
    op: schedule.FoldStorageOp, clash: Clash, smallest: int | None, sizes: Sequence[SSAValue]
) -> PassError:
    stage = op.parent_op()
    assert isinstance(stage, schedule.StageOp)
    assert op.factor is not None
    name = name_of(stage)
    known = [
        f"{size.name_hint} = {value}"
        for size, value in zip(sizes, clash.around, strict=False)
        if size in stage.sizes
    ]
    here = f" (here {', '.join(known)})" if known else ""
    legal = "no factor is large enough"
    if smallest is not None:
        legal = f"the smallest factor is {smallest}"
    return PassError(
        f'cannot fold axis {schedule.axis_name(op.axis)} of "{name}" by {op.factor.value.data}: '
        f"{name}{clash.one} and {name}{clash.other} would share memory, and both are needed at "
        f"the same time{here}; {legal}",
        op,
    )
