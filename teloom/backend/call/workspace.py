"""The workspace: memory for temporary buffers, a stack of blocks per thread.

A function takes its buffers from the workspace of the calling thread, and gives each back. The
blocks stay allocated: the next call whose buffers are not larger reuses them and allocates
nothing. A function that is called while another one runs in the same thread takes the blocks
above those of the first.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from teloom.backend.call import callbacks
from teloom.backend.machine import openmp
from teloom.dialects.target import ANY_CPU
from teloom.errors import Error, OutOfMemoryError

LIMIT = "TELOOM_WORKSPACE_LIMIT"
"""The environment variable for the limit of a workspace, in bytes; by default, all memory."""

FIRST_SLOTS = 16


class _Slot(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("used", ctypes.c_int64)]


class _Record(ctypes.Structure):
    """What machine code knows of a workspace; a parallel loop reads what stands behind `grow`."""

    _fields_ = [
        ("used", ctypes.c_int64),
        ("slots", ctypes.c_void_p),
        ("grow", ctypes.c_void_p),
        ("threads", ctypes.c_int64),
        ("of_threads", ctypes.c_void_p),
        ("openmp", ctypes.c_void_p),
        ("fail", ctypes.c_void_p),
        ("most", ctypes.c_int64),
        ("looks", ctypes.c_int64),
        ("looked", ctypes.c_int64),
        ("interrupt", ctypes.c_void_p),
    ]


_at: WeakValueDictionary[int, _Workspace] = WeakValueDictionary()
"""The workspaces by the addresses of their records."""


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
def _grow(address: int, alignment: int, size: int) -> int:
    workspace = _at[address]
    try:
        workspace.grow(alignment, size)
    except BaseException as error:
        # No exception can pass through machine code; the caller raises `failure`.
        workspace.failure = error
        return 0
    return 1


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_bool)
def _fail(caller: int, thread: int, is_first: bool) -> None:
    """After a failure in a thread of a parallel loop: the caller gets the reason of the first."""
    own, failed = _at[caller], _at[thread]
    failure, failed.failure = failed.failure, None
    raised = callbacks.take_error()
    if is_first:
        own.failure, own.raised = failure, raised


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.py_object)
def _interrupt(caller: int, raised: BaseException) -> None:
    """After the handler of a signal has raised, in a parallel loop."""
    _at[caller].failure = raised


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


class _Workspace:
    """The workspace of a thread: slots that machine code uses, each with a block or empty.

    There always is an empty slot above those in use: machine code reads the first one behind
    them without a bounds check, and calls `grow` if its block does not fit. The thread of a call
    also has the workspaces of the threads that run its parallel loops; the first is its own.
    """

    def __init__(self, looks: bool = False) -> None:
        """`looks` says whether parallel loops look for signals: those of the main thread."""
        self.failure: BaseException | None = None
        self.raised: BaseException | None = None
        self.record = _Record(
            grow=ctypes.cast(_grow, ctypes.c_void_p),
            threads=1,
            most=1,
            fail=ctypes.cast(_fail, ctypes.c_void_p),
            looks=looks,
            interrupt=ctypes.cast(_interrupt, ctypes.c_void_p),
        )
        self.address = ctypes.addressof(self.record)
        _at[self.address] = self
        self._openmp: openmp.OpenMP | None = None
        self._others: list[_Workspace] = []
        self._addresses = (ctypes.c_void_p * 1)(self.address)
        self._former: list[object] = []  # threads may read it while a callback asks for more
        self.record.of_threads = ctypes.addressof(self._addresses)
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
        """The size of all blocks, in bytes, also those of its parallel loops' threads."""
        own = sum(block.nbytes for block in self._blocks if block is not None)
        return own + sum(other.held() for other in self._others)

    def use_threads(self, count: int) -> None:
        """Lets parallel loops run on `count` threads."""
        while len(self._others) < count - 1:
            self._others.append(_Workspace())
        if len(self._addresses) < count:
            addresses = (self.address, *(other.address for other in self._others))
            self._former.append(self._addresses)
            self._addresses = (ctypes.c_void_p * len(addresses))(*addresses)
            self.record.of_threads = ctypes.addressof(self._addresses)
            self._openmp = openmp.runtime()
            assert self._openmp is not None
            self.record.openmp = ctypes.addressof(self._openmp)
            self.record.most = count
        self.record.threads = count

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
        for other in self._others:
            other.clear_unused()

    def _clear(self, position: int) -> None:
        self._slots[position] = _Slot()
        self._blocks[position] = None


class _OfThread(threading.local):
    """The workspace of each thread that calls kernels."""

    def __init__(self) -> None:
        self._end = _End()
        self.workspace = _Workspace(threading.current_thread() is threading.main_thread())


_mine = _OfThread()


@atexit.register
def _keep_all() -> None:
    """Keeps all workspaces for good: daemon threads may use theirs until the process is gone."""
    for workspace in _at.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(workspace))


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
    workspace = _mine.workspace
    _tell(workspace.address)
    used = workspace.record.used
    if status := entry(*arguments, workspace.address):
        workspace.record.used = used
    return status


def run_on(threads: Callable[[], int], entry: Callable[..., int], *arguments: int) -> int:
    """As `run`, with a number of threads for parallel loops."""
    workspace = _mine.workspace
    before = workspace.record.threads
    workspace.use_threads(threads())
    try:
        return run(entry, *arguments)
    finally:
        workspace.record.threads = before


def failure(name: str) -> BaseException:
    """The exception for function `name`, the last one that got no memory, or a signal."""
    workspace = _mine.workspace
    error, workspace.failure = workspace.failure, None
    assert error is not None
    return OutOfMemoryError(f"{name} {error}") if isinstance(error, OutOfMemoryError) else error


def take_raised() -> BaseException | None:
    """What a callback of the last call has raised, also in a thread of a parallel loop."""
    workspace = _mine.workspace
    error, workspace.raised = workspace.raised, None
    return error or callbacks.take_error()


def workspace_bytes() -> int:
    """The size of this thread's workspace, in bytes."""
    return _mine.workspace.held()


def release_workspace() -> None:
    """Frees the memory that this thread keeps for temporary buffers.

    Later calls allocate again. Blocks of running calls stay.

    >>> release_workspace()
    >>> workspace_bytes()
    0
    """
    _mine.workspace.clear_unused()
