"""Loop-level text to a kernel, the way the pipeline goes on after bounds are known."""

from collections.abc import Sequence

from standard_kernels import check_after, parse
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from teloom.analysis.signature import Signature, signature_of
from teloom.backend.call.compiled import compile_llvm
from teloom.backend.call.kernel import Kernel
from teloom.backend.checks.memory_check import MemoryCheck
from teloom.backend.machine.generators import FAST_CODE, Effort
from teloom.passes import get_all_passes
from teloom.passes.lanes.vectorize_loops import VectorizeLoopsPass
from teloom.passes.llvm.lower_to_llvm import lower_to_llvm
from teloom.passes.loops.lower_loops import LowerLoopsPass
from teloom.passes.loops.unroll_loops import UnrollLoopsPass
from teloom.passes.memory.allocate_early import AllocateEarlyPass
from teloom.passes.memory.buffer_reuse import BufferReusePass
from teloom.passes.memory.reserve_memory import ReserveMemoryPass
from teloom.passes.pipelines import CHECKED, LEVELS
from teloom.passes.storage.linearize_memrefs import LinearizeMemrefsPass
from teloom.passes.storage.storage_flatten import StorageFlattenPass
from teloom.switches import sanitizer

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


STANDARD = tuple(get_all_passes()[name]()() for name, _ in LEVELS["standard"])
"""The passes from flat buffers on, as the pipeline runs them."""


def compile_loops(
    given: str | ModuleOp,
    passes: Sequence[ModulePass] = PASSES,
    verify: bool = True,
    check: MemoryCheck | None = None,
    effort: Effort = FAST_CODE,
) -> Kernel:
    """A kernel of the one function in a module, or text, by these passes.

    Its calls are checked before they happen, with what the passes do to memory, or by the check
    of a kernel that accesses the same.
    """
    module = parse(given) if isinstance(given, str) else given
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    signature = signature_of(function)
    if check is None and sanitizer(None):
        check = check_of(module.clone(), signature, passes)
    for step in passes:
        step.apply(Context(), module)
        if verify:
            module.verify()
    lower_to_llvm(module)
    kernel = compile_llvm(module, signature, effort=effort)
    kernel.check = check
    return kernel


def check_of(module: ModuleOp, signature: Signature, passes: Sequence[ModulePass]) -> MemoryCheck:
    """Checked code; of the passes before `linearize-memrefs` only these run, as they are."""
    given = {step.name: step for step in passes}
    others = {name for name, _ in LEVELS["memref"]} - given.keys()
    names = [name for name, _ in CHECKED if name not in others]
    steps = [given.get(name) or get_all_passes()[name]()() for name in names]
    return check_after(module, signature, steps)
