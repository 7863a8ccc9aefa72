"""The list of functions in memory that `perf` reads: `/tmp/perf-PID.map`.

Source: Linux, tools/perf/Documentation/jit-interface.txt.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from teloom.backend.machine import elf


def add(code: bytes, known: str, address: Callable[[str], int]) -> None:
    """Lists the functions of an object that is linked; `known` is one whose address is known."""
    found = list(elf.functions(code))
    at = next((one for one in found if one.name == known), None)
    if at is None:
        return
    base = address(known) - at.offset
    lines = [
        f"{base + one.offset:x} {one.bytes:x} {one.name}\n"
        for one in found
        if one.section == at.section
    ]
    with Path("/tmp", f"perf-{os.getpid()}.map").open("a") as file:
        file.writelines(lines)
