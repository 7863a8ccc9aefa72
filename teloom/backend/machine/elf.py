"""Readers of object files and libraries in ELF.

Source: System V ABI, chapter 4: the header, sections, symbol tables.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

MAGIC = b"\x7fELF"
SHARED = 3
"""The kind of a file that is a shared library."""

_CLASS_AND_ORDER = b"\x02\x01"
"""64 bits, the least byte first."""

_HEADER_BYTES = 64
_SYMBOL_TABLE, _FUNCTION = 2, 2


class Header(NamedTuple):
    """The header of a file: its kind, its machine, and where its sections are listed."""

    kind: int
    machine: int
    sections: int
    section_bytes: int
    section_count: int

    @property
    def end(self) -> int:
        """Where the list of sections ends, which is at the end of the file as linkers write it."""
        return self.sections + self.section_bytes * self.section_count


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


def header(code: bytes) -> Header | None:
    """The header of a file for 64 bits, least byte first; None for another one."""
    if not code.startswith(MAGIC + _CLASS_AND_ORDER) or len(code) < _HEADER_BYTES:
        return None
    kind, machine = struct.unpack_from("<HH", code, 16)
    (sections,) = struct.unpack_from("<Q", code, 40)
    return Header(kind, machine, sections, *struct.unpack_from("<HH", code, 58))


def functions(code: bytes) -> Iterator[Symbol]:
    """The functions of an object file for 64 bits, least byte first; none of others."""
    if (found := header(code)) is None:
        return
    sections = [
        _Section(
            *struct.unpack_from("<I", code, at + 4), *struct.unpack_from("<QQI", code, at + 24)
        )
        for at in range(found.sections, found.end, found.section_bytes)
    ]
    for symbols in (one for one in sections if one.kind == _SYMBOL_TABLE):
        names = sections[symbols.link].start
        for at in range(symbols.start, symbols.start + symbols.bytes, 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", code, at)
            if info & 0xF == _FUNCTION and size:
                end = code.index(b"\0", names + name)
                yield Symbol(code[names + name : end].decode(), value, size, section)
