"""Runs the passes that bring a module from one level to the next, and says what they do.

TELOOM_DEBUG=1 prints each pass's name and time to the standard error stream, 2 also the
IR after each pass that changed it, 3 also the LLVM IR, 4 also the assembly.
TELOOM_SANITIZE=memory has every access of compiled code checked, where nothing else is asked.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from teloom.errors import Error
from teloom.passes import get_all_passes
from teloom.passes.pipelines import LEVELS


def debug_level() -> int:
    """What TELOOM_DEBUG says, 0 without it; raises `teloom.Error` unless it is 0..4."""
    text = os.environ.get("TELOOM_DEBUG", "0")
    if text not in ("0", "1", "2", "3", "4"):
        raise Error(f"TELOOM_DEBUG is {text!r}; it must be 0, 1, 2, 3 or 4")
    return int(text)


def sanitizer(asked: str | None) -> str | None:
    """What is to be checked when code runs: "memory" or None.

    Where nothing is asked, what TELOOM_SANITIZE says. Raises `teloom.Error` for anything else.
    """
    name = os.environ.get("TELOOM_SANITIZE") if asked is None else asked
    if name not in ("memory", "", None):
        raise Error(f"no sanitizer {name!r}; sanitizers: memory")
    return name or None


def show(text: str) -> None:
    """Prints what TELOOM_DEBUG asked for."""
    print(text, file=sys.stderr)


def checked_level(level: str, more: tuple[str, ...] = ()) -> str:
    """`level`, if it is one of the pipeline's levels or of `more`; else `teloom.Error`."""
    known = (*LEVELS, *more)
    if level not in known:
        raise Error(f"no level {level!r}; levels: {', '.join(known)}")
    return level


def passes_between(first: str, last: str) -> list[str]:
    """The passes of the levels from `first` up to and with `last`, in order."""
    names = list(LEVELS)
    levels = names[names.index(first) : names.index(last) + 1]
    return [name for level in levels for name, _ in LEVELS[level]]


# Stands around the pass of this name, and may say more of what the pass raises.
Reporting = Callable[[str], AbstractContextManager[None]]


# What passes are told, by their names; others do what they do without options.
Options = Mapping[str, Mapping[str, int | str]]
NO_OPTIONS: Options = MappingProxyType({})


def lower_module(
    module: ModuleOp,
    first: str,
    last: str,
    context: Context,
    reporting: Reporting,
    options: Options = NO_OPTIONS,
) -> None:
    """Brings a module through all levels from `first` up to and with `last`.

    Raises what a pass says about the user's request, or what `reporting` makes of it.
    """
    run_passes(module, passes_between(first, last), context, reporting, options)


def run_passes(
    module: ModuleOp,
    names: Sequence[str],
    context: Context,
    reporting: Reporting,
    options: Options = NO_OPTIONS,
) -> None:
    """Runs the passes of these names. Raises what `lower_module` raises."""
    factories = get_all_passes()
    for name in names:
        with debugging(name, module), reporting(name):
            factories[name]()(**options.get(name, {})).apply(context, module)


@contextmanager
def debugging(name: str, module: ModuleOp) -> Iterator[None]:
    """Says of the pass that runs inside what TELOOM_DEBUG asks for."""
    debug = debug_level()
    before = str(module) if debug >= 2 else ""
    start = time.perf_counter()
    yield
    if debug >= 1:
        show(f"{name}: {(time.perf_counter() - start) * 1e3:.1f} ms")
    if debug >= 2 and (after := str(module)) != before:
        show(after)
