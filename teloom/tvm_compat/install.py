"""`import tvm` in a program that is not to be changed."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from teloom import tvm_compat
from teloom.errors import Error


def install() -> None:
    """Makes `import tvm`, and imports of its parts, give this spelling in this process.

    Raises `teloom.Error` if another `tvm` is imported already.

    >>> install()
    >>> from tvm import te  # doctest: +SKIP
    """
    there = sys.modules.get("tvm")
    if there is not None and there is not tvm_compat:
        raise Error(f"tvm is imported already, from {there.__file__}")
    sys.modules.update(_modules())


def _modules() -> dict[str, ModuleType]:
    """The modules by the names that programs import them by."""
    tvm: Any = tvm_compat
    parts = {name: getattr(tvm, name) for name in tvm.__all__}
    found = {name: one for name, one in parts.items() if isinstance(one, ModuleType)}
    inner = {
        "te.hybrid": tvm.te.hybrid,
        "te.schedule": tvm.te.schedule,
        "te.tensor": tvm.te.tensor,
        "driver.build_module": tvm.driver.build_module,
        "tir.ir_builder": tvm.tir.ir_builder,
        "topi.nn": tvm.topi.nn,
        "topi.sparse": tvm.topi.sparse,
        "topi.random": tvm.topi.random,
        "topi.tag": tvm.topi.tag,
        "topi.utils": tvm.topi.utils,
        "topi.generic": tvm.topi.generic,
        "topi.x86": tvm.topi.x86,
        "runtime.ndarray": tvm.nd,
        "runtime.module": tvm.runtime.modules,
        "contrib.cblas": tvm.contrib.cblas,
        "contrib.sparse": tvm.contrib.sparse,
    }
    named = {f"tvm.{name}": one for name, one in (found | inner).items()}
    return {"tvm": tvm, **named}
