"""`tvm.runtime`: what belongs here is a value of the run: arrays, devices, modules, constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, is_number
from teloom.frontend.expr.expressions import const as const_of
from teloom.tvm_compat.runtime import ndarray, scripts
from teloom.tvm_compat.runtime.data_types import DataType, DataTypeCode
from teloom.tvm_compat.runtime.device import WITH_CODE, Device, device
from teloom.tvm_compat.runtime.modules import Module, load_module
from teloom.tvm_compat.runtime.ndarray import NDArray

__all__ = [
    "DataType",
    "DataTypeCode",
    "Device",
    "Module",
    "NDArray",
    "const",
    "convert",
    "device",
    "enabled",
    "load_module",
    "ndarray",
    "scripts",
]


def const(value: Any, dtype: object = None, span: object = None) -> Const:
    """A number as a constant of te: of `dtype`, or of that of NumPy's number.

    Python's numbers are bool, int32, int64 where that is too narrow, and float32. `span` means
    nothing. Raises `teloom.Error` for a number that `dtype` does not hold. Source: TVM's tir.const.

    >>> const(1).dtype, const(2**40).dtype, const(1.5).dtype, const(np.int8(1)).dtype
    ('int32', 'int64', 'float32', 'int8')
    """
    if dtype is not None:
        return const_of(value, dtype)
    if isinstance(value, np.generic):
        return const_of(value, value.dtype.name)
    if isinstance(value, float):
        return const_of(value, "float32")
    return const_of(value, "bool" if isinstance(value, bool) else dtypes.of_integer(value))


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
    return const(value) if is_number(value) else value


def enabled(target: str) -> bool:
    """Whether functions can be built for a target or a device, by its name.

    >>> enabled("llvm -mcpu=znver4"), enabled("stackvm"), enabled("cuda")
    (True, False, False)
    """
    return str(target).partition(" ")[0] in WITH_CODE
