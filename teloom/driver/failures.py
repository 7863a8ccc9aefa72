"""What is said of a pass that fails on a program of Python: the user's line."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.context import Context

from teloom.driver.runner import Runner
from teloom.errors import Error, PassError


def at_users_line(error: Exception, name: str) -> Exception | None:
    """A refused request with the line of the user's program that it comes from."""
    if isinstance(error, PassError):
        error.args = (f"{_place(error)}{error}",)
    return error if isinstance(error, Error | Warning | RecursionError) else None


def runner_of(original: Callable[[], str]) -> Runner:
    """A runner for a program of Python, of which `original` makes the text at level `te`."""
    return Runner(Context(), at_users_line, original)


def _place(error: PassError) -> str:
    """`file:line: ` of what it comes from, where that is known."""
    place = error.place
    return f"{place.filename.data}:{place.line.data}: " if place else ""
