"""Built-in functions that call a kernel: where the layouts are known, no Python runs.

The arrays of a call are checked in Python, with words for each mistake. What was checked is
remembered as a record, with which machine code compares the arrays of later calls. A
record is immutable, and their list is read under the interpreter's lock, so that calls in several
threads need no other. Where there is no such lock (free-threaded builds), or where objects or
arrays are not laid out as machine code reads them, all calls are checked in Python.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from teloom.analysis.signature import Signature
from teloom.backend.call import native_code as code
from teloom.backend.call import workspace
from teloom.backend.call.threads import Known
from teloom.backend.machine import jit
from teloom.errors import Error

LONG_CALL = 20e-6
"""A call that takes longer, in seconds, releases the interpreter's lock. That costs 40 ns, and up
to 5 ms where another thread takes the lock: what is shorter is not worth it."""

REMEMBERED_CALLS = 64
"""The number of known calls of a kernel: machine code looks at one after the other."""

ANY_BITS, LOW_BITS = -1, 2**32 - 1

WRITABLE = 0x400
"""NPY_ARRAY_WRITEABLE of NumPy's C API."""

METH_VARARGS, METH_NOARGS = 1, 4


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


class Prepared(NamedTuple):
    """A call that has been checked: its arguments in machine order, arrays by their addresses.

    `key` tells its layouts from others, and holds the dtypes. Per array, its elements take
    `reached` bytes.
    """

    key: tuple[object, ...]
    sizes: tuple[int, ...]
    arrays: Sequence[np.ndarray[Any, Any]]
    addresses: Sequence[int]
    reached: tuple[int, ...]


class KnownCalls:
    """The calls of a kernel that machine code makes by itself."""

    def __init__(
        self,
        signature: Signature,
        entry: int,
        allocates: bool,
        calls_others: bool,
        threads: Callable[[], Known] | None = None,
    ):
        """For code at address `entry`, which may need a workspace, and may call Python.

        `threads` says how many threads parallel loops use, if there are any.
        """
        self._threads_now = threads
        self._threads: Known | None = None
        # Threads of parallel loops may call Python: where one fails, or needs memory.
        calls_others = calls_others or threads is not None
        self.records: list[bytes] = []
        self._signature, self._entry = signature, entry
        self._allocates, self._calls_others = allocates, calls_others
        self._has_offsets = any(one.placement.has_offset for one in signature.arguments)
        self._changing = threading.Lock()
        self._once: dict[tuple[object, ...], float] = {}
        # The keys keep the dtypes alive whose addresses stand in the records.
        self._unlocked: dict[tuple[object, ...], bool] = {}

    def add(self, call: Prepared, values: Sequence[object], seconds: float) -> None:
        """Adds a call with these values that has been made for the second time.

        It took so long; the first time, code and data had to be loaded.
        """
        if self._has_offsets or (call.key in self._unlocked and self._is_valid()):
            return
        with self._changing:
            if not self._is_valid():
                self._clear()
            if len(self._unlocked) + len(self._once) >= REMEMBERED_CALLS:
                self._clear()
            before = self._once.pop(call.key, None)
            if before is None:
                self._once[call.key] = seconds
                return
            unlocked = self._calls_others or min(before, seconds) > LONG_CALL
            self._unlocked[call.key] = unlocked
            if all(type(value) in (int, np.ndarray) for value in values):
                self.records.append(self._record(call, unlocked))

    def _is_valid(self) -> bool:
        """Whether the records still have the number of threads that the environment says."""
        return self._threads is None or self._threads.is_valid

    def _clear(self) -> None:
        self._once.clear()
        self._unlocked.clear()
        self.records.clear()
        self._threads = None

    def threads(self) -> Known | None:
        """The record of how many threads a call may use."""
        if self._threads is None and self._threads_now is not None:
            self._threads = self._threads_now()
        return self._threads

    def bound(self, call: Prepared) -> bytes:
        """The words of a call with these very arrays."""
        unlocked = self._unlocked.get(call.key, True)
        return _bytes([*self._fields(unlocked), *self._words(call.sizes, call.addresses)])

    def _record(self, call: Prepared, unlocked: bool) -> bytes:
        arguments = self._signature.arguments
        return _bytes(
            [
                *self._fields(unlocked),
                *self._words(call.sizes, [0] * len(arguments)),
                *call.reached,
                *(n if one.output else 0 for n, one in zip(call.reached, arguments, strict=True)),
                *self._values(call),
            ]
        )

    def _fields(self, unlocked: bool) -> list[int]:
        """What `native_code.CALL_FIELDS` lists."""
        sizes, arrays = len(self._signature.sizes), len(self._signature.arguments)
        words, threads = sizes + arrays + self._allocates, self.threads()
        self._spread = _spread(words)  # stays as long as the records that have its address
        fields = {
            "entry": self._entry,
            "spread": self._spread.address(code.SPREAD),
            "unlocked": unlocked,
            "workspace": workspace.key() if self._allocates else 0,
            "threads": threads.address if threads is not None else 0,
            "values": len(self._signature.order),
            "sizes": sizes,
            "arrays": arrays,
            "first": len(code.CALL_FIELDS) + words + 2 * arrays,
        }
        return [fields[name] for name in code.CALL_FIELDS]

    def _words(self, sizes: Sequence[int], addresses: Sequence[int]) -> list[int]:
        """The arguments of the code; a thread puts its workspace behind them."""
        return [*sizes, *addresses, *[0] * self._allocates]

    def _values(self, call: Prepared) -> Iterator[int]:
        """What `native_code.VALUE_FIELDS` lists, and the tests, of each value."""
        sizes = len(self._signature.sizes)
        for position in self._signature.order:
            number = position - sizes
            if number < 0:
                rank, tests = 0, [(code.TYPE, ANY_BITS, id(int))]
                inside: list[tuple[int, int, int]] = []
            else:
                array = call.arrays[number]
                rank, tests = array.ndim, [*self._tests(number, array)]
                inside = [
                    (8 * axis, ANY_BITS, content)
                    for contents in (array.shape, array.strides)
                    for axis, content in enumerate(contents)
                ]
            words = [word for test in (*tests, *inside) for word in test]
            fields = {
                "length": len(code.VALUE_FIELDS) + len(words),
                "position": position,
                "tests": len(tests),
                "rank": rank,
            }
            yield from (fields[name] for name in code.VALUE_FIELDS)
            yield from words

    def _tests(self, number: int, array: np.ndarray[Any, Any]) -> Iterator[tuple[int, int, int]]:
        """The tests of an array's fields."""
        argument = self._signature.arguments[number]
        yield code.TYPE, ANY_BITS, id(np.ndarray)
        yield code.DTYPE, ANY_BITS, id(array.dtype)
        yield code.RANK, LOW_BITS, array.ndim
        yield code.DATA, max(array.itemsize, argument.placement.alignment) - 1, 0
        if argument.output:
            yield code.FLAGS, WRITABLE, WRITABLE


def _bytes(words: Sequence[int]) -> bytes:
    return bytes((ctypes.c_int64 * len(words))(*words))


def calling(kernel: Callable[..., None], calls: KnownCalls, fail: Callable[[int], None]) -> Any:
    """A function that makes known calls, and leaves others to `kernel`.

    `fail` raises the exception for a status of the code.
    """
    return _builtin(code.CALL, "call", METH_VARARGS, (calls.records, kernel, fail, None, calls))


def bound(
    run: Callable[[], None], calls: KnownCalls, call: Prepared, fail: Callable[[int], None]
) -> Any:
    """A function that makes one call; `run` does so in a thread that has no workspace yet."""
    items = (calls.bound(call), run, fail, None, calls, call, calls.threads())
    return _builtin(code.BOUND, "bound call", METH_NOARGS, items)


def _builtin(symbol: str, name: str, flags: int, items: tuple[object, ...]) -> Any:
    """A built-in function with `items` in `self`, which keeps alive what it needs."""
    library = _library()
    assert library is not None
    definition = _MethodDef(name.encode(), library.address(symbol), flags)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    # CPython reads the definition until it has dropped `self`.
    arguments = ctypes.py_object((*items, library, definition)), None
    return make(ctypes.byref(definition), *arguments)


def are_possible() -> bool:
    """Whether machine code can take calls in this process."""
    return _library() is not None


@cache
def _library() -> jit.Library | None:
    if not _reads_arrays():
        return None
    try:
        return jit.linked([code.CODE], (code.CALL, code.BOUND), jit.addresses(code.FUNCTIONS))
    except (AttributeError, Error):
        return None


@cache
def _spread(words: int) -> jit.Library:
    return jit.linked([code.spread(words)], (code.SPREAD,), {})


def _reads_arrays() -> bool:
    """Whether this interpreter has a lock, and arrays have the fields that the code reads.

    The fields are read from an array in which they all differ.
    """
    if sys.implementation.name != "cpython" or "free-threading" in sys.version:
        return False
    array = np.zeros((3, 5), "int16")[:, ::2]

    def word(offset: int, start: int = id(array)) -> int:
        return ctypes.c_int64.from_address(start + offset).value

    return (
        ctypes.sizeof(ctypes.c_void_p) == 8
        and word(code.TYPE) == id(np.ndarray)
        and word(code.DATA) == array.ctypes.data
        and word(code.RANK) & LOW_BITS == array.ndim
        and word(code.DTYPE) == id(array.dtype)
        and word(code.FLAGS) & LOW_BITS == array.flags.num  # pyright: ignore
        and [word(8 * axis, word(code.SHAPE)) for axis in range(2)] == [*array.shape]
        and [word(8 * axis, word(code.STRIDES)) for axis in range(2)] == [*array.strides]
    )
