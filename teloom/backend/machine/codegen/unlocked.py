"""LLVM's two long calls, without Python's lock: several threads may be in them at once.

llvmlite lets one thread at a time call LLVM, by a lock around every function. LLVM itself wants
less: a context, and a generator of code, are of one thread at a time. Here is who calls LLVM by
the same library without that lock; each module that gets here has a context of its own.
"""

from __future__ import annotations

import ctypes
from functools import cache

import llvmlite.binding as binding
from llvmlite.binding import ffi


@cache
def _library() -> ctypes.CDLL:
    locked = ffi.lib
    library = ctypes.CDLL(locked._name, handle=locked._handle)
    for name in ("LLVMPY_RunNewModulePassManager", "LLVMPY_TargetMachineEmitToMemory"):
        one, known = getattr(library, name), getattr(locked, name)
        one.argtypes, one.restype = known.argtypes, known.restype
    return library


def run_passes(
    passes: binding.ModulePassManager, module: binding.ModuleRef, builder: binding.PassBuilder
) -> None:
    """Runs passes on a module, as `passes.run` does."""
    _library().LLVMPY_RunNewModulePassManager(passes, module, builder)


def object_code(machine: binding.TargetMachine, module: binding.ModuleRef) -> bytes:
    """The object code of a module, as `machine.emit_object` gives it."""
    with ffi.OutputString() as said:
        buffer = _library().LLVMPY_TargetMachineEmitToMemory(machine, module, 1, said)
        if not buffer:
            raise RuntimeError(str(said))
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)
