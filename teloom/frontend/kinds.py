"""Whether an argument is of the kind that a function takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from teloom.errors import Error


def checked_kind(
    value: Any, kind: Any, what: str, wanted: str, refusal: type[Error] = Error
) -> Any:
    """`value`, if it is an instance of `kind`; else raises `refusal`.

    `what` names it, and `wanted` says what it must be.

    >>> checked_kind(3, str, "name of f", "a string")
    Traceback (most recent call last):
        ...
    teloom.errors.Error: name of f must be a string, got 3
    """
    if not isinstance(value, kind):
        raise refusal(f"{what} must be {wanted}, got {value!r}")
    return value


def signature_of(
    function: Any, what: str, wanted: str, refusal: type[Error] = Error
) -> inspect.Signature:
    """The parameters of `function`, if it is one; else raises `refusal`, as for unknown ones.

    >>> signature_of(max, "fupdate of H", "a function")
    Traceback (most recent call last):
        ...
    teloom.errors.Error: fupdate of H is <built-in function max>, whose parameters are not known
    """
    checked_kind(function, Callable, what, wanted, refusal)
    try:
        return inspect.signature(function)
    except ValueError:
        raise refusal(f"{what} is {function!r}, whose parameters are not known") from None


def takes(signature: inspect.Signature, *args: object, **named: object) -> bool:
    """Whether a function with these parameters may be called with those arguments.

    >>> takes(inspect.signature(lambda i, j: i), 1), takes(inspect.signature(lambda *i: i), 1)
    (False, True)
    """
    try:
        signature.bind(*args, **named)
    except TypeError:
        return False
    return True


def checked_list(values: Any, kind: type, what: str, wanted: str) -> list[Any]:
    """`values` as a list, if they are instances of `kind`; else raises `teloom.Error`.

    >>> checked_list((1, "b"), int, "sizes", "integers")
    Traceback (most recent call last):
        ...
    teloom.errors.Error: sizes must be a list of integers, got 'b' in it
    """
    found = [*checked_kind(values, Iterable, what, f"a list of {wanted}")]
    for value in found:
        if not isinstance(value, kind):
            raise Error(f"{what} must be a list of {wanted}, got {value!r} in it")
    return found
