"""What all rules share: the schedule that they write, the machine, and their reasons."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from teloom.frontend.auto.composed_reads import ComposedReads
from teloom.frontend.auto.facts import EquationFacts
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


class SharedFold(NamedTuple):
    """Reductions that lanes fold in the same loops, down to that over `terms` of the first stage.

    They are computed in the loop `at` of a stage, or at the root. Others of the same `shape` may
    join, of which registers hold `most`.
    """

    equations: list[EquationFacts]
    stages: list[Stage]
    terms: IterVar
    at: IterVar | None
    shape: object
    most: int


@dataclass
class ScheduleWriter:
    """A schedule that is being written; `reasons` has a line for each decision.

    `alone` are stages in no loop of others, with one reader, that are no reductions. `panels` are
    the layouts of stages that are stored as their reader wants. `factored` are reductions that
    threads fold part by part, `folds` those that lanes fold. Iterations of `triangles` take longer
    the further they are from a corner.
    """

    s: Schedule
    machine: Machine
    alone: Container[Operation] = ()
    reasons: list[str] = field(default_factory=list)
    panels: dict[Operation, Panels | GroupedPanels] = field(default_factory=dict)
    reads: ComposedReads = field(default_factory=ComposedReads)
    factored: Mapping[Operation, TermParts] = field(default_factory=dict)
    folds: list[SharedFold] = field(default_factory=list)
    triangles: list[Stage] = field(default_factory=list)

    def say(self, stage: Stage, reason: str) -> None:
        self.reasons.append(f"{stage.name}: {reason}")

    def partial_results(self, stage: Stage, axis: IterVar, terms: int) -> Stage:
        """The stage of partial results of a reduction, each of so many terms along an axis."""
        parts, _ = stage.split(axis, factor=terms)
        return self.s.stage_of(self.s.rfactor(stage.op.output(0), parts))

    def divide_into_strips(
        self, stage: Stage, axes: Sequence[IterVar], depth: int, rows: int | None, inside: str
    ) -> tuple[IterVar, list[IterVar]]:
        """Divides the last of `depth` axes: the loop over strips, and the loops around a row.

        Without `rows` the whole axis is one strip, in the loop of the axis before it. The loop
        around a row is that over strips where these are of one. `inside` says what is computed in
        them.
        """
        *around, row = axes[:depth]
        if rows is None:
            strip, inner, parts = around[-1], row, f"along {row.name}"
            stage.reorder(*axes)
        elif rows == 1:
            strip, inner, parts = row, row, f"row by row of {row.name}"
            stage.reorder(*axes)
        else:
            strip, inner = stage.split(row, factor=rows)
            parts = f"strips of {rows} of {row.name}"
            stage.reorder(*around, strip, inner, *axes[depth:])
        if depth < len(axes):
            stage.vectorize(axes[-1])
        self.say(stage, f"{parts}, with {inside}")
        return strip, [*around, inner]

    def compute_rows(self, stage: Stage, reader: Stage, at: IterVar, strip: IterVar | None) -> None:
        """Computes a stage at a loop of its reader; its rows slide in a strip if one is given."""
        stage.compute_at(reader, at)
        if strip is not None:
            stage.store_at(reader, strip)
            stage.rolling_buffer()
            place = f"its rows slide along {at.name}"
            self.say(stage, f"{place}: each is computed once in {strip.name}")

    def threads_pay(self, work: int) -> bool:
        """Whether there are several threads, and so much work is worth them."""
        return self.machine.threads > 1 and is_large(work)

    def share(self, stage: Stage, loops: Sequence[IterVar], work: int) -> None:
        """Lets threads share the outermost of some loops, if there is enough work.

        Nothing may be computed between the loops.
        """
        if loops and self.threads_pay(work):
            self.run_on_threads(stage, shared_of(stage, loops, self.machine.threads))

    def run_on_threads(
        self, stage: Stage, loops: Sequence[IterVar], reason: str | None = None
    ) -> None:
        """Makes loops parallel that threads share, if there are several threads.

        Without a `reason`, that is what is said of it.
        """
        if self.machine.threads == 1 or not loops:
            return
        chunk = "dynamic" if stage in self.triangles else None
        for loop in loops:
            stage.parallel(loop, chunk)
        names = " and ".join(loop.name for loop in loops)
        together = " together" if len(loops) > 1 else ""
        self.say(stage, reason or f"threads share the iterations of {names}{together}")
