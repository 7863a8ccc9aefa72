"""`tvm.topi`: the operators of `teloom.topi`, and what TVM's has beside operators."""

from __future__ import annotations

import sys
from typing import Any

from teloom import topi as operators
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.topi import (
    generic,
    nn_utils,
    other_machines,
    random,
    testing,
    utils,
    x86,
)

FILES = (
    "argwhere broadcast einsum math reduction scan scatter scatter_elements searchsorted sort "
    "sparse_fill_empty_rows sparse_reshape tensor transform unique"
)
"""TVM's files whose operators stand in the package itself, too."""

__all__ = ["generic", "nn_utils", "random", "testing", "utils", "x86"]


def __getattr__(name: str) -> Any:
    if name in operators.__all__:
        return getattr(operators, name)
    if name in other_machines.NAMES:
        return other_machines.OtherMachine(name)
    if name in FILES.split():
        return sys.modules[__name__]
    raise missing_part("tvm.topi", name)


def __dir__() -> list[str]:
    return [*__all__, *operators.__all__]
