"""The table of strategies: how stages of a tag are scheduled, which packages extend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from teloom import te
from teloom.topi.arguments import wrong

Write = Callable[["te.Schedule", te.Tensor, Any], Sequence[str]]
"""Appends the commands of a stage, for a target; gives a line for each decision, with its why."""

Suits = Callable[[te.Tensor], bool]
"""Whether a strategy is for a stage, by its shape and dtype."""

PLEVEL = 10
"""The usual level of priority, as in TVM."""


class Strategy(NamedTuple):
    """How stages of a tag are scheduled."""

    tag: str
    write: Write
    suits: Suits
    plevel: int = PLEVEL

    @property
    def name(self) -> str:
        """That of its function."""
        return getattr(self.write, "__name__", repr(self.write))

    def reasons(self, s: te.Schedule, tensor: te.Tensor, target: Any) -> list[str]:
        """Schedules the stage of a tensor; raises `teloom.Error` for what are no reasons."""
        given: object = self.write(s, tensor, target)
        if isinstance(given, str) or not isinstance(given, Iterable):
            what = f"strategy {self.name} for the tag {self.tag!r}"
            raise wrong("schedule", what, f"gives {given!r}, not a list of reasons")
        return [*given]


class _HasLevel(Protocol):
    @property
    def plevel(self) -> int: ...


Ranked = TypeVar("Ranked", bound=_HasLevel)


class Strategies:
    """A table of strategies: of those for a stage, the one of the highest `plevel` counts.

    Of several with that level it is the one that was registered last.

    >>> from teloom import topi
    >>> table = Strategies()
    >>> @table.register("my_copy", lambda tensor: tensor.ndim == 1)
    ... def in_vectors(s, tensor, target):
    ...     s[tensor].vectorize(tensor.op.axis[0])
    ...     return ["vectors of a row"]
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i], name="B", tag="my_copy")
    >>> reasons = []
    >>> s = topi.schedule(B, strategies=table, reasons=reasons)
    >>> reasons
    ['B: vectors of a row']
    """

    def __init__(self, strategies: Iterable[Strategy] = ()):
        self._strategies = [*strategies]

    def register(
        self, tag: str, suits: Suits | None = None, plevel: int = PLEVEL
    ) -> Callable[[Write], Write]:
        """A decorator: the function schedules stages of a tag that it suits.

        The tag of an operation may be several, as in "injective,pad". Raises `teloom.Error` for
        what is no tag or no function, and for a `plevel` that is no integer.
        """
        if not isinstance(tag, str) or not tag or "," in tag:
            raise wrong("schedule", "tag", f"is {tag!r}, which is no single tag")
        if suits is not None and not callable(suits):
            raise wrong("schedule", "suits", f"is {suits!r}, not a function of a tensor")
        level = checked_plevel(plevel)

        def registered(write: Write) -> Write:
            if not callable(write):
                problem = f"is {write!r}, not a function of schedule, tensor, target"
                raise wrong("schedule", f"strategy for the tag {tag!r}", problem)
            self._strategies.append(Strategy(tag, write, suits or (lambda tensor: True), level))
            return write

        return registered

    def remove(self, write: Write) -> None:
        """Takes a function out of the table again; raises `teloom.Error` if it is not there."""
        left = [one for one in self._strategies if one.write is not write]
        if len(left) == len(self._strategies):
            raise wrong("schedule", "strategy", f"{write!r} is not registered")
        self._strategies = left

    def of(self, tensor: te.Tensor) -> Strategy | None:
        """The strategy for the stage of a tensor, if there is one."""
        return first_of([one for one in self.for_tags(tensor) if one.suits(tensor)])

    def for_tags(self, tensor: te.Tensor) -> list[Strategy]:
        """The strategies for the tags of a tensor's operation, also those that do not suit it."""
        tags = getattr(tensor.op, "tag", "").split(",")
        return [one for one in self._strategies if one.tag in tags]


def checked_plevel(plevel: object) -> int:
    """A level of priority; raises `teloom.Error` for what is no integer."""
    if type(plevel) is not int:
        raise wrong("schedule", "plevel", f"is {plevel!r}, not an integer")
    return plevel


def first_of(found: Sequence[Ranked]) -> Ranked | None:
    """The one of the highest level, of several with it the last; None of nothing."""
    return max(reversed(found), key=lambda one: one.plevel, default=None)
