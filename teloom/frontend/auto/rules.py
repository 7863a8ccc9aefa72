"""What all rules share: the schedule that they write, the machine, and their reasons."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from teloom.frontend.auto.composed_reads import ComposedReads
from teloom.frontend.auto.machine import Machine
from teloom.frontend.auto.panels import GroupedPanels, Panels
from teloom.frontend.auto.threads.sharing import is_large, shared_of
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Operation


class TermParts(NamedTuple):
    """How threads fold a reduction: `terms` of a reduce axis at a time."""

    axis: IterVar
    terms: int


@dataclass
class ScheduleWriter:
    """A schedule that is being written; `reasons` has a line for each decision.

    `alone` are stages in no loop of others, with one reader, that are no reductions. `panels` are
    the layouts of stages that are stored as their reader wants. `factored` are reductions that
    threads fold part by part.
    """

    s: Schedule
    machine: Machine
    alone: Container[Operation] = ()
    reasons: list[str] = field(default_factory=list)
    panels: dict[Operation, Panels | GroupedPanels] = field(default_factory=dict)
    reads: ComposedReads = field(default_factory=ComposedReads)
    factored: Mapping[Operation, TermParts] = field(default_factory=dict)

    def say(self, stage: Stage, reason: str) -> None:
        self.reasons.append(f"{stage.name}: {reason}")

    def partial_results(self, stage: Stage, axis: IterVar, terms: int) -> Stage:
        """The stage of partial results of a reduction, each of so many terms along an axis."""
        parts, _ = stage.split(axis, factor=terms)
        made = self.s.rfactor(stage.op.output(0), parts)
        return self.s[made[0] if isinstance(made, list) else made]

    def share(self, stage: Stage, loops: Sequence[IterVar], work: int) -> None:
        """Lets threads share the outermost of some loops, if there is enough work.

        Nothing may be computed between the loops.
        """
        if loops and is_large(work):
            self.run_on_threads(stage, shared_of(stage, loops, self.machine.threads))

    def run_on_threads(self, stage: Stage, loops: Sequence[IterVar]) -> None:
        """Makes loops parallel that threads share."""
        for loop in loops:
            stage.parallel(loop)
        if len(loops) > 1:
            names = " and ".join(loop.name for loop in loops)
            self.say(stage, f"threads share the iterations of {names} together")
