"""Programs as libraries: files that C programs link, with a header."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

from teloom.analysis.signature import Signature, signature_of, takes_workspace
from teloom.backend.library.archive import archive
from teloom.backend.library.c_signature import CFunction
from teloom.backend.library.cpu_code import checked_target
from teloom.backend.library.header import header
from teloom.backend.library.linking import linker, module_linker, shared, wasm_module
from teloom.backend.library.measuring import add_measuring
from teloom.backend.library.objects import (
    Compiled,
    Variant,
    declared_names,
    object_code,
    own_functions,
    symbols,
    variant_text,
)
from teloom.backend.library.wasm_memory import OFFERED
from teloom.backend.machine.cpus import WASM, asked, target_asked
from teloom.backend.machine.generators import made_for
from teloom.dialects.target import Target
from teloom.dialects.upstream.llvm import ASSERTIONS
from teloom.driver.entry import entries, find_entry
from teloom.driver.library.files import write_all
from teloom.driver.lowering import steps_of
from teloom.driver.program import Program
from teloom.errors import Error

KINDS = (".so", ".wasm", ".a", ".o")
"""What a library can be, by the end of its name."""


class Part(NamedTuple):
    """A function of a library: how it is called, and the program that it is in."""

    signature: Signature
    program: Program


class LibraryFiles(NamedTuple):
    """A library of some kind, and its header."""

    data: bytes
    header: str


def parts_of(module: ModuleOp) -> list[Part]:
    """The functions of a module that callers call, as a library has them."""
    program = Program(module, steps_of(None, None))
    called = [find_entry(module, name) for name in entries(module)]
    return [Part(signature_of(one), program) for one in called]


def write_library(
    parts: Sequence[Part],
    path: str | os.PathLike[str],
    targets: str | Target | Sequence[str | Target] | None = None,
) -> list[Path]:
    """Writes functions as a library, and its C header beside it; gives both paths.

    It is what `teloom.export` says, and raises.
    """
    if not isinstance(path, str | os.PathLike):
        raise Error(f"path of a library must be a text or a path, got {path!r}")
    file = Path(path)
    if file.suffix not in KINDS:
        raise Error(f"{file} is no name of a library; it ends in {', '.join(KINDS)}")
    made = library(parts, file.suffix, file.stem, targets)
    return write_all({file: made.data, file.with_suffix(".h"): made.header.encode()})


def library(
    parts: Sequence[Part],
    kind: str,
    name: str,
    targets: str | Target | Sequence[str | Target] | None = None,
) -> LibraryFiles:
    """The library of functions, of a kind of `KINDS`, and its header.

    Without targets it is for that of the program, or this machine.
    """
    if not parts:
        raise Error("a library is made of functions, and there is none")
    _check_names([part.signature.name for part in parts])
    machines = _machines(made_for(parts[0].program.module) if targets is None else targets)
    _check_linker(kind, machines[0].architecture)
    compiled = [_compiled(part, machines) for part in parts]
    _check_names(declared_names(compiled))
    data = object_code(compiled, machines, version("teloom"))
    if kind == ".so":
        data = shared(data, machines[0].architecture)
    elif kind == ".wasm":
        data = wasm_module(
            [data, own_functions(machines[0])], [*declared_names(compiled), *OFFERED]
        )
    elif kind == ".a":
        data = archive(f"{name}.o", data, symbols(compiled))
    declared = [(one.function, one.alignment) for one in compiled]
    return LibraryFiles(data, header(name, declared, machines, version("teloom")))


def _check_linker(kind: str, architecture: str) -> None:
    """Raises `Error` if a library of the kind cannot be linked, before anything is compiled."""
    is_wasm = architecture == WASM
    if (kind == ".so" and is_wasm) or (kind == ".wasm" and not is_wasm):
        linked = ".wasm" if is_wasm else ".so"
        raise Error(
            f"a {kind} is not for {architecture}, whose linked libraries are {linked}; name "
            f"another target, or export a {linked}, .a or .o"
        )
    if kind == ".so":
        linker(architecture)
    elif kind == ".wasm":
        module_linker()


def _check_names(names: Sequence[str]) -> None:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Error(f"two functions of the library are called {twice}; build one by another name")


def _machines(targets: str | Target | Sequence[str | Target]) -> list[Target]:
    """The targets of the variants, each with just what a library can look for."""
    if isinstance(targets, str) or not isinstance(targets, Iterable):
        targets = [targets]
    given = [target_asked(one) or asked() for one in targets]
    if not given:
        raise Error("a library is for one target at least, such as native")
    machines = [checked_target(one) for one in given]
    if len(kinds := {machine.architecture for machine in machines}) > 1:
        raise Error(
            f"a library is for one architecture, got {' and '.join(sorted(kinds))}; "
            "export one for each"
        )
    if WASM in kinds and len(machines) > 1:
        raise Error(
            "an engine of WebAssembly takes all code of a module or none, so a library for it has "
            f"one target, got {' and '.join(machine.name for machine in machines)}; export one "
            "for each"
        )
    return machines


def _compiled(part: Part, machines: Sequence[Target]) -> Compiled:
    """The variants of a function; raises `Error` if it needs this process."""
    signature, program = part
    if program.externals:
        called = ", ".join(program.externals)
        raise Error(f"{signature.name} calls {called}, which is in this process only")
    alone = program.only(signature.name)
    variants: list[Variant] = []
    messages: list[str] = []
    for number, machine in enumerate(machines):
        module = alone.on(machine).at_level("llvm")
        entry = next(
            op
            for op in module.ops
            if isinstance(op, llvm.FuncOp) and op.sym_name.data == signature.name
        )
        takes = takes_workspace(entry)
        alignment = add_measuring(module, signature.name, len(signature.sizes)) if takes else None
        variants.append(Variant(variant_text(module, machine, number), takes, alignment))
        said = module.attributes.get(ASSERTIONS)
        if isinstance(said, ArrayAttr):
            messages = [one.data for one in said if isinstance(one, StringAttr)]
    return Compiled(CFunction(signature, tuple(messages)), variants)
