"""`tvm.topi`: the operators of `teloom.topi`, and what TVM's has beside operators."""

from __future__ import annotations

from typing import Any

from teloom import topi as operators
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.topi import generic, random, utils

x86 = generic
"""The schedules for this machine: there is one way to make them."""

__all__ = ["generic", "random", "utils", "x86"]


def __getattr__(name: str) -> Any:
    if name in operators.__all__:
        return getattr(operators, name)
    raise missing_part("tvm.topi", name)


def __dir__() -> list[str]:
    return [*__all__, *operators.__all__]
