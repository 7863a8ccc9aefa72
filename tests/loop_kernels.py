"""Loop-level text to a kernel, the way the pipeline goes on after bounds are known."""

from collections.abc import Sequence
from contextlib import nullcontext

from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from teloom.analysis.signature import signature_of
from teloom.backend.kernel import Kernel, compile_llvm
from teloom.backend.memory_check import memory_check
from teloom.passes.allocate_early import AllocateEarlyPass
from teloom.passes.buffer_reuse import BufferReusePass
from teloom.passes.linearize_memrefs import LinearizeMemrefsPass
from teloom.passes.lower_loops import LowerLoopsPass
from teloom.passes.lower_to_llvm import lower_to_llvm
from teloom.passes.lowering import run_passes
from teloom.passes.reserve_memory import ReserveMemoryPass
from teloom.passes.storage_flatten import StorageFlattenPass
from teloom.passes.unroll_loops import UnrollLoopsPass
from teloom.passes.vectorize_loops import VectorizeLoopsPass

PASSES = (
    StorageFlattenPass(),
    BufferReusePass(),
    AllocateEarlyPass(),
    LinearizeMemrefsPass(),
    VectorizeLoopsPass(),
    ReserveMemoryPass(),
    UnrollLoopsPass(),
    LowerLoopsPass(),
)


def compile_loops(text: str, passes=PASSES, verify: bool = True, checked: bool = True) -> Kernel:
    """A kernel of the one function in `text`; calls are checked before they happen."""
    module = parse(text)
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    signature = signature_of(function)
    check = memory_check(module.clone(), signature, run) if checked else None
    for step in passes:
        step.apply(Context(), module)
        if verify:
            module.verify()
    lower_to_llvm(module)
    kernel = compile_llvm(module, signature)
    kernel.check = check
    return kernel


def run(module: ModuleOp, names: Sequence[str]) -> None:
    """Runs passes, of which a failure says nothing more."""
    run_passes(module, names, Context(), lambda name: nullcontext())
