"""Archives of one object, as `ar` makes them (System V, with an index of symbols for linkers)."""

from __future__ import annotations

from collections.abc import Sequence

_MAGIC = b"!<arch>\n"


def _member(name: str, data: bytes) -> bytes:
    """Without a date, an owner or a name of this machine: the same object gives the same file."""
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{0o644:<8o}{len(data):<10}`\n".encode("ascii")
    return head + data + b"\n" * (len(data) % 2)


def archive(name: str, data: bytes, symbols: Sequence[str]) -> bytes:
    """An archive of an object `name`, which defines these symbols."""
    texts = b"".join(symbol.encode() + b"\0" for symbol in symbols)
    words = 4 + 4 * len(symbols)
    index_bytes = words + len(texts)
    at = len(_MAGIC) + 60 + index_bytes + index_bytes % 2
    long = len(name) > 15
    names = _member("//", f"{name}/\n".encode()) if long else b""
    at += len(names)
    numbers = len(symbols).to_bytes(4, "big") + at.to_bytes(4, "big") * len(symbols)
    index = _member("/", numbers + texts)
    return _MAGIC + index + names + _member("/0" if long else f"{name}/", data)
