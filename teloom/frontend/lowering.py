"""Runs the passes that bring a module from one level to the next, and says what they do.

TELOOM_DEBUG=1 prints each pass's name and time to the standard error stream, 2 also the
IR after each pass that changed it, 3 also the LLVM IR, 4 also the assembly.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Operation

from teloom.errors import Error, PassError
from teloom.passes import get_all_passes
from teloom.passes.pipelines import LEVELS


def debug_level() -> int:
    """What TELOOM_DEBUG says, 0 without it; raises `teloom.Error` unless it is 0..4."""
    text = os.environ.get("TELOOM_DEBUG", "0")
    if text not in ("0", "1", "2", "3", "4"):
        raise Error(f"TELOOM_DEBUG is {text!r}; it must be 0, 1, 2, 3 or 4")
    return int(text)


def show(text: str) -> None:
    """Prints what TELOOM_DEBUG asked for."""
    print(text, file=sys.stderr)


def checked_level(level: str, more: tuple[str, ...] = ()) -> str:
    """`level`, if it is one of the pipeline's levels or of `more`; else `teloom.Error`."""
    known = (*LEVELS, *more)
    if level not in known:
        raise Error(f"no level {level!r}; levels: {', '.join(known)}")
    return level


def lower_module(module: ModuleOp, first: str, last: str, original: Callable[[], ModuleOp]) -> None:
    """Brings a module through all levels from `first` up to and with `last`.

    `original` makes the module at the level `te` again, for the report on a pass that
    fails. Raises what a pass says about the user's request, with the line of the
    user's program where that is known.
    """
    factories, context, debug = get_all_passes(), Context(), debug_level()
    for name in _passes(first, last):
        before = str(module) if debug >= 2 else ""
        start = time.perf_counter()
        try:
            factories[name]()().apply(context, module)
        except Error as error:
            if isinstance(error, PassError):
                error.args = (f"{_place(error.op)}{error}",)
            raise
        except Exception as error:
            error.add_note(f"to reproduce, see {_reproducer(name, original())}")
            raise
        if debug >= 1:
            show(f"{name}: {(time.perf_counter() - start) * 1e3:.1f} ms")
        if debug >= 2 and str(module) != before:
            show(str(module))


def _passes(first: str, last: str) -> Iterator[str]:
    names = list(LEVELS)
    for level in names[names.index(first) : names.index(last) + 1]:
        for name, _ in LEVELS[level]:
            yield name


def _place(op: Operation | None) -> str:
    """`file:line: ` of the nearest operation that knows it."""
    while op is not None:
        if isinstance(op.location, FileLineColLoc):
            return f"{op.location.filename.data}:{op.location.line.data}: "
        op = op.parent_op()
    return ""


def _reproducer(failed: str, module: ModuleOp) -> str:
    """Writes a file that shows the failure; gives its name."""
    names = list(_passes("te", list(LEVELS)[-1]))
    passes = ",".join(names[: names.index(failed) + 1])
    with tempfile.NamedTemporaryFile(
        "w", prefix=f"teloom-{failed}-", suffix=".mlir", delete=False
    ) as file:
        file.write(f"// RUN: teloom-opt %s -p '{passes}'\n{module!s}\n")
    return file.name
