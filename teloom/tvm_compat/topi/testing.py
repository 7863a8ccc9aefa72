"""`tvm.topi.testing`: the schedules that tests of operators ask for; references are NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from teloom import topi
from teloom.frontend.missing_names import missing
from teloom.frontend.schedule.schedules import Schedule
from teloom.tvm_compat.target import target_of
from teloom.tvm_compat.topi.generic import default_schedule

__all__ = [
    "dispatch",
    "get_broadcast_schedule",
    "get_conv2d_nchw_implement",
    "get_elemwise_schedule",
    "get_injective_schedule",
    "get_reduce_schedule",
    "get_softmax_schedule",
]

Entry = TypeVar("Entry")


def dispatch(target: Any, dispatch_map: Mapping[str, Entry]) -> Entry:
    """The entry of a table for a target, else that for any: "generic".

    >>> dispatch("llvm", {"generic": 1, "cpu": 2, "cuda": 3}), dispatch("llvm", {"generic": 1})
    (2, 1)
    """
    keys = [key for key in target_of(target).keys if key in dispatch_map]
    return dispatch_map[keys[0] if keys else "generic"]


def get_injective_schedule(target: Any) -> Callable[..., Schedule]:
    """What schedules the output tensors of operators for a target.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> get_injective_schedule("llvm")([topi.exp(A)]).primitive_record
    ['vanilla', 'vectorize']
    """
    target_of(target)
    return default_schedule


get_broadcast_schedule = get_elemwise_schedule = get_injective_schedule
get_reduce_schedule = get_softmax_schedule = get_injective_schedule


def get_conv2d_nchw_implement(target: Any) -> tuple[Callable[..., Any], Callable[..., Schedule]]:
    """The convolution of NCHW, and what schedules it for a target."""
    return topi.nn.conv2d_nchw, get_injective_schedule(target)


def __getattr__(name: str) -> Any:
    raise missing("tvm.topi.testing", name, {name: "functions of NumPy"})
