"""What commands ask of the order of stages, until all commands are carried out."""

from __future__ import annotations

from collections.abc import Mapping
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


class RunsAfter(NamedTuple):
    """A stage that runs behind another one; both by name."""

    stage: str
    other: str
    command: Operation


@dataclass
class OrderWishes:
    """The loops that stages share, and who runs behind whom.

    Who reads whom is not known before all commands are carried out; `settle_order` then decides.
    """

    together: list[Together] = field(default_factory=list)
    behind: list[RunsAfter] = field(default_factory=list)

    def part(self, name: str, depth: int) -> bool:
        """Lets all stages that share the loop of a stage at a depth share `depth` loops at most.

        Returns whether there are such stages.
        """
        inside = self.sharing(name, depth)
        for one in inside:
            self.together.remove(one)
            leaves = stage_of(one.axis).order.axes
            if depth:
                words = one.align if len(one.align) == 1 else one.align[:depth]
                self.together.append(one._replace(axis=leaves[depth - 1], align=words))
        return bool(inside)

    def move(self, moved: Mapping[SSAValue, SSAValue]) -> None:
        """Lets axes stand for others, by which stages share loops."""
        self.together = [
            one._replace(axis=moved.get(leaf_behind(one.axis), one.axis)) for one in self.together
        ]

    def sharing(self, name: str, depth: int) -> list[Together]:
        """The wishes by which stages share the loop of one stage at a depth."""
        names, found = {name}, list[Together]()
        asked = [one for one in self.together if _depth(one) > depth]
        while new := [one for one in asked if one not in found and {one.stage, one.other} & names]:
            found += new
            names.update(other for one in new for other in (one.stage, one.other))
        return found


def _depth(asked: Together) -> int:
    """The number of loops that two stages share, as they are now."""
    axis = leaf_behind(asked.axis)
    return list(stage_of(axis).order.axes).index(axis) + 1


def leaf_behind(axis: SSAValue) -> SSAValue:
    """The leaf axis that stands for an axis: the innermost that replaced it in its stage."""
    while relations := [
        op for op in schedule.consumers_of(axis) if isinstance(op.parent_op(), schedule.StageOp)
    ]:
        axis = relations[0].results[-1]
    return axis
