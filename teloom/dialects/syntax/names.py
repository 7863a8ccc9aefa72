"""Names that nothing else has."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import count

from xdsl.ir import core

# Of the numbers at the end of a value's name, xDSL drops the last, and counts on it that there is
# none when it prints: the `a_1` that is left of `a_1_2` may be what it calls another `a`.
core._VALUE_NAME_SUFFIX_PATTERN = re.compile(r"(_\d+)+$")  # pyright: ignore


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
