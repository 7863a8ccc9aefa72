"""Guarded copies of a call's arrays: known bytes around them reveal writes out of bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from teloom.dialects.target import ANY_CPU
from teloom.errors import WrongAccessError

GUARD = 256
"""The number of known bytes on either side: several vectors."""

Array = np.ndarray[Any, Any]


class CallArray(NamedTuple):
    """An array of a call, named `name`.

    Its memory starts at `address`, a multiple of `alignment` bytes. Its elements take `reached`
    bytes, from `before` bytes behind that address on.
    """

    name: str
    array: Array
    address: int
    before: int
    reached: int
    alignment: int
    output: bool


@dataclass(frozen=True)
class _GuardedCopy:
    given: CallArray
    memory: Array
    known: Array

    @staticmethod
    def of(given: CallArray) -> _GuardedCopy:
        size = given.before + given.reached + 2 * GUARD
        # The copy has the same address as its array, modulo the alignment.
        boundary = max(ANY_CPU.alignment, given.alignment)
        room = np.empty(size + boundary, "uint8")
        start = (given.address - GUARD - room.ctypes.data) % boundary
        copy = _GuardedCopy(given, room[start : start + size], _known_bytes(size))
        copy.elements(copy.known)[...] = given.array
        copy.memory[...] = copy.known
        return copy

    @property
    def address(self) -> int:
        return self.memory.ctypes.data + GUARD

    def elements(self, memory: Array) -> Array:
        """A view of the array's elements in memory with the layout of this copy."""
        array = self.given.array
        first = GUARD + self.given.before
        return np.ndarray(array.shape, array.dtype, memory.data, first, array.strides)

    def give_back(self) -> None:
        """Copies an output back to the caller's array."""
        if not self.given.output:
            return
        written = self.elements(self.memory)
        self.given.array[...] = written
        self.elements(self.known)[...] = written

    def check(self) -> None:
        """Raises `WrongAccessError` if any other byte has changed."""
        changed = np.flatnonzero(self.memory != self.known)
        if not changed.size:
            return
        first, last = (int(changed[end]) - GUARD for end in (0, -1))
        size = self.given.before + self.given.reached
        if last >= size:
            place = f"{last - size + 1} bytes behind its end"
        elif first < 0:
            place = f"{-first} bytes in front of its start"
        elif self.given.output:
            place = f"between its elements, at byte {first}"
        else:
            place = f"at byte {first}, though it is only read"
        raise WrongAccessError(f"{self.given.name} is written {place}")


def _known_bytes(count: int) -> Array:
    return (np.arange(count) * 89 + 57).astype("uint8")


@contextmanager
def guarded(given: Sequence[CallArray]) -> Iterator[tuple[list[Array], list[int]]]:
    """Guarded copies of the arrays and their addresses, for code that runs in the `with` block.

    Afterwards outputs are copied back. Raises `WrongAccessError` if the code also wrote outside
    of an array, between its elements, or to an input.
    """
    copies = [_GuardedCopy.of(one) for one in given]
    try:
        yield [copy.elements(copy.memory) for copy in copies], [copy.address for copy in copies]
    finally:
        for copy in copies:
            copy.give_back()
    for copy in copies:
        copy.check()
