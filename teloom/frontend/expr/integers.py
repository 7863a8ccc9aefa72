"""Integers that a user gives as numbers: factors, offsets, bytes."""

from __future__ import annotations

import operator

from teloom.dialects.syntax.alignments import LARGEST_ALIGNMENT, is_alignment
from teloom.errors import Error, ScheduleError
from teloom.frontend.expr.expressions import Const


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


def checked_alignment(value: object, what: str) -> int:
    """`value`, a power of two up to 2^32, in bytes; raises `teloom.Error` for anything else."""
    number = checked_integer(value, what, Error)
    if not is_alignment(number):
        raise Error(f"{what}, {number}, is no power of two up to {LARGEST_ALIGNMENT}")
    return number
