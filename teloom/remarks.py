"""What passes say of a program that is right all the same."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation

from teloom.errors import Remark
from teloom.locations import is_by_rules, location_of, said_location


class Said(NamedTuple):
    """A remark: its text, and the location in the user's program that it is about."""

    message: str
    location: LocationAttr | None


_heard: ContextVar[list[Said] | None] = ContextVar("_heard", default=None)


@contextmanager
def heard() -> Iterator[list[Said]]:
    """Inside, remarks of passes are recorded, whether the user sees them or not."""
    said: list[Said] = []
    token = _heard.set(said)
    try:
        yield said
    finally:
        _heard.reset(token)


def remark(message: str, op: Operation) -> None:
    """Warns with a `Remark` at the line of the user's program that `op` comes from.

    What comes from a stage that only rules scheduled is not shown: it answers no request of hers.
    """
    location, place = said_location(op), location_of(op)
    if (said := _heard.get()) is not None:
        said.append(Said(message, location))
    if place is None:
        warnings.warn(Remark(message, op), stacklevel=2)
    elif not is_by_rules(location):
        warnings.warn_explicit(Remark(message, op), None, place.filename.data, place.line.data)
