"""The notes of a schedule on the loop of an axis."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from teloom.dialects import schedule
from teloom.dialects.bodies.preorder import ops_of


def notes_on(stage: schedule.StageOp) -> dict[SSAValue, schedule.PragmasOp]:
    """The notes of a stage by axis."""
    return {op.axis: op for op in ops_of(stage.body.block, schedule.PragmasOp)}


def pragmas_of(stage: schedule.StageOp, leaf: SSAValue) -> dict[str, Attribute]:
    """The notes on a leaf axis, and on the axes that it replaces as their outermost one.

    Those of the leaf count more.
    """
    found: dict[str, Attribute] = {}
    notes = notes_on(stage)
    if not notes:
        return found
    makers = {one.results[0]: one for one in stage.relations}
    pending = [leaf]
    while pending:
        axis = pending.pop()
        if axis in notes:
            found = {**notes[axis].values.data, **found}
        if axis in makers:
            pending += makers[axis].consumed
    return found
