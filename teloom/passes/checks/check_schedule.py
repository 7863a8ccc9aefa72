"""Pass `check-schedule`: a scheduled program computes what its equations say."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from teloom.analysis.dependences.legality import Legality
from teloom.dialects import te


@dataclass(frozen=True)
class CheckSchedulePass(ModulePass):
    """Check."""

    name = "check-schedule"

    strict: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, te.FuncOp):
                Legality(func).check()
