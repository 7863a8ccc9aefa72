"""The workspace: memory for temporary buffers, a stack of blocks per thread.

A function takes its buffers from the workspace of the calling thread, and gives each back. The
blocks stay allocated: the next call whose buffers are not larger reuses them and allocates
nothing. A function that is called while another one runs in the same thread takes the blocks
above those of the first.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from teloom.dialects.target import ANY_CPU
from teloom.errors import Error, OutOfMemoryError

LIMIT = "TELOOM_WORKSPACE_LIMIT"
"""The environment variable for the limit of a workspace, in bytes; by default, all memory."""

FIRST_SLOTS = 16


class _Slot(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("used", ctypes.c_int64)]


class _Record(ctypes.Structure):
    _fields_ = [("used", ctypes.c_int64), ("slots", ctypes.c_void_p), ("grow", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)
def _grow(alignment: int, size: int) -> int:
    try:
        _workspace.grow(alignment, size)
    except BaseException as error:
        # No exception can pass through machine code; the caller raises `failure`.
        _workspace.failure = error
        return 0
    return 1


@cache
def key() -> int:
    """The address of the key by which machine code asks for the workspace of its thread.

    A value that CPython keeps per thread (`PyThread_tss_get`): null where there is no workspace.
    """
    allocate, create = ctypes.pythonapi.PyThread_tss_alloc, ctypes.pythonapi.PyThread_tss_create
    allocate.restype = ctypes.c_void_p
    address = allocate()
    if not address or create(ctypes.c_void_p(address)):
        raise MemoryError("no thread-specific storage")
    return address


def _tell(workspace: int) -> None:
    """Makes `workspace` the one that machine code finds in the calling thread."""
    ctypes.pythonapi.PyThread_tss_set(ctypes.c_void_p(key()), ctypes.c_void_p(workspace))


class _End:
    """Dies with the workspace of its thread, which machine code must not find any longer."""

    def __init__(self) -> None:
        # At the end of the interpreter no names are left that `__del__` could look up.
        self._forget = partial(ctypes.pythonapi.PyThread_tss_set, ctypes.c_void_p(key()), None)

    def __del__(self) -> None:
        self._forget()


class _Workspace(threading.local):
    """The workspace of a thread: slots that machine code uses, each with a block or empty.

    There always is an empty slot above those in use: machine code reads the first one behind
    them without a bounds check, and calls `grow` if its block does not fit.
    """

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self.record = _Record(0, None, ctypes.cast(_grow, ctypes.c_void_p))
        self.address = ctypes.addressof(self.record)
        self._end = _End()
        self._slots = (_Slot * 0)()
        self._blocks: list[np.ndarray[Any, Any] | None] = []
        self._add_slots(FIRST_SLOTS)

    def _add_slots(self, count: int) -> None:
        slots = (_Slot * (len(self._slots) + count))()
        ctypes.memmove(slots, self._slots, ctypes.sizeof(self._slots))
        self._slots = slots
        self._blocks += [None] * count
        self.record.slots = ctypes.addressof(slots)

    def held(self) -> int:
        """The size of all blocks, in bytes."""
        return sum(block.nbytes for block in self._blocks if block is not None)

    def grow(self, alignment: int, size: int) -> None:
        """Gives the first slot that is not in use a block of `size` bytes."""
        position = self.record.used
        if position + 1 == len(self._slots):
            self._add_slots(len(self._slots))
        self._clear(position)
        try:
            self._fill(position, alignment, _rounded(size))
        except OutOfMemoryError:
            self.clear_unused()
            self._fill(position, alignment, size)

    def _fill(self, position: int, alignment: int, size: int) -> None:
        block = self._block(size + alignment)
        start = block.ctypes.data
        self._slots[position] = _Slot(start + -start % alignment, size, False)
        self._blocks[position] = block

    def _block(self, size: int) -> np.ndarray[Any, Any]:
        needed, limit = self.held() + size, _limit()
        if needed > limit:
            raise OutOfMemoryError(
                f"needs {needed} bytes or more for temporary buffers, above the limit of "
                f"{limit}; {LIMIT} sets another one"
            )
        try:
            return np.empty(size, np.uint8)
        except MemoryError:
            raise OutOfMemoryError(
                f"needs {needed} bytes or more for temporary buffers, and the system has no more"
            ) from None

    def clear_unused(self) -> None:
        """Frees the blocks that no running call uses."""
        for position in range(self.record.used, len(self._slots)):
            self._clear(position)

    def _clear(self, position: int) -> None:
        self._slots[position] = _Slot()
        self._blocks[position] = None


_workspace = _Workspace()


def _rounded(size: int) -> int:
    """Rounds up to one of eight sizes per power of two: growing buffers reallocate rarely."""
    unit = max(ANY_CPU.line_bytes, 2 ** (size.bit_length() - 4))
    return -(-size // unit) * unit


def _limit() -> int:
    text = os.environ.get(LIMIT)
    if text is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if not text.isdecimal():
        raise Error(f"{LIMIT} is {text!r}; it must be a number of bytes")
    return int(text)


def run(entry: Callable[..., int], *arguments: int) -> int:
    """Calls a function with its arguments and a workspace; returns its status.

    A function that fails has not given back all of its blocks: they become free here. From now
    on, machine code that is called in this thread finds the workspace, too.
    """
    _tell(_workspace.address)
    record = _workspace.record
    used = record.used
    if status := entry(*arguments, _workspace.address):
        record.used = used
    return status


def failure(name: str) -> BaseException:
    """The exception for function `name`, the last one that got no memory."""
    error = _workspace.failure
    _workspace.failure = None
    assert error is not None
    return OutOfMemoryError(f"{name} {error}") if isinstance(error, OutOfMemoryError) else error


def workspace_bytes() -> int:
    """The size of this thread's workspace, in bytes."""
    return _workspace.held()


def release_workspace() -> None:
    """Frees the memory that this thread keeps for temporary buffers.

    Later calls allocate again. Blocks of running calls stay.

    >>> release_workspace()
    >>> workspace_bytes()
    0
    """
    _workspace.clear_unused()
