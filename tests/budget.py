"""How many of its cases a test runs: a few that cover them, or all with TELOOM_TESTS=all.

A test of programs, schedules, types and sizes has more cases than minutes are enough for. In
`pytest` it runs those that `few`, `chosen`, `each` or `pairs` give, and compares numbers only of
those that `is_chosen` names, always the same ones; a property test runs EXAMPLES examples.
`python -m tests.soak --tests` runs all cases, and as many examples as it is told to.
"""

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

EXAMPLES = int(os.environ.get("TELOOM_EXAMPLES", "25"))
"""Examples of a property, where its test does not need another number."""


def runs_all() -> bool:
    """Whether every case is wanted."""
    return os.environ.get("TELOOM_TESTS") == "all"


def few(values: Sequence[Any], count: int) -> list[Any]:
    """So many of the values, at even distances, the first and the last among them.

    >>> few(range(10), 4)
    [0, 3, 6, 9]
    """
    if runs_all():
        return list(values)
    return [values[k * (len(values) - 1) // (count - 1)] for k in range(count)]


def chosen(values: Sequence[Any], those: Sequence[Any]) -> list[Any]:
    """Those of the values that a test needs, where the others show nothing more.

    >>> chosen("abcd", "bd")
    ['b', 'd']
    """
    return list(values if runs_all() else those)


def is_chosen(case: Any, those: Sequence[Any]) -> bool:
    """Whether a case is one of those that a test needs, where it asks less of the others.

    >>> is_chosen("a", "bd")
    False
    """
    return runs_all() or case in those


def each(*axes: Sequence[Any], turn: int = 0) -> list[tuple[Any, ...]]:
    """Cases in which every value of each axis stands: as many as the longest axis has values.

    `turn` chooses which values meet: another test of the same axes has other pairs.

    >>> each("abcd", (1, 2))
    [('a', 1), ('b', 2), ('c', 1), ('d', 2)]
    >>> each("abcd", (1, 2), turn=1)
    [('a', 2), ('b', 1), ('c', 2), ('d', 1)]
    """
    if runs_all():
        return list(product(*axes))
    return [
        tuple(axis[(k + turn * place) % len(axis)] for place, axis in enumerate(axes))
        for k in range(max(map(len, axes)))
    ]


def pairs(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Cases in which every two values of two axes meet, chosen greedily.

    A fault that is seen only where three values meet is left to a run of all cases.

    >>> pairs("ab", "cd", "ef")
    [('a', 'c', 'e'), ('a', 'd', 'f'), ('b', 'c', 'f'), ('b', 'd', 'e')]
    """
    cases = list(product(*axes))
    if runs_all():
        return cases
    met = [
        set(combinations(enumerate(places), 2))
        for places in product(*(range(len(axis)) for axis in axes))
    ]
    left = set().union(*met)
    chosen: list[int] = []
    while left:
        best = max(range(len(cases)), key=lambda case: len(met[case] & left))
        left -= met[best]
        chosen.append(best)
    return [cases[case] for case in sorted(chosen)]
