"""What an op of any dialect, also a plug-in's, implements so that all passes know it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue


class ScalarOp(ABC):
    """An op that computes its one result from its operands alone, for each element the same.

    It goes from an equation to machine code: lanes of vectors compute it at once, the
    interpreter evaluates it, and `lower-to-llvm` asks it for its code. Its operands and its
    result may be vectors in the place of scalars, and it has no effect: it is `Pure`.
    """

    @abstractmethod
    def evaluate(self, operands: Sequence[Any]) -> Any:
        """The result at many points, of NumPy arrays that hold an operand at each of these."""

    @abstractmethod
    def to_llvm(self, builder: Any) -> SSAValue:
        """The result, computed by ops of the `llvm` dialect.

        `builder` is a `teloom.passes.llvm.builder.Builder`; the operands are the machine's by
        then: scalars, or vectors of one axis.
        """


class PluginCommand(ABC):
    """A command of a schedule that is no op of the `schedule` dialect; also a `CommandOp`."""

    @classmethod
    @abstractmethod
    def primitive(cls) -> type[Any]:
        """The pattern that carries it out: a `Primitive` of `passes.schedule.primitives`."""
