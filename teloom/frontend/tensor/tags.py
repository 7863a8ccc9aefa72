"""`te.tag_scope`: one tag for all operations of a block of Python."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

from teloom.errors import Error
from teloom.frontend.expr.names import checked_text

P = ParamSpec("P")
R = TypeVar("R")


class NestedTagError(Error, ValueError):
    """A tag within the scope of another one."""


class TagScope:
    """What `tag_scope` returns."""

    def __init__(self, tag: str):
        self.tag = tag
        self._entered: Token[TagScope | None] | None = None

    @staticmethod
    def get_current() -> TagScope | None:
        """The scope around the caller; None if there is none."""
        return _around.get()

    def __enter__(self) -> Self:
        around = _around.get()
        if around is not None:
            raise NestedTagError(
                f"tag_scope({self.tag!r}) is entered within tag_scope({around.tag!r}); an "
                "operation has one tag"
            )
        self._entered = _around.set(self)
        return self

    def __exit__(self, *raised: object) -> None:
        assert self._entered is not None
        _around.reset(self._entered)

    def __call__(self, fdecl: Callable[P, R]) -> Callable[P, R]:
        @wraps(fdecl)
        def tagged(*args: P.args, **options: P.kwargs) -> R:
            with TagScope(self.tag):
                return fdecl(*args, **options)

        return tagged


_around: ContextVar[TagScope | None] = ContextVar("tag_scope", default=None)


def tag_scope(tag: str) -> TagScope:
    """Gives `tag` to all operations that a `with` block, or a decorated function, makes.

    Raises `teloom.Error`, a ValueError, for a scope within another one, and for an operation in it
    that has a `tag=` of its own. Source: TVM's te.tag_scope.

    >>> from teloom import te
    >>> A = te.placeholder((4,), name="A")
    >>> with te.tag_scope("elementwise"):
    ...     B = te.compute((4,), lambda i: A[i] + 1)
    >>> B.op.tag
    'elementwise'
    """
    return TagScope(checked_text(tag, "tag of tag_scope"))


def tag_of(given: Any, name: str) -> str:
    """The tag of the operation `name`: its own, or the tag of the scope around it."""
    tag, around = checked_text(given, f"tag of {name}"), TagScope.get_current()
    if around is None:
        return tag
    if tag:
        raise NestedTagError(
            f"{name!r} has the tag {tag!r} within tag_scope({around.tag!r}); it can have one"
        )
    return around.tag
