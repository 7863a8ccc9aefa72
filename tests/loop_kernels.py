"""Loop-level text to a kernel, the way the pipeline goes on after bounds are known."""

from standard_kernels import parse
from xdsl.context import Context
from xdsl.dialects import func

from teloom.analysis.signature import signature_of
from teloom.backend.kernel import Kernel, compile_llvm
from teloom.passes.allocate_early import AllocateEarlyPass
from teloom.passes.buffer_reuse import BufferReusePass
from teloom.passes.lower_loops import LowerLoopsPass
from teloom.passes.lower_to_llvm import lower_to_llvm
from teloom.passes.storage_flatten import StorageFlattenPass
from teloom.passes.unroll_loops import UnrollLoopsPass
from teloom.passes.vectorize_loops import VectorizeLoopsPass

PASSES = (
    StorageFlattenPass(),
    BufferReusePass(),
    AllocateEarlyPass(),
    VectorizeLoopsPass(),
    UnrollLoopsPass(),
    LowerLoopsPass(),
)


def compile_loops(text: str, passes=PASSES, verify: bool = True) -> Kernel:
    """A kernel of the one function in `text`."""
    module = parse(text)
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    signature = signature_of(function)
    for step in passes:
        step.apply(Context(), module)
        if verify:
            module.verify()
    lower_to_llvm(module)
    return compile_llvm(module, signature)
