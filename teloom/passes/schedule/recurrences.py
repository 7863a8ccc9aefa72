"""Checks that commands leave the steps of a recurrence in its loops."""

from __future__ import annotations

from teloom.analysis.stages.queries import (
    kind_of,
    legal_places,
    name_of,
    qualified,
    stage_of,
    steps_of,
)
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.groups import placing_command


def check_recurrence(stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
    """Raises ScheduleError unless the steps of a recurrence are computed in its loops."""
    for step in steps_of(stage):
        outermost = stage.order.axes[0]
        if kind_of(outermost) is LoopKind.VECTORIZED:
            raise ScheduleError(
                f'"{name_of(stage)}" is a scan, in whose loops "{name_of(step)}" is computed, but '
                f"the outermost, {schedule.axis_name(outermost)}, is vectorized",
                stage.order,
                stage.order.command_apart(outermost),
            )
        if not stage.is_ancestor(step):
            legal = qualified(
                [axis for axis in legal_places(step) if stage.is_ancestor(stage_of(axis))]
            )
            raise ScheduleError(
                f'cannot compute "{name_of(step)}" outside of "{name_of(stage)}", of which it '
                f"reads earlier steps; legal places: {legal}",
                placing_command(step, sequence) or step,
            )
