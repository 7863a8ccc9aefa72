"""Tiles of AMX, the matrix registers of x86-64: a process has to ask its system for them.

Source: Linux, Documentation/arch/x86/xstate.rst.
"""

import ctypes
import sys
from collections.abc import Iterable
from functools import cache

from teloom.dialects.target import Target
from teloom.errors import Error

TYPE = "x86_amx"
"""LLVM's type of a tile: code that has none does without them."""

ARCH_PRCTL, REQUEST_STATE, TILE_DATA = 158, 0x1023, 18
"""The number of the system call on x86-64; what it is to do; the state that it is to allow."""

_SUPPORTED_STATES = 0x1021
"""What the call is to do to say which states the system has."""


def have_tiles(texts: Iterable[str]) -> bool:
    """Whether code has tiles, by its texts of LLVM IR."""
    return any(TYPE in text for text in texts)


def system_has_tiles() -> bool:
    """Whether this system gives tiles to a process that asks; other systems than Linux just do."""
    if sys.platform != "linux":
        return True
    states = ctypes.c_uint64()
    failed = ctypes.CDLL(None).syscall(ARCH_PRCTL, _SUPPORTED_STATES, ctypes.byref(states))
    return not failed and bool(states.value >> TILE_DATA & 1)


def ask_for_tiles(machine: Target) -> None:
    """Lets code of this process use tiles; raises `teloom.Error` where the system refuses."""
    if number := _refusal():
        raise Error(
            f"code for {machine.name} has tiles of AMX, and the system gives this process none "
            f"(arch_prctl: errno {number}); use a target without amx-tile, such as x86-64-v4"
        )


@cache
def _refusal() -> int:
    """The number of the error; 0 if tiles may be used."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.syscall(ARCH_PRCTL, REQUEST_STATE, TILE_DATA)
    return ctypes.get_errno() if failed else 0
