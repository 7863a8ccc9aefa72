"""The table of what a program can be translated to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from teloom.backend.call.compiled import machine_text
from teloom.backend.machine.codegen.machine_code import text_at
from teloom.backend.machine.generators import made_for
from teloom.driver.library.writing import Part, library, parts_of
from teloom.driver.lowering import Lowering
from teloom.driver.translate.c_code import C_OPTIONS, c_code
from teloom.errors import check_names

Make = Callable[..., str | bytes]
"""Of a module, which it may change, a lowering, and options by name."""


class Translation(NamedTuple):
    """What a program can become."""

    what: str
    make: Make
    options: tuple[str, ...] = ()
    """The names of the options that `make` takes."""


def _machine(level: str, module: ModuleOp, lowering: Lowering) -> str:
    """Optimised LLVM IR, or assembly."""
    lowering.bring(module, "te", "llvm")
    return text_at(level, machine_text(module), made_for(module))


def _library(kind: str, module: ModuleOp, lowering: Lowering) -> bytes:
    """A library for C, for the target of the module."""
    parts = parts_of(module)
    return library(parts, kind, _name(parts)).data


def _header(module: ModuleOp, lowering: Lowering) -> str:
    """The header of such a library."""
    parts = parts_of(module)
    return library(parts, ".o", _name(parts)).header


def _name(parts: Sequence[Part]) -> str:
    return parts[0].signature.name if parts else ""


TRANSLATIONS: dict[str, Translation] = {
    "c": Translation("C11 source", c_code, C_OPTIONS),
    "llvm-ir": Translation("LLVM IR, optimised", partial(_machine, "llvm-ir")),
    "asm": Translation("assembly", partial(_machine, "asm")),
    "obj": Translation("an object for C", partial(_library, ".o")),
    "so": Translation("a shared library for C", partial(_library, ".so")),
    "wasm": Translation("a module of WebAssembly", partial(_library, ".wasm")),
    "a": Translation("an archive for C", partial(_library, ".a")),
    "header": Translation("the C header of a library", _header),
}
"""What a program can become, by name."""


def translated(
    module: ModuleOp, to: str, lowering: Lowering, options: Mapping[str, str] | None = None
) -> str | bytes:
    """A module of any level as text or bytes of a kind of `TRANSLATIONS`; changes the module.

    Raises `teloom.Error` for an option that the kind does not have, and what passes raise.
    """
    kind = TRANSLATIONS[to]
    check_names(f"option of {to}", options or {}, kind.options)
    return kind.make(module, lowering, **(options or {}))
