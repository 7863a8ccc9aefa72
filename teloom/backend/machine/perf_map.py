"""The list of functions in memory that `perf` reads: `/tmp/perf-PID.map`.

Sources: Linux, tools/perf/Documentation/jit-interface.txt; System V ABI, chapter 4, symbol tables.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_SYMBOLS, _FUNCTION = 2, 2


class _Section(NamedTuple):
    kind: int
    start: int
    bytes: int
    link: int


class Symbol(NamedTuple):
    """A function of an object: its place in its section, in bytes."""

    name: str
    offset: int
    bytes: int
    section: int


def functions(code: bytes) -> Iterator[Symbol]:
    """The functions of an object file of ELF, 64 bits, least byte first; none of others."""
    if not code.startswith(b"\x7fELF\x02\x01"):
        return
    (table,) = struct.unpack_from("<Q", code, 40)
    entry_bytes, count = struct.unpack_from("<HH", code, 58)
    sections = [
        _Section(
            *struct.unpack_from("<I", code, at + 4), *struct.unpack_from("<QQI", code, at + 24)
        )
        for at in range(table, table + entry_bytes * count, entry_bytes)
    ]
    for symbols in (one for one in sections if one.kind == _SYMBOLS):
        names = sections[symbols.link].start
        for at in range(symbols.start, symbols.start + symbols.bytes, 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", code, at)
            if info & 0xF == _FUNCTION and size:
                end = code.index(b"\0", names + name)
                yield Symbol(code[names + name : end].decode(), value, size, section)


def add(code: bytes, known: str, address: Callable[[str], int]) -> None:
    """Lists the functions of an object that is linked; `known` is one whose address is known."""
    found = list(functions(code))
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
