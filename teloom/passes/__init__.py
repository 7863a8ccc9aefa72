"""What we do to IR: one file per pass or primitive, by subject; `pipelines` orders them.

Where an op and what is around it decide what becomes of it, a pass is rewrite patterns, or rules by
the class of the op where each becomes something else. A pass that decides over a whole function
first, such as `infer-bounds`, `buffer-reuse`, `double-buffer` and `check-accesses`, is a plan and
plain functions that carry it out: no order of single rewrites would find it.
"""

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module

from xdsl.passes import ModulePass

# pass name -> (module of teloom.passes, class)
_PASSES: dict[str, tuple[str, str]] = {
    "linalg-to-te": ("upstream.linalg_to_te", "LinalgToTePass"),
    "flatten-functions": ("upstream.flatten_functions", "FlattenFunctionsPass"),
    "normalize-loops": ("upstream.normalize_loops", "NormalizeLoopsPass"),
    "multiply-tiles": ("dots.multiply_tiles", "MultiplyTilesPass"),
    "vectorize-loops": ("lanes.vectorize_loops", "VectorizeLoopsPass"),
    "correct-dots": ("dots.correct_dots", "CorrectDotsPass"),
    "align-accesses": ("lanes.align_accesses", "AlignAccessesPass"),
    "stream-stores": ("lanes.stream_stores", "StreamStoresPass"),
    "interleave-threads": ("copies.interleave_threads", "InterleaveThreadsPass"),
    "apply-pragmas": ("loops.apply_pragmas", "ApplyPragmasPass"),
    "unroll-loops": ("loops.unroll_loops", "UnrollLoopsPass"),
    "collapse-parallel": ("loops.collapse_parallel", "CollapseParallelPass"),
    "lower-loops": ("loops.lower_loops", "LowerLoopsPass"),
    "storage-flatten": ("storage.storage_flatten", "StorageFlattenPass"),
    "inject-prefetch": ("copies.inject_prefetch", "InjectPrefetchPass"),
    "flatten-views": ("storage.flatten_views", "FlattenViewsPass"),
    "buffer-reuse": ("memory.buffer_reuse", "BufferReusePass"),
    "check-memory": ("memory.check_memory", "CheckMemoryPass"),
    "allocate-early": ("memory.allocate_early", "AllocateEarlyPass"),
    "reserve-memory": ("memory.reserve_memory", "ReserveMemoryPass"),
    "double-buffer": ("copies.double_buffer", "DoubleBufferPass"),
    "linearize-memrefs": ("storage.linearize_memrefs", "LinearizeMemrefsPass"),
    "expand-sequences": ("schedule.expand_sequences", "ExpandSequencesPass"),
    "apply-schedule": ("schedule.apply_schedule", "ApplySchedulePass"),
    "infer-bounds": ("loops.infer_bounds", "InferBoundsPass"),
    "forward-inits": ("nests.forward_inits", "ForwardInitsPass"),
    "match-intrinsics": ("nests.match_intrinsics", "MatchIntrinsicsPass"),
    "build-loops": ("nests.build_loops", "BuildLoopsPass"),
    "narrow-loops": ("loops.narrow_loops", "NarrowLoopsPass"),
    "partition-loops": ("partition.partition_loops", "PartitionLoopsPass"),
    "chunk-reductions": ("reductions.chunk_reductions", "ChunkReductionsPass"),
    "privatize-reductions": ("reductions.privatize_reductions", "PrivatizeReductionsPass"),
    "keep-elements": ("reductions.keep_elements", "KeepElementsPass"),
    "check-schedule": ("checks.check_schedule", "CheckSchedulePass"),
    "check-parallel": ("checks.check_parallel", "CheckParallelPass"),
    "label-accesses": ("checks.label_accesses", "LabelAccessesPass"),
    "check-accesses": ("checks.check_accesses", "CheckAccessesPass"),
    "outline-parallel": ("llvm.outline_parallel", "OutlineParallelPass"),
    "outline-nests": ("nests.outline_nests", "OutlineNestsPass"),
    "expand-math": ("elementary.expand_math", "ExpandMathPass"),
    "lower-scf": ("llvm.lower_scf", "LowerScfPass"),
    "lower-to-llvm": ("llvm.lower_to_llvm", "LowerToLlvmPass"),
}


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Every pass of ours by name; a pass's file is imported when its factory is called."""
    return {name: partial(pass_named, name) for name in _PASSES}


@cache
def pass_named(name: str) -> type[ModulePass]:
    """The pass of ours of that name."""
    module, class_name = _PASSES[name]
    return getattr(import_module(f"teloom.passes.{module}"), class_name)
