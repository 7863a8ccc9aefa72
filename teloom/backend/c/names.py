"""Identifiers of C for the names of the IR: no keyword, no function of C's library, none twice."""

from __future__ import annotations

import re

from teloom.backend.c.expressions import LANE
from teloom.backend.c.helpers import HELPERS
from teloom.backend.c.keywords import KEYWORDS, is_taken
from teloom.backend.c.library_names import LIBRARY_NAMES

RESERVED = LIBRARY_NAMES | KEYWORDS | {"main", LANE}
"""Names that a program's own have to differ from."""

_HELPERS = re.compile(rf"({'|'.join(HELPERS)})_(i|u|f|bf)\d+")

_OF_SOURCES = re.compile(
    r"(i|u|f|bf)\d+(x\d+)?(_at\d+|_aliased|_to_\w+)?|boolx\d+|status|failed\d*|omp_.*"
    r"|(ceil|copysign|fabs|floor|fma|fmax|fmin|nan|nearbyint|rint|round|roundeven|sqrt|trunc)"
    r"f(32|64|128)x?"
)


def identifier(text: str) -> str:
    """`text` as an identifier that no header and no helper function has.

    >>> identifier("i.outer"), identifier("exp"), identifier("2nd"), identifier("größe")
    ('i_outer', 'exp_', 'v2nd', 'gr__e')
    """
    found = re.sub(r"[^A-Za-z0-9_]", "_", text) or "v"
    if found[0].isdigit() or found[0] == "_":
        found = "v" + found
    is_own = any(one.fullmatch(found) for one in (_OF_SOURCES, _HELPERS))
    return found + "_" if is_own or found in RESERVED or is_taken(found) else found


class Scopes:
    """The identifiers that are taken, from the outermost block to the innermost.

    A name that a block has is free again behind it: loops one after the other have one counter.
    """

    def __init__(self, taken: set[str]):
        self._taken = [taken]
        self._numbers = 0

    def enter(self) -> None:
        self._taken.append(set())

    def leave(self) -> None:
        self._taken.pop()

    def new(self, hint: str | None) -> str:
        """An identifier for a value with this name; without one, a number."""
        if hint is None:
            self._numbers += 1
            hint = f"v{self._numbers}"
        wanted = name = identifier(hint)
        number = 0
        while any(name in block for block in self._taken):
            number += 1
            name = f"{wanted.rstrip('_')}_{number}"
        self._taken[-1].add(name)
        return name
