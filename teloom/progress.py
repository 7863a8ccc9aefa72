"""How far a compilation is: on a terminal, from the third second on, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

PATIENCE = 2.0
"""The seconds in which nothing is shown."""

INTERVAL = 0.1
"""The least time between two pictures, in seconds."""

WIDTH = 30
"""The length of a full bar, in characters."""

_CLEAR = "\r\x1b[K"


class Progress:
    """A line on a terminal, which is gone at the end."""

    def __init__(self, out: TextIO):
        self._out = out
        self._next = time.monotonic() + PATIENCE
        self._is_shown = False

    def show(self, what: str, done: int, of: int) -> None:
        """Shows that `done` parts of a step are done, `of` all that it has."""
        now = time.monotonic()
        if now < self._next:
            return
        bar = "#" * (WIDTH * done // max(1, of))
        self._out.write(f"{_CLEAR}{what:<16} [{bar:<{WIDTH}}] {done} of {of}")
        self._out.flush()
        self._next, self._is_shown = now + INTERVAL, True

    def end(self) -> None:
        """Takes the line away."""
        if self._is_shown:
            self._out.write(_CLEAR)
            self._out.flush()


_shown: ContextVar[Progress | None] = ContextVar("_shown", default=None)


@contextmanager
def progress_shown() -> Iterator[None]:
    """Inside, `reached` shows its parts, if standard error is a terminal."""
    if _shown.get() is not None or not sys.stderr.isatty():
        yield
        return
    progress = Progress(sys.stderr)
    token = _shown.set(progress)
    try:
        yield
    finally:
        _shown.reset(token)
        progress.end()


def reached(what: str, done: int, of: int) -> None:
    """Says that a step has done so many of its parts: passes, stages or commands."""
    if (progress := _shown.get()) is not None:
        progress.show(what, done, of)
