"""The memory of a function before and after `buffer-reuse`."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.memory.report import MemoryReport
from teloom.analysis.memory.use import Sizes, memory_use
from teloom.driver.entry import function_of
from teloom.driver.lowering import Lowering
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
    before = memory_use(function_of(module, func.FuncOp, name), sizes)
    lowering.run(module, steps[shared:])
    return MemoryReport(before, memory_use(function_of(module, func.FuncOp, name), sizes))
