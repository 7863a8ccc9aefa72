"""The data axes over which a schedule tiles a reduction, if they are not those of its equation."""

from __future__ import annotations

from typing import Protocol

from teloom.frontend.auto.axes.divided_axes import divided_axis
from teloom.frontend.auto.axes.joined_axes import joined_axes
from teloom.frontend.auto.facts import EquationFacts
from teloom.frontend.auto.rules import ScheduleWriter
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.schedule.stages import Stage
from teloom.frontend.tensor.tensors import IterVar, Tensor


class ChangedAxes(Protocol):
    """Commands that change the data axes of a reduction, and its `model` over these."""

    @property
    def model(self) -> EquationFacts: ...

    @property
    def said(self) -> str:
        """What is said of them."""
        ...

    def write(self, stage: Stage) -> list[IterVar]:
        """Changes the axes of a stage that has those of the equation; gives its data axes then."""
        ...

    def copy(self, s: Schedule, tensor: Tensor, reader: Tensor) -> Tensor | None:
        """The copy of a tensor that the model reads, if it is no plain one."""
        ...


def changed_axes(
    rules: ScheduleWriter, equation: EquationFacts, epilogue: EquationFacts
) -> ChangedAxes | None:
    """The axes that are better for the tiles of a reduction, whose `epilogue` may be itself."""
    return divided_axis(rules, equation) or joined_axes(rules, equation, epilogue)
