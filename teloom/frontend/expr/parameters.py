"""Parameters of a schedule: numbers that a replay of its commands may change."""

from __future__ import annotations

from teloom.dialects.schedule import Parameter
from teloom.errors import ScheduleError
from teloom.frontend.expr.integers import checked_integer
from teloom.frontend.expr.names import checked_text


def param(name: str, default: int) -> int:
    """The number `default`, by that name: `Schedule.from_sequence` may put another in its place.

    It can be every number of a command. All parameters of one name have one default. Raises
    `teloom.ScheduleError` for a name that is no identifier, and for a default that is no integer
    of 64 bits. Source: the parameters of MLIR's transform dialect.

    >>> from teloom import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1, name="B")
    >>> s = te.create_schedule(B)
    >>> outer, inner = s[B].split(B.op.axis[0], factor=te.param("tile", 8))
    >>> "factor tile = 8" in str(s)
    True
    """
    text = checked_text(name, "name of param", ScheduleError)
    if not text.isidentifier() or not text.isascii():
        raise ScheduleError(f"a parameter has a name such as tile, not {text!r}")
    return Parameter(text, checked_integer(default, f"default of {text}"))
