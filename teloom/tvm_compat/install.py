"""`import tvm` in a program that is not to be changed."""

from __future__ import annotations

import sys

from teloom import tvm_compat
from teloom.errors import Error
from teloom.tvm_compat.paths import name_modules


def install() -> None:
    """Makes `import tvm`, and imports of its parts, give this spelling in this process.

    Raises `teloom.Error` if another `tvm` is imported already.

    >>> install()
    >>> from tvm import te  # doctest: +SKIP
    """
    there = sys.modules.get("tvm")
    if there is not None and there is not tvm_compat:
        raise Error(f"tvm is imported already, from {there.__file__}")
    sys.modules["tvm"] = tvm_compat
    name_modules(tvm_compat, "tvm")
