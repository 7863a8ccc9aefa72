"""Integers that a user gives, as factors, offsets and bytes."""

from __future__ import annotations

import operator

from teloom.dialects.schedule import Parameter
from teloom.dialects.syntax.alignments import LARGEST_ALIGNMENT, is_alignment
from teloom.errors import Error, ScheduleError
from teloom.frontend.expr.expressions import Const
from teloom.widths import fits_64_bits


def checked_integer(value: object, what: str, refusal: type[Error] = ScheduleError) -> int:
    """`value`, if it is an integer of 64 bits; else raises `refusal`, in which `what` names it."""
    if isinstance(value, Const):
        value = value.value
    if isinstance(value, Parameter):
        return value
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise refusal(f"{what} must be an integer, got {value!r}")
    if not fits_64_bits(number):
        raise refusal(f"{what}, {number}, does not fit into 64 bits")
    return number


def checked_alignment(value: object, what: str) -> int:
    """`value`, if it is a power of two up to 2^32, in bytes; else raises `teloom.Error`."""
    number = checked_integer(value, what, Error)
    if not is_alignment(number):
        raise Error(f"{what}, {number}, is no power of two up to {LARGEST_ALIGNMENT}")
    return number
