"""`tvm.topi.random`: the generators of `teloom.topi.random`, and what asks whether they work."""

from __future__ import annotations

from typing import Any

import numpy as np

from teloom import te
from teloom.topi import random as generators
from teloom.tvm_compat.building import build
from teloom.tvm_compat.refusals import missing_part

__all__ = ["threefry_test_wrapping"]


def threefry_test_wrapping(target: Any = "llvm", device: Any = None) -> bool:
    """Whether words of 64 bits wrap around in code for a target, as the generators need.

    A program is built and run to see. `device` is accepted as TVM's: code runs in the memory of
    this process.

    >>> threefry_test_wrapping()
    True
    """
    W = te.placeholder((1,), "uint64", name="W")
    added = te.compute((1,), lambda i: W[i] + te.const(1, "uint64"), name="added")
    found = np.ones(1, "uint64")
    build(te.create_schedule(added), [W, added], target)(~np.zeros(1, "uint64"), found)
    return not found[0]


def __getattr__(name: str) -> Any:
    if name in generators.__all__:
        return getattr(generators, name)
    raise missing_part("tvm.topi.random", name)


def __dir__() -> list[str]:
    return [*__all__, *generators.__all__]
