"""What a user's mistake raises; anything else that escapes is a fault of Teloom."""

from collections.abc import Iterable
from difflib import get_close_matches

from xdsl.ir import Operation


class Error(Exception):
    """A request that cannot be honoured; the message names what failed, with its values."""


class CallError(Error):
    """A compiled function called with arguments that it does not accept."""


class OutOfMemoryError(Error, MemoryError):
    """A compiled function could not allocate a temporary buffer."""


class PassError(Error):
    """A pass that cannot honour its request; `op` is the place, where one is known."""

    def __init__(self, message: str, op: Operation | None = None):
        super().__init__(message)
        self.op = op


class ScheduleError(PassError):
    """A schedule that is refused: illegal, or not applicable to the program."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest of `names`, or nothing if none is near.

    >>> did_you_mean("slpit", ["split", "fuse"])
    "; did you mean 'split'?"
    >>> did_you_mean("unlike", ["split", "fuse"])
    ''
    """
    by_folded = {candidate.casefold(): candidate for candidate in names}
    near = get_close_matches(name.casefold(), by_folded, 1)
    return f"; did you mean '{by_folded[near[0]]}'?" if near else ""
