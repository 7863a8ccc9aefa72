"""Names that nothing else has."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import count


def unused_name(name: str, taken: Container[str]) -> str:
    """`name`, or the first of `name_1`, `name_2`, ... that is not taken.

    >>> unused_name("C", ["C", "C_1"])
    'C_2'
    """
    names = (f"{name}_{number}" if number else name for number in count())
    return next(one for one in names if one not in taken)


def unique_names(names: Iterable[str]) -> list[str]:
    """The names, with a number behind those that came before.

    >>> unique_names(["a", "b", "a"])
    ['a', 'b', 'a_1']
    """
    found: list[str] = []
    for name in names:
        found.append(unused_name(name, found))
    return found
