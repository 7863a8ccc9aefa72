"""What commands ask of the order of stages, until all commands are carried out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from teloom.analysis.stages.queries import stage_of
from teloom.dialects import schedule
from teloom.dialects.schedule import Align


class Together(NamedTuple):
    """Two stages, by name, that share the loops down to an axis of the second one."""

    stage: str
    other: str
    axis: SSAValue
    align: list[Align]
    """A word per loop, or one for all."""
    command: Operation


class Behind(NamedTuple):
    """A stage that runs behind another one; both by name."""

    stage: str
    other: str
    command: Operation


@dataclass
class OrderWishes:
    """The loops that stages share, and who runs behind whom.

    Who reads whom is not known before all commands are carried out; `settle` then decides.
    """

    together: list[Together] = field(default_factory=list)
    behind: list[Behind] = field(default_factory=list)

    def loops_with(self, name: str) -> list[Together]:
        """What is asked of a stage, and of all that share loops with it or these."""
        names, found = {name}, list[Together]()
        while new := [
            one for one in self.together if one not in found and {one.stage, one.other} & names
        ]:
            found += new
            names.update(name for one in new for name in (one.stage, one.other))
        return found

    def cut(self, asked: Together, depth: int) -> None:
        """Lets the two stages share no more than `depth` loops."""
        self.together.remove(asked)
        leaves = list(stage_of(asked.axis).order.axes)
        if depth:
            words = asked.align if len(asked.align) == 1 else asked.align[:depth]
            self.together.append(asked._replace(axis=leaves[depth - 1], align=words))


def leaf_behind(axis: SSAValue) -> SSAValue:
    """The leaf axis that stands for an axis: the innermost that replaced it."""
    while consumers := schedule.consumers_of(axis):
        axis = consumers[0].results[-1]
    return axis
