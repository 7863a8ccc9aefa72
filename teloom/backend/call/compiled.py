"""From a module of the `llvm` dialect to kernels, and to the text of their machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, ModuleOp

from teloom.analysis.signature import Signature, takes_workspace
from teloom.backend.call.callbacks import External
from teloom.backend.call.kernel import Kernel, symbols_of
from teloom.backend.call.recipe import SYMBOL_PREFIX, Recipe
from teloom.backend.machine import jit
from teloom.backend.machine.codegen.machine_code import function_attributes, text_at
from teloom.backend.machine.generators import FAST_CODE, MACHINE_LEVELS, Effort, made_for
from teloom.backend.machine.llvm_parts import llvm_parts
from teloom.backend.machine.llvm_text import llvm_text
from teloom.backend.machine.tiles import have_tiles
from teloom.dialects.bodies.symbols import reached_from
from teloom.dialects.target import Target
from teloom.dialects.upstream.llvm import ASSERTIONS
from teloom.switches import debug_info, debug_level, show, timed


def compile_llvm(
    module: ModuleOp,
    signature: Signature,
    symbols: Mapping[str, int] | None = None,
    externals: Mapping[str, External] = MappingProxyType({}),
    effort: Effort = FAST_CODE,
) -> Kernel:
    """The kernel of a module of the `llvm` dialect with one entry, as `kernels_of` makes it."""
    (kernel,) = kernels_of(module, [signature], symbols, externals, effort)
    return kernel


def kernels_of(
    module: ModuleOp,
    signatures: Sequence[Signature],
    symbols: Mapping[str, int] | None = None,
    externals: Mapping[str, External] = MappingProxyType({}),
    effort: Effort = FAST_CODE,
) -> list[Kernel]:
    """Compiles a module of the `llvm` dialect, or takes its code from the cache.

    `signatures` are those of the entries. The code may call C functions of this process, the
    addresses in `symbols`, and `externals`, all by name. Raises `Error` if it calls any other
    function.
    """
    machine = made_for(module)
    with timed("LLVM IR"):
        texts = _machine_texts(module, machine)
    keys = tuple(jit.object_key(text, machine, effort) for text in texts)
    has_half = any("half" in text for text in texts)
    messages = module.attributes.get(ASSERTIONS)
    assertions = tuple(one.data for one in messages) if isinstance(messages, ArrayAttr) else ()
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, llvm.FuncOp)}
    recipes = [
        Recipe(
            signature,
            machine,
            keys,
            _called_by(signature.name, functions),
            takes_workspace(functions[signature.name]),
            has_half,
            have_tiles(texts),
            assertions,
        )
        for signature in signatures
    ]
    known = symbols_of(recipes, externals, symbols or {})
    library = jit.linked(texts, tuple(one.symbol for one in recipes), known, machine, effort)
    whole = machine_text(module) if len(texts) > 1 else texts[0]
    return [Kernel(one, library, lambda: whole, one.externals(externals)) for one in recipes]


def _called_by(name: str, functions: Mapping[str, llvm.FuncOp]) -> tuple[str, ...]:
    """The functions without a body that a function may call, itself or through others."""
    reached = reached_from([name], functions)
    return tuple(one for one in functions if one in reached and not functions[one].body.blocks)


def machine_text(module: ModuleOp) -> str:
    """The LLVM IR text of a module of the `llvm` dialect, for its target."""
    attributes = function_attributes(made_for(module))
    return llvm_text(module, attributes, SYMBOL_PREFIX, debug_info())


def _machine_texts(module: ModuleOp, machine: Target) -> list[str]:
    """The LLVM IR in parts that are compiled apart; as a whole if it has lines of the program."""
    if debug_info():
        return [machine_text(module)]
    return llvm_parts(module, function_attributes(machine), SYMBOL_PREFIX)


def show_machine_code(module: ModuleOp) -> None:
    """Prints the machine code that TELOOM_DEBUG asks for, of a module of the `llvm` dialect."""
    for number, level in enumerate(MACHINE_LEVELS, start=3):
        if debug_level() >= number:
            show(text_at(level, machine_text(module), made_for(module)))
