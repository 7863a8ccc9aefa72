"""Programs as libraries: files that C programs link, with a header."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, StringAttr

from teloom.analysis.signature import Signature, takes_workspace
from teloom.backend.library.archive import archive
from teloom.backend.library.c_signature import CFunction
from teloom.backend.library.cpu_code import checked_target
from teloom.backend.library.header import header
from teloom.backend.library.linking import linker, shared
from teloom.backend.library.objects import Compiled, Variant, object_code, symbols, variant_text
from teloom.backend.machine.cpus import asked, target_asked
from teloom.backend.machine.jit import made_for
from teloom.dialects.target import Target
from teloom.driver.library.files import write_all
from teloom.driver.program import Program
from teloom.errors import Error
from teloom.passes.llvm.lower_to_llvm import ASSERTIONS

KINDS = (".so", ".a", ".o")
"""What a library can be, by the end of its name."""


class Part(NamedTuple):
    """A function of a library: how it is called, and the program that it is in."""

    signature: Signature
    program: Program


def write_library(
    parts: Sequence[Part],
    path: str | os.PathLike[str],
    targets: str | Target | Sequence[str | Target] | None = None,
) -> list[Path]:
    """Writes functions as a library, and its C header beside it; gives both paths.

    It is what `teloom.export` says, and raises.
    """
    file = Path(path)
    if file.suffix not in KINDS:
        raise Error(f"{file} is no name of a library; it ends in {', '.join(KINDS)}")
    _check_names([part.signature.name for part in parts])
    if targets is None:
        targets = made_for(parts[0].program.module)
    machines = _machines(targets)
    architecture = machines[0].architecture
    if file.suffix == ".so":
        linker(architecture)
    compiled = [_compiled(part, machines) for part in parts]
    code = object_code(compiled, machines, version("teloom"))
    functions = [one.function for one in compiled]
    match file.suffix:
        case ".so":
            data = shared(code, architecture)
        case ".a":
            data = archive(f"{file.stem}.o", code, symbols(functions))
        case _:
            data = code
    text = header(file.stem, functions, machines, version("teloom"))
    return write_all({file: data, file.with_suffix(".h"): text.encode()})


def _check_names(names: Sequence[str]) -> None:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Error(f"two functions of the library are called {twice}; build one by another name")


def _machines(targets: str | Target | Sequence[str | Target]) -> list[Target]:
    """The targets of the variants, each with just what a library can look for."""
    many = [targets] if isinstance(targets, str | Target) else [*targets]
    given = [target_asked(one) or asked() for one in many]
    if not given:
        raise Error("a library is for one target at least, such as native")
    machines = [checked_target(one) for one in given]
    if len(kinds := {machine.architecture for machine in machines}) > 1:
        raise Error(
            f"a library is for one architecture, got {' and '.join(sorted(kinds))}; "
            "export one for each"
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
        variants.append(Variant(variant_text(module, machine, number), takes_workspace(entry)))
        said = module.attributes.get(ASSERTIONS)
        if isinstance(said, ArrayAttr):
            messages = [one.data for one in said if isinstance(one, StringAttr)]
    return Compiled(CFunction(signature, tuple(messages)), variants)
