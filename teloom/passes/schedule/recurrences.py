"""Checks that commands keep a recurrence legal: the order of time, and the places of steps."""

from __future__ import annotations

from xdsl.ir import Operation

from teloom.analysis.stages.queries import (
    legal_places,
    name_of,
    qualified,
    stage_of,
    states_of,
    steps_of,
)
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.groups import placing_command


def check_recurrence(stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
    """Raises ScheduleError unless steps are in the loops of time, and these run in order."""
    if not states_of(stage):
        return
    name = name_of(stage)
    reason = schedule.why_not_in_time(stage)
    if reason is not None:
        raise ScheduleError(f'"{name}" is a scan: {reason}', _last_on_time(stage, sequence))
    for step in steps_of(stage):
        if not stage.is_ancestor(step):
            legal = qualified(
                [axis for axis in legal_places(step) if stage.is_ancestor(stage_of(axis))]
            )
            raise ScheduleError(
                f'cannot compute "{name_of(step)}" outside of "{name}", of which it reads earlier '
                f"steps; legal places: {legal}",
                placing_command(step, sequence) or step,
            )


def _last_on_time(stage: schedule.StageOp, sequence: schedule.SequenceOp) -> Operation:
    """The last command on the loops of time, or else the stage itself."""
    time = {stage.root_axes[0], *schedule.time_leaves(stage)}
    kinds = schedule.ReorderOp | schedule.LoopKindCommand | schedule.BindOp
    commands = [op for op in sequence.body.block.ops if isinstance(op, kinds)]
    on_time = [op for op in (*stage.relations, *commands) if not time.isdisjoint(op.operands)]
    return on_time[-1] if on_time else stage
