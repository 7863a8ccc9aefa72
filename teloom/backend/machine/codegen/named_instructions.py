"""Instructions of a machine that a program calls by the names that LLVM has for them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as binding
from xdsl.dialects.llvm import CallIntrinsicOp

from teloom.analysis.dot_products import is_known
from teloom.analysis.scaling import is_scaling
from teloom.backend.machine.llvm_ir.spelling import c_type_text
from teloom.errors import PassError

_ARCHITECTURES = {
    "x86": ("x86_64",),
    "aarch64": ("aarch64", "arm64"),
    "riscv": ("riscv64",),
    "wasm": ("wasm32",),
}
"""The names of the architectures that intrinsics are of, by the first part of their names."""

_PARSE = "import sys, llvmlite.binding as llvm; llvm.parse_assembly(sys.stdin.read())"


def _names_of(intrinsic: str) -> Sequence[str]:
    """The names of the architecture that has an intrinsic; none if each has it."""
    llvm, kind, *_ = [*intrinsic.split("."), ""]
    return _ARCHITECTURES.get(kind, ()) if llvm == "llvm" else ()


def check_architecture(module: binding.ModuleRef) -> None:
    """Raises `PassError` for an intrinsic of another architecture, for which LLVM has no code."""
    architecture, _, _ = module.triple.partition("-")
    for name in (one.name for one in module.functions):
        names = _names_of(name)
        if names and architecture not in names:
            raise PassError(f"{name} is an instruction of {names[0]}, not of {architecture}")


def check_types(op: CallIntrinsicOp) -> None:
    """Raises `PassError` for an instruction of a machine of whose types LLVM's parser aborts.

    Of names that stood for other types once, it takes for granted that a call has the ones or the
    others. So calls that are not of our own making are first parsed in a process of their own.
    """
    name, output = op.intrin.data, op.results[0].type if op.results else None
    if not _names_of(name):
        return
    operands = op.operand_types
    if output is not None and (
        is_known(name, operands, output) or is_scaling(name, operands, output)
    ):
        return
    types = [c_type_text(type) for type in operands]
    result = "void" if output is None else c_type_text(output)
    if _aborts(name, (*types,), result):
        raise PassError(f"LLVM has no {name} of ({', '.join(types)}) that gives {result}", op)


@cache
def _aborts(name: str, types: tuple[str, ...], result: str) -> bool:
    if not sys.executable:  # of a program that Python is a part of
        return False
    parameters = ", ".join(f"{type} %v{number}" for number, type in enumerate(types))
    output = "" if result == "void" else "%r = "
    call = f"{output}call {result} @{name}({parameters})"
    text = f"define void @f({parameters}) {{\n{call}\nret void\n}}"
    parsed = subprocess.run(
        [sys.executable, "-c", _PARSE], input=text.encode(), capture_output=True, check=False
    )
    return parsed.returncode < 0
