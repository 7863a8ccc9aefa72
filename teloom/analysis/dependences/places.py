"""The loops around stages, and the axes that these fix, in text that does not change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import fixed_axes, loops_to, stage_of
from teloom.dialects import schedule


class Inside(NamedTuple):
    """A place in loops."""

    loops: Sequence[SSAValue]
    """The axes of the loops around, outermost first."""
    fixed: frozenset[SSAValue]
    """The axes of which one value belongs to an iteration of all these loops."""


class Places:
    """Places of stages. One place is found from the one around it, as nests may be deep."""

    def __init__(self) -> None:
        self._inside: dict[SSAValue | None, Inside] = {None: Inside((), frozenset())}

    def of(self, stage: schedule.StageOp) -> Inside:
        """Where a stage is computed."""
        return self.inside(None if stage.enclosing is None else stage.at)

    def of_storage(self, stage: schedule.StageOp) -> Inside:
        """Where a stage is stored."""
        return self.inside(stage.stored_at) if stage.is_stored_elsewhere else self.of(stage)

    def inside(self, axis: SSAValue | None) -> Inside:
        """The place inside of the loop of a leaf axis; None stands for the root."""
        unknown: list[SSAValue] = []
        while axis is not None and axis not in self._inside:
            unknown.append(axis)
            stage = stage_of(axis)
            axis = None if stage.enclosing is None else stage.at
        found = self._inside[axis]
        for axis in reversed(unknown):
            loops = loops_to(axis)
            fixed = found.fixed | fixed_axes(stage_of(axis), loops)
            found = self._inside[axis] = Inside((*found.loops, *loops), fixed)
        return found
