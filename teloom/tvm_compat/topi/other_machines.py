"""`tvm.topi.cuda` and its like: programs name their operators in tables, and call others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom.errors import Error

NAMES = "adreno arm_cpu bifrost cuda gpu hexagon hls intel_graphics mali rocm".split()


class OtherMachine:
    """The operators for a machine that has no code here: each raises `teloom.Error` when called."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, operator: str) -> Callable[..., Any]:
        if operator.startswith("__"):
            raise AttributeError(operator)

        def refuse(*_: object, **__: object) -> Any:
            raise Error(
                f"topi.{self._name}.{operator} is for a machine that has no code yet; "
                "topi.generic and topi.x86 are for CPUs"
            )

        return refuse
