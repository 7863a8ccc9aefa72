"""`tvm.topi.generic`: schedules of operators, by the rules of `te.auto_schedule`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom.frontend.auto.auto_schedule import auto_schedule
from teloom.frontend.schedule.schedules import Schedule, create_schedule
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.target import target_of


def default_schedule(outs: Any, auto_inline: bool = True) -> Schedule:
    """The schedule of output tensors by rules, for the target of the `with` block around it.

    Without `auto_inline` it is the one without commands. Source: TVM's topi.generic.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> default_schedule([B]).schedule_record[-1]
    'schedule.vectorize %i'
    """
    tensors = list(outs) if isinstance(outs, list | tuple) else [outs]
    s = create_schedule([tensor.op for tensor in tensors])
    if auto_inline:
        auto_schedule(s, target_of(None).asked)
    return s


def __getattr__(name: str) -> Callable[..., Schedule]:
    if name.startswith("schedule_"):
        return _of_operator
    raise missing_part("tvm.topi.generic", name)


def _of_operator(*given: Any) -> Schedule:
    """TVM's `schedule_NAME(..., outs)`: rules look at the program, not at the name."""
    return default_schedule(given[-1])
