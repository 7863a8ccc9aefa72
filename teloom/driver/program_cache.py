"""What is known of a program before any pass runs: where the cache has its code.

A program is what it says at the level from which it is lowered. The key of an entry is made of
all that decides what comes out of that: the program, the steps, the names that a caller sees,
the machine, and the versions of all that takes part.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.structure import structure_of
from teloom.backend.call.kernel import Recipe
from teloom.backend.machine import cache as disk
from teloom.backend.machine import jit
from teloom.dialects.bodies.preorder import preorder
from teloom.driver.lowering import Steps
from teloom.switches import debug_level, prints, reproducer_folder, verifies

_PACKAGE = Path(__file__).parents[1]

_OWN = ("teloom", "xdsl")
"""The packages whose versions stand in the key, by their classes of ops and passes."""


def key_of(module: ModuleOp, name: str, names: Sequence[str] | None, steps: Steps) -> str | None:
    """The key of a program whose function `name` is compiled; None where there is no such key.

    That is: code of others takes part, an op or a pass, of which nobody knows when it changes;
    or the user asks to see what passes do, or to verify it.
    """
    if disk.directory() is None or _is_watched() or not all(map(_is_own, _classes(module, steps))):
        return None
    passes = ((level, [*map(str, added)]) for level, added in steps.more.items())
    said = (name, names, sorted(steps.options.items()), sorted(passes))
    program, machine = structure_of(module, names=True), jit.key_of(jit.made_for(module))
    return disk.key_of(program, repr(said), machine, *_versions())


def known(key: str | None) -> Recipe | None:
    """What the cache says under a key; None if it has nothing."""
    data = None if key is None else disk.load(key)
    return None if data is None else pickle.loads(data)


def remember(key: str | None, recipe: Recipe) -> None:
    """Stores under a key what the kernel of its program is made of."""
    if key is not None:
        disk.store(key, pickle.dumps(recipe))


def _is_watched() -> bool:
    return bool(debug_level() or prints() or verifies() or reproducer_folder())


def _classes(module: ModuleOp, steps: Steps) -> Iterator[type]:
    """The classes of the ops and of the user's passes."""
    yield from {op.__class__ for op in preorder(module)}
    yield from (one.__class__ for added in steps.more.values() for one in added)


def _is_own(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in _OWN


@cache
def _versions() -> tuple[str, ...]:
    """What stands for the code of Teloom and of the libraries that decide what it makes.

    Of Teloom, which may be changed in place, every file counts, with its size and its time.
    """
    files = sorted(_PACKAGE.rglob("*.py"))
    states = ((file, file.stat()) for file in files)
    own = [f"{file} {state.st_size} {state.st_mtime_ns}" for file, state in states]
    return ("\n".join(own), version("xdsl"), version("islpy"))
