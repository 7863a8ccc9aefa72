"""What xDSL has in the place of what is here."""

from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

XDSL: dict[tuple[type, str], Any] = {}
"""xDSL's own members, by class and name; None for one that the class inherits."""


def put(kind: type, name: str, ours: Any) -> None:
    """Gives a class of xDSL a member of ours."""
    XDSL[kind, name] = vars(kind).get(name)
    setattr(kind, name, ours)


def is_method_of(kind: type) -> Callable[[Method], Method]:
    """Puts a function in the place of the method with its name."""

    def put_method(method: Method) -> Method:
        put(kind, method.__name__, method)
        return method

    return put_method
