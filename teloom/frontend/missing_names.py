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
    "StringImm": "Python's strings",
    "noalias": "nothing to say, as a call refuses arrays that share memory with an output",
    "Select": "te.select",
    "size": "te.size_var",
    "nd": "NumPy's arrays",
    "operation": "te.tensor",
    **dict.fromkeys(("send", "receive"), _ONE_PROCESS),
}
"""What te and te.schedule have not, and what to use: nothing where there is nothing."""

OF_STAGES = {
    "env_threads": "bind",
    "set_store_predicate": "te.if_then_else in the equation",
    "distribute": "parallel, on the threads of one process",
    **dict.fromkeys(("send", "receive", "gen_communication", "barrier_at"), _ONE_PROCESS),
}
"""What stages have not."""


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
