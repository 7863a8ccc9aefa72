"""What is seen of a file before it is loaded: that it is a whole ELF library for this machine.

Source: System V ABI, chapter 4, object files. A truncated file would end the process that loads it.
"""

from __future__ import annotations

import struct
import sys

from teloom.errors import Error

_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 3: "i386", 40: "arm"}
_SHARED = 3


def check(file: str, data: bytes, architecture: str) -> None:
    """Raises `teloom.Error` for what cannot be loaded here; other systems' files are not read."""
    if sys.platform != "linux":
        return
    if not data.startswith(b"\x7fELF"):
        raise Error(f"{file} is no shared library: it does not begin as an ELF file does")
    if len(data) < 64 or data[4:6] != b"\x02\x01":
        raise Error(f"{file} is damaged, or for a machine of 32 bits or of another byte order")
    kind, machine = struct.unpack_from("<HH", data, 16)
    (sections,) = struct.unpack_from("<Q", data, 40)
    section_bytes, count = struct.unpack_from("<HH", data, 58)
    name = _MACHINES.get(machine, f"machine {machine}")
    if name != architecture:
        raise Error(f"{file} is for {name}, and this machine is {architecture}")
    if sections + section_bytes * count > len(data):
        raise Error(f"{file} is damaged: it has {len(data)} bytes, and says that there are more")
    if kind != _SHARED:
        raise Error(f"{file} is an object, and no shared library; link it, or export a .so")
