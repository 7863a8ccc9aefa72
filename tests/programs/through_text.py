"""Compiling with text between any two passes: no pass leaves anything to the next beside the IR."""

from collections.abc import Sequence
from io import StringIO

from standard_kernels import lowering
from xdsl.context import Context
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from teloom.analysis.signature import signature_of
from teloom.backend.call.compiled import compile_llvm
from teloom.backend.call.kernel import Kernel
from teloom.driver.compilation import checked_code
from teloom.driver.lowering import passes_between
from teloom.driver.registry import load_universe
from teloom.driver.runner import verify
from teloom.frontend.call.build import lower
from teloom.frontend.expr.expressions import Var
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes import get_all_passes
from teloom.switches import sanitizer


def compiled_through_text(s: Schedule, args: Sequence[Tensor | Var]) -> Kernel:
    """The kernel of a schedule whose passes read, each, what the one before printed.

    What is read is the module that was printed, prints as the same text, and verifies.
    """
    module = lower(s, args, "program", level="te")
    run_through_text(module, passes_between("schedule", "loop"))
    signature = next(signature_of(op) for op in module.ops if isinstance(op, func.FuncOp))
    check = checked_code(module.clone(), signature, lowering()) if sanitizer(None) else None
    run_through_text(module, passes_between("memref", "llvm"))
    kernel = compile_llvm(module, signature)
    kernel.check = check
    return kernel


def run_through_text(module: ModuleOp, names: Sequence[str]) -> None:
    """Runs passes on a module; each finds what is read from the text of it."""
    context = _context()
    for name in names:
        read = _read_again(module, context)
        get_all_passes()[name]()().apply(context, read)
        verify(read)
        module.attributes = read.attributes
        module.detach_region(module.body)
        module.add_region(read.detach_region(read.body))
    _read_again(module, context)


def _read_again(module: ModuleOp, context: Context) -> ModuleOp:
    """The module that is read from the text of another; it is the same."""
    text = _text(module)
    read = Parser(context, text).parse_module()
    assert _text(read) == text
    # The parser of llvm.func adds a default `unnamed_addr`, which it does not print.
    if not any(isinstance(op, llvm.FuncOp) for op in module.ops):
        assert read.is_structurally_equivalent(module)
    return read


def _text(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def _context() -> Context:
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context
