"""Names of TVM's te that are not there, and what is there instead."""

from __future__ import annotations

from collections.abc import Mapping

_ONE_PROCESS = "parallel and after, as a function runs in one process: these names are reserved"

OF_TE = {
    "SchedulePostProcToPrimFunc": "teloom.lower(s, args), which takes the arguments in order",
    "topi": "from teloom import topi",
    "tir": "te has its functions",
    "driver": "teloom.lower and teloom.build",
    "schedule_to_module": "teloom.lower(s, args), which takes the arguments in order",
    "get_binds": "binds= of teloom.lower, a dict of te.decl_buffer by tensors",
    "ret": "an output, which the function fills; it returns nothing",
    "noalias": "nothing to say, as a call refuses arrays that share memory with an output",
    "Select": "te.select",
    "size": "te.size_var",
    "nd": "NumPy's arrays",
    "operation": "te.tensor",
    **dict.fromkeys(("send", "receive"), _ONE_PROCESS),
}
"""What te and te.schedule have not, and what to use: nothing where there is nothing."""

_METHODS_OF_SCHEDULES = ("rfactor", "cache_read", "cache_write", "symmetrize")
_NO_GPU = "bind, which shapes regions: no target has threads of a GPU yet"
_GPU_COMMANDS = "gpu gpu_blocks gpu_threads gpu_lanes gpu_tile tile_gpu gpu_single_thread"

OF_STAGES = {
    "env_threads": "bind",
    "set_store_predicate": "te.if_then_else in the equation",
    "distribute": "parallel, on the threads of one process",
    **dict.fromkeys(("send", "receive", "gen_communication", "barrier_at"), _ONE_PROCESS),
    **{
        name: f"{name} of the schedule, as in s.{name}(tensor, ...)"
        for name in _METHODS_OF_SCHEDULES
    },
    **dict.fromkeys(_GPU_COMMANDS.split(), _NO_GPU),
    "in": "s.cache_read(tensor, scope, readers)",
    "atomic": "te.update with reorderable=True",
    "reorder_storage": "transform_layout",
    "align_storage": "storage_align",
    "bound_storage": "bound_extent",
    "store_in": "set_scope for a memory, and transform_layout or fold_storage for places",
    "memoize": "",
    "async_": "",
    "stream_loads": "",
    "divide_loop": "split",
    "reorder_loops": "reorder",
    "stage_mem": "s.cache_read and s.cache_write",
    "interchange": "reorder",
    "loop_reversal": "reverse",
    "separate": "separate_at",
    "before": "then, as in s[X].then(s[Y])",
    "cache_shared_at": "s.cache_read, and compute_at of its stage",
    "copy_at": "s.cache_read, and compute_at of its stage",
    "pipeline": "double_buffer and ring_buffer",
}
"""What stages have not: names of TVM's, Halide's, Exo's and Tiramisu's commands."""

_OF_SAMPLES = "te.param(name, default), a number in the place of which from_sequence puts another"

OF_SCHEDULES = {
    **dict.fromkeys(
        ("sample_categorical", "sample_perfect_tile", "sample_partitioned_tile"), _OF_SAMPLES
    ),
    "get_consumers": "te.schedule.CreateFeedGraph",
    "get_producers": "te.schedule.CreateReadGraph",
    "get_block": "stage_named",
    "get_loops": "leaf_iter_vars of a stage",
    "mod": "module",
    "trace": "to_json, schedule_record and primitive_record",
    "show": "print(s)",
}
"""What schedules have not: names of TVM's tir.Schedule."""


_ELEMENTS = "the elements of ib.buffer_ptr(buffer), as in c[i] = a[i]"

OF_BUILDERS = {
    "likely": "te.likely",
    "pointer": "allocate, or a tensor among the inputs of te.extern",
    "new_scope": "if_scope",
    "scope_attr": "the kind of for_range, or commands of a schedule",
    **dict.fromkeys(("load", "store"), _ELEMENTS),
}
"""What an IRBuilder has not."""

OF_BUFFERS = {"vstore": _ELEMENTS}
"""What buffers have not."""


def missing(owner: str, name: str, known: Mapping[str, str]) -> AttributeError:
    """The error for the attribute `name`, which `owner` lacks."""
    if name not in known:
        return AttributeError(f"{owner} has no attribute {name!r}")
    instead = f"; there is: {known[name]}" if known[name] else ""
    # With a name and no object, Python does not guess what else may be meant.
    return AttributeError(f"{owner} has no {name} yet{instead}", name=name, obj=None)
