"""The exceptions of a user's mistakes; any other that escapes is a fault of Teloom."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Operation


class Error(RuntimeError):
    """A request that cannot be honoured; the message names what failed, with its values.

    It is one line, whatever text these values contain. A RuntimeError, as TVM's TVMError.
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

    def at(self, op: Operation) -> PassError:
        """Gives the error the place `op`, unless it has one, and returns it."""
        self.op = self.op or op
        return self


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
def placed(op: Operation, what: str | None = None) -> Iterator[None]:
    """Adds the place of `op` to a refusal without one, as that of a large number, and its name.

    `what` is the name, if the message needs one.
    """
    try:
        yield
    except PassError as error:
        if error.op is None and what is not None:
            error.args = (f"{what}: {error}",)
        raise error.at(op)


class Remark(UserWarning):
    """A pass could not do its best; the result is right all the same.

    `op` is the place.
    """

    def __init__(self, message: str, op: Operation):
        super().__init__(message)
        self.op = op


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


def said_with_kind(error: BaseException) -> str:
    """What an exception of foreign code says, and of which kind it is.

    >>> said_with_kind(KeyError("mode"))
    "KeyError: 'mode'"
    """
    return f"{type(error).__name__}: {error}"


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
