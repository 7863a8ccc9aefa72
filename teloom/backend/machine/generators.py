"""For which machine LLVM makes code, how hard it works, and what code depends on by that."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import llvmlite
import llvmlite.binding as binding
from xdsl.dialects.builtin import ModuleOp

from teloom.backend.machine import cpus
from teloom.backend.machine.tiles import ask_for_tiles
from teloom.dialects.target import Target, target_said
from teloom.errors import Error
from teloom.progress import reached
from teloom.switches import timed


class Effort(NamedTuple):
    """How hard LLVM works: its levels for optimization and for code generation."""

    optimization: int
    codegen: int


FAST_CODE = Effort(2, 3)
"""O2: on a register tile that LLVM unrolls, the code runs as fast as that of O3 (within
1 % on a matmul of 1024) and takes two thirds of the time to compile."""

AS_WRITTEN = Effort(0, 3)
"""For code of a few functions that is written by hand, in the form that passes would give it, and
that others link."""

SOON_MADE = Effort(0, 0)
"""For code that mostly calls functions which are optimized already: it compiles in a tenth of the
time. Regions and workspaces are as fast by it, within 10 ns a call."""

MACHINE_LEVELS = ("llvm-ir", "asm")
"""The levels below the `llvm` dialect: optimised LLVM IR, and assembly."""

OWN_STEPS = 6
"""The version of what `codegen` does to the code that LLVM makes: another one makes other code of
the same text."""


def key_of(machine: Target, effort: Effort = FAST_CODE) -> str:
    """What the code depends on, besides the text of the IR."""
    return "\n".join(
        (
            str(machine),
            f"O{effort.optimization} {effort.codegen} {OWN_STEPS}",
            ".".join(map(str, binding.llvm_version_info)),
            llvmlite.__version__,
        )
    )


def made_for(module: ModuleOp) -> Target:
    """The machine that `module` is compiled for: its target, else that of `asked`."""
    said = target_said(module)
    if said is not None and said.cpu:
        return said
    here = cpus.asked()
    if said is None:
        return here
    return replace(
        said, architecture=here.architecture, cpu=here.cpu, tune=here.tune, features=here.features
    )


def check_runs_here(machine: Target, has_tiles: bool = False) -> None:
    """Raises `teloom.Error` if this machine lacks instructions of `machine`, or gives no tiles."""
    here = cpus.host()
    if machine.architecture != here.architecture:
        raise Error(
            f"code for {machine.name} is of {machine.architecture or 'no architecture'}, "
            f"and this machine of {here.architecture}"
        )
    wanted = (name for name in machine.features.split(",") if name.startswith("+"))
    there = here.features.split(",")
    if missing := [name[1:] for name in wanted if name not in there]:
        raise Error(f"code for {machine.name} needs {', '.join(missing)}, which this machine lacks")
    if has_tiles:
        ask_for_tiles(machine)


def _target_machine(machine: Target, effort: Effort) -> binding.TargetMachine:
    machine.check_architecture("machine code")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()  # for inline assembly, without which LLVM aborts
    triple = binding.get_process_triple()
    if machine.architecture != cpus.host().architecture:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        system = "unknown" if machine.architecture == cpus.WASM else "linux-gnu"
        triple = f"{machine.architecture}-unknown-{system}"
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=effort.codegen,
        reloc="static" if machine.architecture == cpus.WASM else "pic",
        codemodel="medium" if machine.architecture == "riscv64" else "default",
        abiname="lp64d" if machine.architecture == "riscv64" else "",
    )


class _Machines(threading.local):
    """The generators of code that a thread has: LLVM's are of one thread at a time."""

    def __init__(self) -> None:
        self.of = cache(_target_machine)


_machines = _Machines()


def target_machine(machine: Target, effort: Effort = FAST_CODE) -> binding.TargetMachine:
    """LLVM's generator of code for a machine, for this thread."""
    return _machines.of(machine, effort)


@contextmanager
def part_of_work(name: str, number: int) -> Iterator[None]:
    """Shows as progress, and times, the part of LLVM's work that is done inside; there are four."""
    reached(f"LLVM {name}", number, 4)
    with timed(f"LLVM {name}"):
        yield
