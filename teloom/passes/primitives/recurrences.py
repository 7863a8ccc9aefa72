"""What the commands of a sequence must keep of a recurrence: its time, and where its steps are."""

from __future__ import annotations

from collections.abc import Mapping

from teloom.analysis.stages import legal_places, name_of, qualified, stage_of, states_of, steps_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError


def check_recurrence(
    stage: schedule.StageOp, placed_by: Mapping[str, schedule.PlaceCommand]
) -> None:
    """Raises ScheduleError unless the steps of a recurrence are in its loops, and these in time.

    `placed_by` has the commands that have placed stages, by the names of these.
    """
    if not states_of(stage):
        return
    name = name_of(stage)
    reason = schedule.why_not_in_time(stage)
    if reason is not None:
        raise ScheduleError(f'cannot run the steps of "{name}" so: {reason}', stage)
    for step in steps_of(stage):
        if not stage.is_ancestor(step):
            legal = qualified(
                [axis for axis in legal_places(step) if stage.is_ancestor(stage_of(axis))]
            )
            raise ScheduleError(
                f'cannot compute "{name_of(step)}" outside of "{name}", of which it reads earlier '
                f"steps; legal places: {legal}",
                placed_by.get(name_of(step), step),
            )
