"""Where in the user's program an operation comes from, and whether rules scheduled it."""

from typing import TypeGuard

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from teloom.errors import PassError

_BY_RULES = StringAttr("te.auto_schedule")


def give_to_rules(op: Operation) -> None:
    """Says of a definition, or of a command that makes a stage, that rules schedule the stage.

    It stands in the location, which passes hand on to all that they make of the stage.
    """
    if not is_by_rules(op.location):
        op.location = NameLoc(_BY_RULES, op.location)


def give_to_user(op: Operation) -> None:
    """Takes back what `give_to_rules` said: the user schedules the stage."""
    if is_by_rules(op.location):
        op.location = op.location.location


def is_by_rules(location: Attribute | None) -> TypeGuard[NameLoc]:
    """Whether `give_to_rules` has left a location."""
    return isinstance(location, NameLoc) and location.desc == _BY_RULES


def location_of(op: Operation | None) -> FileLineColLoc | None:
    """The file, line and column of an operation, or of the nearest one around it that has them."""
    location = said_location(op)
    return None if location is None else _file_line_col(location)


def place_of(error: PassError) -> FileLineColLoc | None:
    """The file, line and column of the user's program that a refusal is about."""
    of_command = None if error.location is None else _file_line_col(error.location)
    return of_command or location_of(error.op)


def said_location(op: Operation | None) -> LocationAttr | None:
    """The location of an operation, or of the nearest one around it that has file and line."""
    while op is not None:
        if _file_line_col(op.location) is not None:
            return op.location
        op = op.parent_op()
    return None


def _file_line_col(location: Attribute) -> FileLineColLoc | None:
    match location:
        case FileLineColLoc():
            return location
        case NameLoc():
            return _file_line_col(location.location)
        case CallSiteLoc():
            return _file_line_col(location.callee)
        case FusedLoc(locations=ArrayAttr() as parts):
            places = (_file_line_col(part) for part in parts)
            return next((place for place in places if place is not None), None)
        case _:
            return None
