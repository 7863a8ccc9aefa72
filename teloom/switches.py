"""What the environment asks for, the same in Python and in all tools.

TELOOM_DEBUG prints on standard error: 1 how long each pass and each part of LLVM's work took, 2
also the IR after each pass that changed it, 3 also the LLVM IR, 4 also the assembly. TELOOM_PRINT
prints, for each pass, `before` and `after` its IR, `changed` that where it is another, `diff` the
lines that are; several with commas. TELOOM_VERIFY=1 verifies the IR after every pass.
TELOOM_REPRODUCER is a folder for a file that shows a pass that fails. TELOOM_SANITIZE=memory
checks every access of compiled code. Where nothing else is asked, TELOOM_NUM_THREADS says on how
many threads a parallel loop runs, and TELOOM_CPU names the CPU that code is made for. With
TELOOM_DEBUG_INFO=1 machine code has the lines of the program, and is listed for `perf`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from teloom.errors import Error, did_you_mean

PRINTS = ("before", "after", "changed", "diff")


def debug_level() -> int:
    """The number in TELOOM_DEBUG, 0 without it; raises `teloom.Error` unless it is 0..4."""
    text = os.environ.get("TELOOM_DEBUG", "0")
    if text not in ("0", "1", "2", "3", "4"):
        raise Error(f"TELOOM_DEBUG is {text!r}; it must be 0, 1, 2, 3 or 4")
    return int(text)


def prints() -> set[str]:
    """What is printed of each pass; raises `teloom.Error` for words that mean nothing."""
    words = {word for word in os.environ.get("TELOOM_PRINT", "").split(",") if word}
    for word in sorted(words.difference(PRINTS)):
        legal = ", ".join(PRINTS)
        hint = did_you_mean(word, PRINTS)
        raise Error(f"TELOOM_PRINT has {word!r}; it may have {legal}, with commas{hint}")
    return words | {"changed"} if debug_level() >= 2 else words


def verifies() -> bool:
    """Whether IR is verified after every pass; raises `teloom.Error` unless it is 0 or 1."""
    return _is_on("TELOOM_VERIFY")


def debug_info() -> bool:
    """Whether machine code says which lines of the program it comes from.

    Raises `teloom.Error` unless TELOOM_DEBUG_INFO is 0 or 1.
    """
    return _is_on("TELOOM_DEBUG_INFO")


def _is_on(variable: str, default: str = "0") -> bool:
    text = os.environ.get(variable) or default
    if text not in ("0", "1"):
        raise Error(f"{variable} is {text!r}; it must be 0 or 1")
    return text == "1"


def caches() -> bool:
    """Whether code and programs are kept on disk; raises `teloom.Error` unless it is 0 or 1."""
    return _is_on("TELOOM_CACHE", default="1")


def reproducer_folder() -> Path | None:
    """Where a file is left that shows a pass that fails."""
    folder = os.environ.get("TELOOM_REPRODUCER")
    return Path(folder) if folder else None


def sanitizer(asked: str | None) -> str | None:
    """The checks when code runs: "memory" or None.

    Where nothing is asked, what TELOOM_SANITIZE says. Raises `teloom.Error` for anything else.
    """
    name = os.environ.get("TELOOM_SANITIZE") if asked is None else asked
    if name not in ("memory", "", None):
        raise Error(f"no sanitizer {name!r}; sanitizers: memory")
    return name or None


def cpu() -> str | None:
    """The name of the CPU that code is made for; None for this machine's."""
    return os.environ.get("TELOOM_CPU") or None


def show(text: str) -> None:
    """Prints what was asked for."""
    print(text, file=sys.stderr)


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Shows how long what runs inside took, if TELOOM_DEBUG asks for it."""
    start = time.perf_counter()
    yield
    if debug_level() >= 1:
        show(f"{name}: {(time.perf_counter() - start) * 1e3:.1f} ms")
