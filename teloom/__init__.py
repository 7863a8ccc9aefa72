"""A multi-dialect tensor compiler: tensor expressions and schedules to machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teloom.errors import (
    CallError,
    Error,
    KernelError,
    OutOfMemoryError,
    PassError,
    Remark,
    ScheduleError,
    WrongAccessError,
)
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom import topi
    from teloom.backend.call.threads import num_threads
    from teloom.backend.call.workspace import release_workspace, workspace_bytes
    from teloom.backend.machine.cpus import target
    from teloom.dialects.target import Target
    from teloom.driver.function import compile
    from teloom.frontend import te
    from teloom.frontend.call.arrays import empty, zeros
    from teloom.frontend.call.build import build, lower
    from teloom.frontend.call.export import export
    from teloom.frontend.call.loading import load
    from teloom.frontend.report.memory_report import memory_report

__version__ = "0.1.0"

__all__ = [
    "CallError",
    "Error",
    "KernelError",
    "OutOfMemoryError",
    "PassError",
    "Remark",
    "ScheduleError",
    "Target",
    "WrongAccessError",
    "__version__",
    "build",
    "compile",
    "empty",
    "export",
    "load",
    "lower",
    "memory_report",
    "num_threads",
    "release_workspace",
    "target",
    "te",
    "topi",
    "workspace_bytes",
    "zeros",
]

# Loaded at first use: `import teloom` must stay cheap for tools that need none of it.
# name -> its module, and its name there; without one it is the module
_LAZY: dict[str, tuple[str, str | None]] = {
    "te": ("teloom.frontend.te", None),
    "topi": ("teloom.topi", None),
    "lower": ("teloom.frontend.call.build", "lower"),
    "build": ("teloom.frontend.call.build", "build"),
    "compile": ("teloom.driver.function", "compile"),
    "export": ("teloom.frontend.call.export", "export"),
    "load": ("teloom.frontend.call.loading", "load"),
    "empty": ("teloom.frontend.call.arrays", "empty"),
    "zeros": ("teloom.frontend.call.arrays", "zeros"),
    "memory_report": ("teloom.frontend.report.memory_report", "memory_report"),
    "Target": ("teloom.dialects.target", "Target"),
    "target": ("teloom.backend.machine.cpus", "target"),
    "num_threads": ("teloom.backend.call.threads", "num_threads"),
    "release_workspace": ("teloom.backend.call.workspace", "release_workspace"),
    "workspace_bytes": ("teloom.backend.call.workspace", "workspace_bytes"),
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LAZY:
            raise AttributeError(f"module 'teloom' has no attribute {name!r}")
        value = globals()[name] = loaded(*_LAZY[name])
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
