"""Schedules as the texts of hybrid scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func

from teloom.dialects.bodies.preorder import ops_of
from teloom.frontend.call.build import lower
from teloom.frontend.hybrid.source import source_of
from teloom.passes.nests.build_loops import BuildLoopsPass


def source_of_schedule(s: Any, args: Sequence[Any], name: str) -> str:
    """The loops of a scheduled program, called with `args`, as the text of a script `name`.

    Raises `teloom.Error` as `teloom.lower` does, and `PassError` for what no script has.
    """
    module = lower(s, args, level="schedule")
    BuildLoopsPass().apply(Context(), module)
    functions = ops_of(module.body.block, func.FuncOp)
    (function,) = [op for op in functions if op.body.blocks]
    return source_of(function, name)
