"""Checks a file before it is loaded: it has to be a whole shared library for this machine.

A truncated one would end the process that loads it.
"""

from __future__ import annotations

import sys

from teloom.backend.machine import elf
from teloom.errors import Error

_WASM = b"\0asm"

_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 3: "i386", 40: "arm"}


def check(file: str, data: bytes, architecture: str) -> None:
    """Raises `teloom.Error` for what cannot be loaded here; other systems' files are not read."""
    if sys.platform != "linux":
        return
    if data.startswith(_WASM):
        raise Error(f"{file} is for wasm32, which an engine of WebAssembly runs, such as node")
    if not data.startswith(elf.MAGIC):
        raise Error(f"{file} is no shared library: it does not begin as an ELF file does")
    header = elf.header(data)
    if header is None:
        raise Error(f"{file} is damaged, or for a machine of 32 bits or of another byte order")
    name = _MACHINES.get(header.machine, f"machine {header.machine}")
    if name != architecture:
        raise Error(f"{file} is for {name}, and this machine is {architecture}")
    if header.end > len(data):
        raise Error(f"{file} is damaged: it has {len(data)} bytes, and says that there are more")
    if header.kind != elf.SHARED:
        raise Error(f"{file} is an object, and no shared library; link it, or export a .so")
