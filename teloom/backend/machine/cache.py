"""Object code kept on disk, so that a program is compiled once per machine."""

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from teloom.switches import caches

LIMIT = 256 * 2**20
"""The size of the cache, in bytes, above which the least recently used entries are dropped.

It may be larger for a while: see `STORES_PER_LOOK`.
"""

STORES_PER_LOOK = 64
"""One store in so many measures the cache, which takes a tenth of a second for thousands."""

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size


def directory() -> Path | None:
    """Where entries are kept; None where the user has turned the cache off.

    `TELOOM_CACHE=0` turns it off; `TELOOM_CACHE_DIR` names another place than
    `teloom` in the user's cache directory (XDG Base Directory Specification 0.8).
    """
    if not caches():
        return None
    if given := os.environ.get("TELOOM_CACHE_DIR"):
        return Path(given)
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        return None
    return Path(base) / "teloom"


def key_of(*parts: str) -> str:
    """The name of the entry for what `parts` say: their digest."""
    digest = _DIGEST()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def load(key: str) -> bytes | None:
    """The object code of an entry, or None where there is none or it is damaged."""
    place = directory()
    if place is None:
        return None
    entry = place / key
    try:
        data = _contents(entry)
    except OSError:
        return None
    digest, code = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
    if _digest(key, code) != digest:
        return None
    with suppress(OSError):  # A cache that cannot be written is still worth reading.
        os.utime(entry)
    return code


def _contents(entry: Path) -> bytes:
    """The contents of a regular file. Raises `OSError` for any other, which may have no end."""
    # A FIFO that nobody writes would block.
    with os.fdopen(os.open(entry, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LIMIT:
            raise OSError(f"{entry} is no entry")
        return file.read()


def _digest(key: str, code: bytes) -> bytes:
    """A digest that only object code stored under `key` has."""
    return _DIGEST(key.encode() + code).digest()


def store(key: str, code: bytes) -> None:
    """Keep object code under `key`, if the directory can be written.

    Another process sees the whole entry or none: it is written aside, then renamed.
    """
    place = directory()
    if place is None:
        return
    digest = _digest(key, code)
    try:
        place.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=place, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(digest + code)
            os.replace(aside, place / key)
        except OSError:
            os.unlink(aside)
            raise
        if digest[0] % STORES_PER_LOOK == 0:
            _prune(place)
    except OSError:
        return


def _prune(place: Path) -> None:
    """Drop the least recently used entries until the rest fits into `LIMIT`."""
    entries: list[tuple[float, int, str]] = []
    with os.scandir(place) as found:
        for entry in found:
            # Another process may drop entries, too; what is no regular file is not ours.
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    entries.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= LIMIT:
            return
        with suppress(OSError):
            os.unlink(path)
        total -= size
