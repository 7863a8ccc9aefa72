"""From a module of any level to a function that is called with arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import Entry, Signature
from teloom.backend.call.callbacks import External
from teloom.backend.call.kernel import Kernel, compile_llvm, show_machine_code
from teloom.backend.checks.memory_check import MemoryCheck, labels_of, memory_check
from teloom.backend.checks.repeated_calls import RepeatedCalls
from teloom.driver.lowering import Lowering

Naming = Callable[[Entry], Signature]
"""How a function of level `loop` or below is called, with the names that messages give."""


def compile_module(
    module: ModuleOp,
    name: str,
    lowering: Lowering,
    naming: Naming,
    externals: Mapping[str, External] = MappingProxyType({}),
    checked: bool = False,
) -> Kernel:
    """Machine code of function `name` of a module of any level.

    The module becomes one of the `llvm` dialect. How the function is called is read where
    there are loops first: of one without a signature later levels know less. The code may
    call `externals` by their names. If `checked`, each call runs code before the function's
    that looks at every access to memory. Raises what passes raise, and what `compile_llvm` does.
    """
    lowering.bring(module, "te", "loop")
    functions = (op for op in module.walk() if isinstance(op, Entry))
    signature = naming(next(op for op in functions if op.sym_name.data == name))
    check = None
    if checked:
        calls = RepeatedCalls(externals)
        externals = calls.second
        check = checked_code(module.clone(), signature, lowering.copy(), calls)
    lowering.bring(module, "memref", "llvm")
    kernel = compile_llvm(module, signature, externals=externals)
    kernel.check = check
    show_machine_code(module)
    return kernel


def checked_code(
    module: ModuleOp,
    signature: Signature,
    lowering: Lowering,
    calls: RepeatedCalls | None = None,
    symbols: Mapping[str, int] = MappingProxyType({}),
) -> MemoryCheck:
    """Code of a module of level `loop` or below that looks at every access; changes the module."""
    lowering.run(module, lowering.steps.checked())
    labels = labels_of(module, signature.name)
    lowering.bring(module, "standard", "llvm")
    return memory_check(module, signature, labels, calls, symbols)
