"""Integers that a user gives as numbers: factors, offsets, bytes."""

from __future__ import annotations

import operator

from teloom.errors import Error, ScheduleError
from teloom.frontend.expressions import Const


def checked_integer(value: object, what: str, refusal: type[Error] = ScheduleError) -> int:
    """`value`, an integer of 64 bits; raises `refusal`, with `what` it is, for anything else."""
    if isinstance(value, Const):
        value = value.value
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise refusal(f"{what} must be an integer, got {value!r}")
    if not -(2**63) <= number < 2**63:
        raise refusal(f"{what}, {number}, does not fit into 64 bits")
    return number
