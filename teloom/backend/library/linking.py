"""Shared libraries from objects, by the linker of the system or of a wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
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


def shared(data: bytes, architecture: str, libraries: Sequence[str] = ("m",)) -> bytes:
    """The shared library of an object."""
    command = linker(architecture)
    with tempfile.TemporaryDirectory() as folder:
        object_file, made = Path(folder, "library.o"), Path(folder, "library.so")
        object_file.write_bytes(data)
        parts = [*command, "-o", str(made), str(object_file), *(f"-l{one}" for one in libraries)]
        done = subprocess.run(parts, capture_output=True, text=True)
        if done.returncode or not made.exists():
            first = next(iter(done.stderr.strip().splitlines()), f"status {done.returncode}")
            raise Error(f"{Path(command[0]).name} could not link the library: {first}")
        return made.read_bytes()
