"""A multi-dialect tensor compiler: tensor expressions and schedules to machine code."""

from __future__ import annotations

import importlib
from typing import Any

from teloom.errors import CallError, Error, ScheduleError

__all__ = ["CallError", "Error", "ScheduleError", "te"]

# Loaded at first use: `import teloom` must stay cheap for tools that need none of it.
_LAZY = {"te": "teloom.frontend.te"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'teloom' has no attribute {name!r}")
    value = importlib.import_module(_LAZY[name])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
