"""`tvm.topi.generic`: schedules of operators, by `teloom.topi.schedule`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teloom import topi
from teloom.frontend.schedule.schedules import Schedule, create_schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.tvm_compat.refusals import missing_part
from teloom.tvm_compat.target import target_of


def default_schedule(outs: Any, auto_inline: bool = True) -> Schedule:
    """`teloom.topi.schedule` of output tensors, for the target of the `with` block around it.

    Without `auto_inline` it is the one without commands. Source: TVM's topi.generic.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> default_schedule([B]).schedule_record[-1]
    'schedule.vectorize %i'
    """
    tensors = list(outs) if isinstance(outs, list | tuple) else [outs]
    if auto_inline:
        return topi.schedule(tensors, target_of(None).asked)
    return create_schedule([tensor.op for tensor in tensors])


def __getattr__(name: str) -> Callable[..., Schedule]:
    if name.startswith("schedule_"):
        return _of_operator
    raise missing_part("tvm.topi.generic", name)


def _of_operator(*given: Any, **named: Any) -> Schedule:
    """TVM's `schedule_NAME(outs)`: the program says what it is, not the name or a layout."""
    of_tensors = (one for one in (*given, *named.values()) if _is_of_tensors(one))
    return default_schedule(next(of_tensors, given[-1] if given else None))


def _is_of_tensors(given: Any) -> bool:
    tensors = given if isinstance(given, list | tuple) else [given]
    return all(isinstance(one, Tensor) for one in tensors)
