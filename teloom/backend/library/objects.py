"""The object code of a library: the variants of its programs, and what chooses among them.

All of it is one module of LLVM, in which each function says what instructions it may use: so one
object has the code for several CPUs, and no linker is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import llvmlite.binding as binding
from xdsl.dialects.builtin import ModuleOp

from teloom.backend.library import cpu_code, entry_code, runtime, wasm_math, wasm_memory
from teloom.backend.library.c_signature import CFunction, workspace_name
from teloom.backend.library.contents import SYMBOL, Contents
from teloom.backend.machine import compiler_runtime, generators
from teloom.backend.machine.codegen import machine_code, short_masks
from teloom.backend.machine.llvm_text import llvm_text
from teloom.backend.machine.tiles import have_tiles
from teloom.dialects.target import Target
from teloom.switches import debug_info


class Variant(NamedTuple):
    """The LLVM IR of a function for one machine, and whether it takes a workspace.

    If it does, `alignment` is what its memory begins at a multiple of, where the sizes say how
    much that is, as the function says that measures it; else None.
    """

    text: str
    takes_workspace: bool
    alignment: int | None = None


class Compiled(NamedTuple):
    """A function of a library, with a variant for each machine."""

    function: CFunction
    variants: Sequence[Variant]

    @property
    def alignment(self) -> int | None:
        """What the memory of a call begins at a multiple of; None where a call cannot say how much.

        It is 1 for a function that takes none.
        """
        taking = [one.alignment for one in self.variants if one.takes_workspace]
        if None in taking:
            return None
        return max((one for one in taking if one is not None), default=1)


def variant_text(module: ModuleOp, machine: Target, number: int) -> str:
    """LLVM IR of a module of the `llvm` dialect, as the variant of that number.

    It is for a target of `checked_target`.
    """
    attributes = {
        **machine_code.function_attributes(machine),
        "target-cpu": machine.cpu,
        "target-features": machine.features,
    }
    return llvm_text(module, attributes, _prefix(number), debug_info())


def _prefix(variant: int) -> str:
    """The prefix of the names of functions in the LLVM IR of a variant."""
    return f"teloom.{variant}."


def declared_names(programs: Sequence[Compiled]) -> list[str]:
    """The functions that the header of a library declares."""
    names = [name for one in programs for name in (one.function.name, f"{one.function.name}_error")]
    return [*names, *(workspace_name(one.function.name) for one in programs if one.alignment)]


def object_code(programs: Sequence[Compiled], machines: Sequence[Target], by: str) -> bytes:
    """One object with all functions, for machines of one architecture, the best first.

    It is made `by` a version of Teloom.
    """
    anywhere = generators.target_machine(_least(machines[-1]))
    own = machine_code.optimized(_own_text(programs, machines, by), anywhere, generators.AS_WRITTEN)
    module = binding.parse_assembly(str(own))  # in one context with what is linked to it
    for program in programs:
        for variant, machine in zip(program.variants, machines, strict=True):
            made = str(machine_code.optimized(variant.text, generators.target_machine(machine)))
            module.link_in(binding.parse_assembly(short_masks.in_functions(made)))
    offered = {*symbols(programs), *runtime.SHARED}
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name not in offered:
            one.linkage = binding.Linkage.internal
    module.verify()
    return anywhere.emit_object(module)


def own_functions(machine: Target) -> bytes:
    """An object of what code for WebAssembly calls, for a module without a C library."""
    text = "".join((wasm_memory.CODE, wasm_math.code(), compiler_runtime.CODE))
    return machine_code.emit_object(text, _least(machine), generators.AS_WRITTEN)


def symbols(programs: Sequence[Compiled]) -> list[str]:
    """The symbols that a library of these programs defines for others."""
    return [
        *declared_names(programs),
        *(entry_code.direct(one.function.name) for one in programs),
        SYMBOL,
    ]


def _least(machine: Target) -> Target:
    """The least machine of the architecture, which runs the code that chooses a variant."""
    return replace(machine, features="") if machine.cpu in ("x86-64", "generic") else machine


def _needed(machine: Target, texts: Iterable[str]) -> Target:
    """What code needs of the machine that it is for."""
    return machine if have_tiles(texts) else cpu_code.without_tiles(machine)


def _own_text(programs: Sequence[Compiled], given: Sequence[Target], by: str) -> str:
    texts = zip(*((variant.text for variant in one.variants) for one in programs), strict=True)
    machines = [_needed(*pair) for pair in zip(given, texts, strict=True)]
    needs = [cpu_code.features_of(machine) for machine in machines]
    functions = [program.function for program in programs]
    said = Contents(machines[0].architecture, needs, functions).text(by)
    parts = [runtime.code(machines[0].architecture), entry_code.STATE, cpu_code.code(machines)]
    for program in programs:
        function, variants = program
        names = [_prefix(number) + function.name for number in range(len(variants))]
        workspaces = [variant.takes_workspace for variant in variants]
        parts.append(entry_code.code(function, names, workspaces))
        parts.append(entry_code.messages(function, machines))
        if program.alignment:
            parts.append(entry_code.measured(function, names, workspaces))
    parts.append(f"@{SYMBOL} = weak constant {entry_code.constant(said)}\n")
    return "".join(parts)
