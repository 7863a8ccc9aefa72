"""`tvm.runtime`: arrays, modules and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teloom.frontend.expr.expressions import const, is_number
from teloom.tvm_compat import nd as ndarray
from teloom.tvm_compat.device import DEVICES, Device, device
from teloom.tvm_compat.modules import Module
from teloom.tvm_compat.nd import NDArray

__all__ = ["Device", "Module", "NDArray", "const", "convert", "device", "enabled", "ndarray"]


def convert(value: Any) -> Any:
    """Numbers as constants of te, also in lists, tuples and dicts; all else stays as it is.

    Source: TVM's runtime.convert.

    >>> convert([1, (2.5, "x")])
    [1, [2.5, 'x']]
    """
    if isinstance(value, Mapping):
        return {key: convert(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [convert(one) for one in value]
    if not is_number(value):
        return value
    kind = "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"
    return const(value, kind)


def enabled(target: str) -> bool:
    """Whether functions can be built for a target or a device, by its name.

    >>> enabled("llvm"), enabled("cuda")
    (True, False)
    """
    return str(target).split()[0] in DEVICES and device(target).exist
