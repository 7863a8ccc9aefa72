"""What we do to IR: one file per pass or primitive; `pipelines` orders them."""

from collections.abc import Callable
from importlib import import_module

from xdsl.passes import ModulePass

# pass name -> (module of teloom.passes, class)
_PASSES: dict[str, tuple[str, str]] = {
    "vectorize-loops": ("vectorize_loops", "VectorizeLoopsPass"),
    "align-accesses": ("align_accesses", "AlignAccessesPass"),
    "unroll-loops": ("unroll_loops", "UnrollLoopsPass"),
    "lower-loops": ("lower_loops", "LowerLoopsPass"),
    "storage-flatten": ("storage_flatten", "StorageFlattenPass"),
    "inject-prefetch": ("inject_prefetch", "InjectPrefetchPass"),
    "flatten-views": ("flatten_views", "FlattenViewsPass"),
    "buffer-reuse": ("buffer_reuse", "BufferReusePass"),
    "check-memory": ("check_memory", "CheckMemoryPass"),
    "allocate-early": ("allocate_early", "AllocateEarlyPass"),
    "reserve-memory": ("reserve_memory", "ReserveMemoryPass"),
    "double-buffer": ("double_buffer", "DoubleBufferPass"),
    "linearize-memrefs": ("linearize_memrefs", "LinearizeMemrefsPass"),
    "apply-schedule": ("apply_schedule", "ApplySchedulePass"),
    "infer-bounds": ("infer_bounds", "InferBoundsPass"),
    "build-loops": ("build_loops", "BuildLoopsPass"),
    "label-accesses": ("label_accesses", "LabelAccessesPass"),
    "check-accesses": ("check_accesses", "CheckAccessesPass"),
    "lower-scf": ("lower_scf", "LowerScfPass"),
    "lower-to-llvm": ("lower_to_llvm", "LowerToLlvmPass"),
}


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Every pass of ours by name; a pass's file is imported when its factory is called."""

    def factory(module: str, class_name: str) -> Callable[[], type[ModulePass]]:
        return lambda: getattr(import_module(f"teloom.passes.{module}"), class_name)

    return {name: factory(*place) for name, place in _PASSES.items()}
