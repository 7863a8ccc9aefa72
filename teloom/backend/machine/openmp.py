"""The OpenMP runtime whose threads run parallel loops: one in the process, for all kernels.

Two runtimes in one process keep their own threads, which wait for work by spinning and so take
the cores from each other: a region then takes milliseconds instead of a microsecond. So the one
that another library has loaded is taken; else the system's; else that of a wheel. It is called by
addresses, so that no other copy with the same names gets between.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from sysconfig import get_paths

_NAME = re.compile(r"lib(gomp|omp|iomp5)(-[0-9a-f]+)?\.(so[.0-9]*|dylib)")
"""The file of a runtime: GCC's, LLVM's or Intel's, also with the mark that wheels give it."""

SYSTEM = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so", "libomp.dylib")

_IN_WHEELS = ("*.libs/libgomp-*.so*", "torch/lib/lib*omp*", "*/.dylibs/libomp.dylib")

FUNCTIONS = (
    "GOMP_parallel",
    "GOMP_barrier",
    "omp_get_thread_num",
    "omp_get_num_threads",
    "omp_in_parallel",
)
"""What a region calls. LLVM's and Intel's runtimes have the first two for GCC's code."""


class SerialParallelWarning(UserWarning):
    """There is no OpenMP runtime, so parallel loops run serially; shown once per process."""


# Appended behind all other filters, so that those of the user win.
warnings.filterwarnings("once", category=SerialParallelWarning, append=True)


class OpenMP(ctypes.Structure):
    """The addresses of the functions of one runtime."""

    _fields_ = [(name, ctypes.c_void_p) for name in FUNCTIONS]


def loaded() -> Iterator[str]:
    """The files of the runtimes that this process has loaded."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return
    files = (line.split(maxsplit=5)[-1] for line in lines)
    yield from dict.fromkeys(file for file in files if _NAME.fullmatch(Path(file).name))


def _in_wheels() -> Iterator[str]:
    places = get_paths()
    for folder in dict.fromkeys((places["platlib"], places["purelib"])):
        for pattern in _IN_WHEELS:
            yield from map(str, sorted(Path(folder).glob(pattern)))
    yield from map(str, sorted(Path(places["data"], "lib").glob("lib*omp*")))


def _candidates() -> Iterator[str]:
    yield from loaded()
    yield from SYSTEM
    yield from (file for file in _in_wheels() if _NAME.fullmatch(Path(file).name))


@cache
def runtime() -> OpenMP | None:
    """The runtime of this process, chosen when it is first asked for; None if there is none."""
    for file in _candidates():
        try:
            library = ctypes.CDLL(file)
            found = [getattr(library, name) for name in FUNCTIONS]
        except (OSError, AttributeError):
            continue
        return OpenMP(*(ctypes.cast(function, ctypes.c_void_p) for function in found))
    warnings.warn(
        "there is no OpenMP runtime (libgomp, libomp or libiomp5), so parallel loops run serially",
        SerialParallelWarning,
        stacklevel=_levels_to_user(),
    )
    return None


def _levels_to_user() -> int:
    """The `stacklevel` of the first caller outside of the compiler: the line to warn about."""
    level, frame = 1, sys._getframe(1)
    compilers = ("teloom.", "contextlib")  # contextlib decorates our functions
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(compilers):
        level, frame = level + 1, frame.f_back
    return level


FORKED = ctypes.c_int32(0)
"""1 in a forked process; machine code reads it, too."""


def _forget_threads() -> None:
    """In a forked process: the threads that wait for work in the parent are not there."""
    FORKED.value = 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def is_forked() -> bool:
    """Whether this process was forked from one that could have used the runtime.

    GCC's runtime would wait for the parent's threads for ever.
    """
    return bool(FORKED.value)
