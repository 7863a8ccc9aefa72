"""Shared libraries and modules of WebAssembly, by the linker of the system or of a wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from teloom.backend.machine import cpus
from teloom.errors import Error

DRIVERS = ("cc", "gcc", "clang")
"""Compilers that call a linker."""

LINKERS = ("ld.lld", "ld")
"""Linkers that are called without one."""


def linker(architecture: str) -> list[str]:
    """The command that links a shared library, without its files.

    `CC` names the compiler to use; for another machine the GNU name of one is looked for. Raises
    `teloom.Error` where there is none.
    """
    drivers = DRIVERS
    if architecture != cpus.host().architecture:
        drivers = (f"{architecture}-linux-gnu-gcc",)
    elif own := os.environ.get("CC"):
        drivers = (own, *DRIVERS)
    for name in drivers:
        if found := shutil.which(name):
            return [found, "-shared"]
    for name in LINKERS[: 1 if architecture != cpus.host().architecture else None]:
        if found := shutil.which(name):
            return [found, "-shared"]
    looked = ", ".join((*drivers, *LINKERS))
    raise Error(
        f"no linker for a shared library of {architecture}: none of {looked} is there; install one "
        "(such as Debian's package gcc), name it by CC, or export a .o or .a, which needs none"
    )


def shared(data: bytes, architecture: str) -> bytes:
    """The shared library of an object."""
    return _linked(linker(architecture), [data], ["-lm"])


MODULE_LINKERS = ("wasm-ld", *(f"wasm-ld-{version}" for version in range(23, 13, -1)))
"""LLVM's linker for WebAssembly, as it is called by itself, and as Debian calls its versions."""


def module_linker() -> list[str]:
    """The command that links a module of WebAssembly, without its files.

    `WASM_LD` names it; else it is LLVM's, or that of Zig, which is a wheel, too. Raises
    `teloom.Error` where there is none.
    """
    own = os.environ.get("WASM_LD")
    for name in (own, *MODULE_LINKERS) if own else MODULE_LINKERS:
        if found := shutil.which(name):
            return [found]
    if found := shutil.which("zig"):
        return [found, "wasm-ld"]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise Error(
        "no linker for a module of WebAssembly: neither wasm-ld nor zig is there; install one "
        "(such as Debian's package lld or the wheel ziglang), name it by WASM_LD, or export a .o "
        "or .a, which needs none"
    )


def wasm_module(objects: Sequence[bytes], exported: Sequence[str]) -> bytes:
    """The module of WebAssembly of objects, with these symbols, and its memory, for callers."""
    asked = ["--no-entry", "--stack-first", "--fatal-warnings"]
    return _linked(module_linker(), objects, [*asked, *(f"--export={one}" for one in exported)])


def _linked(command: Sequence[str], objects: Sequence[bytes], options: Sequence[str]) -> bytes:
    """The file that a linker makes of objects."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "library")
        files = [Path(folder, f"library.{number}.o") for number in range(len(objects))]
        for file, data in zip(files, objects, strict=True):
            file.write_bytes(data)
        parts = [*command, "-o", str(made), *map(str, files), *options]
        done = subprocess.run(parts, capture_output=True, text=True)
        if done.returncode or not made.exists():
            first = next(iter(done.stderr.strip().splitlines()), f"status {done.returncode}")
            raise Error(f"{Path(command[0]).name} could not link the library: {first}")
        return made.read_bytes()
