"""The memory of a function before and after `buffer-reuse`."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.memory.report import MemoryReport
from teloom.analysis.memory.use import Sizes, memory_use
from teloom.driver.lowering import Lowering
from teloom.errors import Error
from teloom.passes.memory.buffer_reuse import BufferReusePass


def memory_before_and_after(
    module: ModuleOp,
    sizes: Sizes,
    name: str | None,
    lowering: Lowering,
) -> MemoryReport:
    """The memory report of a function of a module of level `memref` or above; changes the module.

    Raises `teloom.Error` if no single function is meant, or if `sizes` names an unknown size, and
    what the passes raise.
    """
    lowering.bring(module, "te", "loop")
    steps = lowering.steps.checked()[:-1]
    shared = next(n for n, step in enumerate(steps) if isinstance(step, BufferReusePass))
    lowering.run(module, steps[:shared])
    before = memory_use(_function(module, name), sizes)
    lowering.run(module, steps[shared:])
    return MemoryReport(before, memory_use(_function(module, name), sizes))


def _function(module: ModuleOp, name: str | None) -> func.FuncOp:
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    found = [op for op in functions if name in (None, op.sym_name.data)]
    if len(found) != 1:
        there = ", ".join(f"@{op.sym_name.data}" for op in functions) or "none"
        raise Error(f"which function is meant must be said; there are: {there}")
    return found[0]
