"""Runs tests through upstream MLIR, too: each program of level standard comes from its text.

    python -m pytest -p through_upstream tests/programs tests/examples

The text is what `mlir-opt -canonicalize -cse -mlir-print-debuginfo` prints. A test fails where
upstream refuses a program, where its text does not read back, and where results differ. At the
end stands how many programs went that way.
"""

from collections import Counter
from typing import Any

import pytest
from upstream_tools import MLIR_OPT, through_mlir_opt
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom.driver.reading.parsed_text import parsed
from teloom.driver.runner import verify
from teloom.passes.llvm.outline_parallel import OutlineParallelPass

seen: Counter[str] = Counter()


def pytest_configure(config: pytest.Config) -> None:
    """Puts itself in front of the first pass below level standard."""
    assert MLIR_OPT is not None, "there is no mlir-opt"
    lower = OutlineParallelPass.apply

    def from_upstream(step: OutlineParallelPass, context: Context, module: ModuleOp) -> None:
        if any(key.startswith("shadow.") for op in module.ops for key in op.attributes):
            seen["code of checks, which goes no further"] += 1
            return lower(step, context, module)
        text = through_mlir_opt(str(module), "-canonicalize", "-cse", "-mlir-print-debuginfo")
        read = parsed(text, "upstream")
        verify(read)
        module.detach_region(module.body)
        module.add_region(read.detach_region(read.body))
        seen["through mlir-opt"] += 1
        lower(step, context, module)

    setattr(OutlineParallelPass, "apply", from_upstream)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reason, number in seen.most_common():
        terminalreporter.write_line(f"{number:5} {reason}")
