"""TVM's spelling of Teloom: what belongs here is a name or a call of TVM's, and no behaviour.

    import teloom.tvm_compat as tvm
    from teloom.tvm_compat import te, topi

`te` is Teloom's. Programs that are not to be changed run by `python -m teloom.tvm_compat FILE`.
"""

from __future__ import annotations

import sys
from typing import Any

from teloom.errors import Error as TVMError
from teloom.frontend import te
from teloom.tvm_compat import (
    arith,
    autotvm,
    contrib,
    driver,
    error,
    ir,
    runtime,
    target,
    testing,
    tir,
    topi,
    transform,
)
from teloom.tvm_compat import error as _ffi
from teloom.tvm_compat import ir as container
from teloom.tvm_compat.building import build, lower
from teloom.tvm_compat.ir import IRModule
from teloom.tvm_compat.paths import name_modules
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.runtime import DataType, DataTypeCode, convert
from teloom.tvm_compat.runtime import ndarray as nd
from teloom.tvm_compat.runtime.device import cpu, device
from teloom.tvm_compat.runtime.registry import get_global_func, register_func

__version__ = "0.14.0"
"""The version of TVM that is spelled."""

__all__ = [
    "DataType",
    "DataTypeCode",
    "IRModule",
    "TVMError",
    "__version__",
    "_ffi",
    "arith",
    "autotvm",
    "build",
    "container",
    "contrib",
    "convert",
    "cpu",
    "device",
    "driver",
    "error",
    "get_global_func",
    "ir",
    "lower",
    "nd",
    "register_func",
    "runtime",
    "target",
    "te",
    "testing",
    "tir",
    "topi",
    "transform",
]


def __getattr__(name: str) -> Any:
    raise missing_part("tvm", name)


name_modules(sys.modules[__name__], __name__)
