"""A stage and the ops in it, as they see each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.irdl import IRDLOperation, traits_def
from xdsl.traits import HasParent

if TYPE_CHECKING:
    from teloom.dialects.schedule.stages.stage import StageOp


class ParentStage(IRDLOperation):
    """Base of `schedule.stage`, which imports some of the ops in it."""

    name = "schedule.stage"


class OpInStage(IRDLOperation):
    """Base of the ops in a stage."""

    COMMAND: ClassVar[str | None] = None
    """The command that asks for it, if one does."""

    traits = traits_def(HasParent(ParentStage))

    @property
    def said_by(self) -> str:
        """What messages call it: the command that asks for it, or its own name."""
        return self.COMMAND or self.name

    @property
    def stage(self) -> StageOp:
        """The stage that the op is in."""
        stage = self.parent_op()
        assert isinstance(stage, ParentStage)
        return stage  # pyright: ignore
