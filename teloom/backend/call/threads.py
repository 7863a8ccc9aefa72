"""How many threads a parallel loop may use."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

from teloom.backend.call.native_code import THREADS_FIELDS
from teloom.backend.machine import cpus, openmp
from teloom.errors import Error

MOST_THREADS = 1024
"""A runtime ends the process if it cannot make as many threads as it was asked for."""

VARIABLES = ("TELOOM_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables for the number of threads; the first that is set counts."""

_asked: ContextVar[int | None] = ContextVar("num_threads", default=None)


def checked_threads(count: object, name: str = "num_threads") -> int:
    """`count` as a number of threads; raises `teloom.Error` unless it is from 1 to 1024."""
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_THREADS:
        raise Error(f"{name} is {count!r}; it must be an integer from 1 to {MOST_THREADS}")
    return count


def num_threads(count: int) -> AbstractContextManager[None]:
    """Within it, calls of this Python thread run parallel loops on `count` threads.

    It counts more than what `build` was told, and than the environment. There may be more threads
    than cores. Raises `teloom.Error` unless the number is from 1 to 1024.

    >>> with num_threads(1):
    ...     pass  # no parallel loop of a call in here starts a thread
    """
    return _on_threads(checked_threads(count))


@contextmanager
def _on_threads(count: int) -> Iterator[None]:
    token = _asked.set(count)
    try:
        yield
    finally:
        _asked.reset(token)


def _of_environment() -> int | None:
    """What the environment says; raises `teloom.Error` for anything but a number of threads."""
    for name in VARIABLES:
        text = os.environ.get(name, "").partition(",")[0].strip()  # OpenMP's may be "4,2"
        if text:
            return checked_threads(int(text) if text.isdecimal() else os.environ[name], name)
    return None


def threads_of_call(built_for: int | None) -> int:
    """How many threads a call in this Python thread may use, of a program built for as many.

    As many as are `asked`, but 1 without a runtime, and in a forked process.
    """
    count = asked(built_for)
    if count == 1 or openmp.is_forked() or openmp.runtime() is None:
        return 1
    return count


def asked(built_for: int | None) -> int:
    """How many threads the user asks for.

    What `num_threads` says; else `built_for`; else the environment; else one per CPU.
    """
    return _asked.get() or _unless_asked(built_for)


def _unless_asked(built_for: int | None) -> int:
    return built_for or _of_environment() or min(cpus.usable(), MOST_THREADS)


class Known:
    """How many threads calls may use, as machine code reads it: `native_code.THREADS_FIELDS`.

    It is valid as long as the environment says the same.
    """

    def __init__(self, built_for: int | None):
        self._watched = () if built_for else VARIABLES
        self._said = self._says()
        end = len(self._watched)
        names = (ctypes.c_char_p * (end + 1))(*map(os.fsencode, self._watched))
        texts = (ctypes.c_char_p * (end + 1))(*self._said)
        fields = {
            "asked": id(_asked),
            "number": self._number(built_for),
            "forked": ctypes.addressof(openmp.FORKED),
            "watched": ctypes.addressof(names),
            "texts": ctypes.addressof(texts),
        }
        self._kept = names, texts
        self._words = (ctypes.c_int64 * len(fields))(*(fields[name] for name in THREADS_FIELDS))
        self.address = ctypes.addressof(self._words)

    @staticmethod
    def _number(built_for: int | None) -> int:
        """The number unless another is asked for; 0 if the environment is wrong, then."""
        try:
            return _unless_asked(built_for)
        except Error:
            return 0

    def _says(self) -> list[bytes | None]:
        found = (os.environ.get(name) for name in self._watched)
        return [None if text is None else os.fsencode(text) for text in found]

    @property
    def is_valid(self) -> bool:
        """Whether the environment says the same as when this was made."""
        return self._said == self._says()
