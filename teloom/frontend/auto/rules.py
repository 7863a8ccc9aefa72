"""What all rules share: the schedule that they write, the machine, and their reasons."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.panels import GroupedPanels, Panels
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import Operation


@dataclass
class ScheduleWriter:
    """A schedule that is being written; `reasons` has a line for each decision.

    `alone` are stages in no loop of others, with one reader, that are no reductions. `panels` are
    those of them that are stored in the layout that their reader wants.
    """

    s: Schedule
    machine: Machine
    alone: Container[Operation] = ()
    reasons: list[str] = field(default_factory=list)
    panels: dict[Operation, Panels | GroupedPanels] = field(default_factory=dict)

    def say(self, stage: Stage, reason: str) -> None:
        self.reasons.append(f"{stage.name}: {reason}")
