"""The exceptions of a user's mistakes; any other that escapes is a fault of Teloom."""

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import SequenceMatcher, get_close_matches
from typing import NamedTuple, TypeGuard

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


class Error(Exception):
    """A request that cannot be honoured; the message names what failed, with its values.

    It is one line, whatever text these values contain.
    """

    def __str__(self) -> str:
        return one_line(super().__str__())


class CallError(Error):
    """A compiled function called with arguments that it does not accept."""


class OutOfMemoryError(Error, MemoryError):
    """A compiled function that got no memory for its temporary buffers."""


class KernelError(Error):
    """A compiled function that stopped: an assertion in it failed, or a callback raised.

    Where a callback raised, its exception is the cause.
    """


class WrongAccessError(Error):
    """Compiled code, run with checks, accessed an element that it does not mean."""


class PassError(Error):
    """A pass that cannot honour its request; `op` is the place, where one is known.

    `location` is the line of a command on `op`, if the command itself is gone.
    """

    def __init__(
        self, message: str, op: Operation | None = None, location: LocationAttr | None = None
    ):
        super().__init__(message)
        self.op, self.location = op, location

    @property
    def place(self) -> FileLineColLoc | None:
        """The file, line and column of the user's program."""
        of_command = None if self.location is None else _file_line_col(self.location)
        return of_command or location_of(self.op)


class ScheduleError(PassError):
    """A schedule that is refused: illegal, or not applicable to the program."""


FRAMES = 3000
"""What Python's stack must hold, in calls: xDSL takes up to eight for a level of a nest."""

TOO_DEEP = (
    "loops, branches, types or parentheses stand in one another too deeply: Python's stack ends "
    "before all of them are walked; 300 stages in one another are few enough; give parts of the "
    "program stages or values of their own"
)


@contextmanager
def depth_checked() -> Iterator[None]:
    """Raises `Error` instead of Python's `RecursionError`: the program is nested too deeply."""
    # For good: to set it back while another thread compiles would end that thread's work.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    try:
        yield
    except RecursionError:
        raise Error(TOO_DEEP) from None


@contextmanager
def placed(op: Operation, what: str) -> Iterator[None]:
    """Adds `what` and its place to a refusal without a place, such as that of a large number."""
    try:
        yield
    except PassError as error:
        if error.op is None:
            error.args, error.op = (f"{what}: {error}",), op
        raise


class Remark(UserWarning):
    """A pass could not do its best; the result is right all the same.

    `op` is the place.
    """

    def __init__(self, message: str, op: Operation):
        super().__init__(message)
        self.op = op


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
    elif not _is_by_rules(location):
        warnings.warn_explicit(Remark(message, op), None, place.filename.data, place.line.data)


_BY_RULES = StringAttr("te.auto_schedule")


def give_to_rules(op: Operation) -> None:
    """Says of a definition, or of a command that makes a stage, that rules schedule the stage.

    It stands in the location, which passes hand on to all that they make of the stage.
    """
    if not _is_by_rules(op.location):
        op.location = NameLoc(_BY_RULES, op.location)


def give_to_user(op: Operation) -> None:
    """Takes back what `give_to_rules` said: the user schedules the stage."""
    if _is_by_rules(op.location):
        op.location = op.location.location


def _is_by_rules(location: Attribute | None) -> TypeGuard[NameLoc]:
    return isinstance(location, NameLoc) and location.desc == _BY_RULES


def location_of(op: Operation | None) -> FileLineColLoc | None:
    """The file, line and column of an operation, or of the nearest one around it that has them."""
    location = said_location(op)
    return None if location is None else _file_line_col(location)


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


def check_names(kind: str, names: Iterable[object], known: Collection[str]) -> None:
    """Raises `Error` unless all names are known; `kind` says what they name, as 'size'."""
    for name in names:
        if not isinstance(name, str) or name not in known:
            near = did_you_mean(name, known) if isinstance(name, str) else ""
            hint = near or f"; there are: {', '.join(known) or 'none'}"
            raise Error(f"no {kind} named {name}{hint}")


def one_line(text: str) -> str:
    r"""`text` with escapes for characters that end the line or cannot be shown.

    >>> one_line("a\nb")
    'a\\nb'
    """
    if text.isprintable():
        return text
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(shown)


def no_stage_named(name: str, names: Iterable[str]) -> str:
    """The words for a name that no stage has, with those of all stages.

    >>> print(no_stage_named("b", ["A", "B"]))
    no stage is named "b" (stages: A, B); did you mean 'B'?
    """
    names = list(names)
    return f'no stage is named "{name}" (stages: {", ".join(names)})' + did_you_mean(name, names)


def said_by_verifier(error: Exception) -> str:
    """The message of a verifier, without the words that xDSL puts in front."""
    return str(error).removeprefix("Operation does not verify: ")


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest of `names`; nothing if none is near, or several are.

    >>> did_you_mean("slpit", ["split", "fuse"])
    "; did you mean 'split'?"
    >>> did_you_mean("unlike", ["split", "fuse"]), did_you_mean("ax", ["ax.x", "ax.y", "ax.z"])
    ('', '')
    """
    folded = str(name).casefold()
    by_folded = {candidate.casefold(): candidate for candidate in names}
    near = get_close_matches(folded, by_folded, 3)
    if len(near) == 3 and len({SequenceMatcher(None, one, folded).ratio() for one in near}) == 1:
        return ""
    return f"; did you mean '{by_folded[near[0]]}'?" if near else ""
