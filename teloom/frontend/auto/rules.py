"""What all rules have: the schedule that they write, the machine, and their reasons."""

from __future__ import annotations

from dataclasses import dataclass, field

from teloom.frontend.auto.machine import Machine
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage


@dataclass
class Rules:
    """A schedule that is being written; `reasons` has a line for each decision."""

    s: Schedule
    machine: Machine
    reasons: list[str] = field(default_factory=list)

    def say(self, stage: Stage, reason: str) -> None:
        self.reasons.append(f"{stage.name}: {reason}")
