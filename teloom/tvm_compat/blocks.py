"""What holds for all calls in a `with` block."""

from __future__ import annotations

from contextvars import ContextVar, Token
from functools import cached_property
from typing import Any, ClassVar, Self


class Block:
    """Base of what a `with` block sets: the innermost one around a call is `innermost()`.

    >>> class Level(Block): ...
    >>> with Level() as level:
    ...     Level.innermost() is level
    True
    >>> Level.innermost() is None
    True
    """

    _around: ClassVar[ContextVar[Any]]

    def __init_subclass__(cls) -> None:
        cls._around = ContextVar(cls.__name__, default=None)

    @classmethod
    def innermost(cls) -> Self | None:
        """The innermost block of this class around the caller; None if there is none."""
        return cls._around.get()

    @cached_property
    def _entered(self) -> list[Token[Any]]:
        return []

    def __enter__(self) -> Self:
        self._entered.append(self._around.set(self))
        return self

    def __exit__(self, *raised: object) -> None:
        self._around.reset(self._entered.pop())
