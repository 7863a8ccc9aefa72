"""From a module of any level to functions that are called with arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Entry, Signature, functions_in
from teloom.backend.call.callbacks import External
from teloom.backend.call.compiled import kernels_of, show_machine_code
from teloom.backend.call.kernel import Kernel
from teloom.backend.checks.repeated_calls import RepeatedCalls
from teloom.driver.lowering import Lowering
from teloom.lazy import loaded

if TYPE_CHECKING:
    from teloom.backend.checks.memory_check import MemoryCheck

Naming = Callable[[Entry], Signature]
"""Gives a function of level `loop` or below its signature, with the user's names."""


def compile_module(
    module: ModuleOp,
    names: Sequence[str],
    lowering: Lowering,
    naming: Naming,
    externals: Mapping[str, External] = MappingProxyType({}),
    checked: bool = False,
) -> list[Kernel]:
    """Machine code of the functions `names` of a module of any level.

    The module is lowered to the `llvm` dialect. Signatures are read at level `loop`: if a
    function carries none, later levels know less of its arguments. The code may call `externals`
    by their names. With `checked`, each call first runs code that checks every access to memory;
    that is of a module with one function. Raises what passes raise, and what `kernels_of` raises.
    """
    lowering.bring(module, "te", "loop")
    functions = functions_in(module)
    signatures = [naming(functions[name]) for name in names]
    check = None
    if checked:
        (signature,) = signatures
        calls = RepeatedCalls(externals)
        externals = calls.second
        check = checked_code(module.clone(), signature, lowering.copy(), calls)
    lowering.bring(module, "memref", "llvm")
    kernels = kernels_of(module, signatures, externals=externals)
    for kernel in kernels:
        kernel.check = check
    show_machine_code(module)
    return kernels


def checked_code(
    module: ModuleOp,
    signature: Signature,
    lowering: Lowering,
    calls: RepeatedCalls | None = None,
    symbols: Mapping[str, int] = MappingProxyType({}),
) -> MemoryCheck:
    """Code that checks every access of a module of level `loop` or below; changes the module."""
    checks = loaded("teloom.backend.checks.memory_check")
    lowering.run(module, lowering.steps.checked())
    labels = checks.labels_of(module, signature.name)
    lowering.bring(module, "standard", "llvm")
    return checks.memory_check(module, signature, labels, calls, symbols)
