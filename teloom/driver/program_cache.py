"""Keys of programs before any pass runs, by which the cache has their code.

A program is what it says at the level from which it is lowered. The key of an entry is made of
all that decides what comes out of that: the program, the steps, the names that a caller sees,
the machine, and the versions of all that takes part.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.structure import structure_of
from teloom.backend.call.recipe import Recipe
from teloom.backend.machine import cache as disk
from teloom.backend.machine.generators import key_of as machine_key
from teloom.backend.machine.generators import made_for
from teloom.dialects.bodies.preorder import preorder
from teloom.driver.lowering import Steps
from teloom.locations import said_location
from teloom.remarks import Said, remark
from teloom.switches import debug_info, debug_level, prints, reproducer_folder, verifies

_PACKAGE = Path(__file__).parents[1]

_OWN = ("teloom", "xdsl")
"""The packages whose versions stand in the key, by their classes of ops and passes."""


def key_of(
    module: ModuleOp, functions: Mapping[str, Sequence[str] | None], steps: Steps
) -> str | None:
    """The key of a program whose `functions` are compiled; None where there is no such key.

    That is: code of others takes part, an op, a pass or the hook of a note on a loop, which may
    change at any time; or the user asks to see what passes do, or to verify it.
    """
    if disk.directory() is None or _is_watched() or not all(map(_is_own, _classes(module, steps))):
        return None
    passes = ((level, [*map(str, added)]) for level, added in steps.more.items())
    said = ([*functions.items()], sorted(steps.options.items()), sorted(passes))
    program, machine = structure_of(module, names=True), machine_key(made_for(module))
    if any(note in program for note in _notes_of_others()):
        return None
    return disk.key_of(program, repr(said), machine, *_versions())


class CachedProgram(NamedTuple):
    """The parts of the kernels of a program, and the remarks of passes when they made it.

    A remark stands with the number of the op, in the order of the program's text, whose place it
    is about: an equal program may stand at other places.
    """

    recipes: tuple[Recipe, ...]
    remarks: tuple[tuple[str, int], ...]

    def repeat_remarks(self, module: ModuleOp) -> None:
        """Repeats for an equal program the remarks on the one that was compiled."""
        ops = [*preorder(module)] if self.remarks else []
        for message, number in self.remarks:
            remark(message, ops[number])


def known(key: str | None) -> CachedProgram | None:
    """The entry of the cache under a key; None if there is none."""
    data = None if key is None else disk.load(key)
    return None if data is None else pickle.loads(data)


def remember(
    key: str | None, recipes: Sequence[Recipe], module: ModuleOp, said: Sequence[Said]
) -> None:
    """Stores under a key of `module` the parts of its kernels, and the remarks of passes.

    Nothing is stored if they spoke of a place that no op of the module has.
    """
    if key is None:
        return
    places = [said_location(op) for op in preorder(module)] if said else []
    if all(one.location in places for one in said):
        remarks = tuple((one.message, places.index(one.location)) for one in said)
        disk.store(key, pickle.dumps(CachedProgram((*recipes,), remarks)))


def _is_watched() -> bool:
    return bool(debug_level() or prints() or verifies() or debug_info() or reproducer_folder())


def _classes(module: ModuleOp, steps: Steps) -> Iterator[type]:
    """The classes of the ops and of the user's passes."""
    yield from {op.__class__ for op in preorder(module)}
    yield from (one.__class__ for one in steps.users)


def _notes_of_others() -> Iterator[str]:
    """The names of notes whose hooks a plug-in has put into the table, which is loaded then."""
    table = sys.modules.get("teloom.passes.loops.apply_pragmas")
    for name, hook in table.PRAGMAS.items() if table is not None else ():
        if not _is_own(hook):
            yield name


def _is_own(code: Any) -> bool:
    """Whether a class or a function is of the packages whose versions count."""
    return getattr(code, "__module__", "").partition(".")[0] in _OWN


@cache
def _versions() -> tuple[str, ...]:
    """The versions of the code of Teloom and of the libraries that decide what it makes.

    Of Teloom, which may be changed in place, every file counts, with its size and its time.
    """
    own = "\n".join(sorted(_states(str(_PACKAGE))))
    return own, version("xdsl"), version("islpy")


def _states(folder: str) -> Iterator[str]:
    """A line for each file of Python code in a folder and those in it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _states(entry.path)
            elif entry.name.endswith(".py"):
                state = entry.stat()
                yield f"{entry.path} {state.st_size} {state.st_mtime_ns}"
