"""Storage scopes, such as `"shared"`: the memory of a tensor, and who sees one copy of it.

In text a scope stands behind `in`. On a buffer it is the memory space, `memref<8xf32, "shared">`.
"""

from __future__ import annotations

import re

from xdsl.dialects.builtin import MemRefType, NoneAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from teloom.errors import did_you_mean

GLOBAL = "global"
SCOPE_RANKS = {GLOBAL: 0, "shared": 1, "warp": 2, "local": 3}
"""From memory that all threads see to memory of one thread; the order is TVM's."""

_SCOPE = re.compile(rf"({'|'.join(SCOPE_RANKS)})(\.\w+)?", re.ASCII)


def scope_name(scope: str) -> str:
    """The scope without its tag: `global` of `global.vtcm`."""
    return scope.partition(".")[0]


def is_tagged(scope: str) -> bool:
    """Whether a scope has a tag, as `global.vtcm`: a memory that only some targets have."""
    return "." in scope


def is_in_registers(scope: str) -> bool:
    """Whether its buffers may be registers: those of a single thread or warp, without a tag."""
    return not is_tagged(scope) and SCOPE_RANKS[scope] >= SCOPE_RANKS["warp"]


def is_scope(text: str) -> bool:
    """Whether `text` is a scope, with or without a tag behind a dot."""
    return _SCOPE.fullmatch(text) is not None


def verify_scope(scope: str) -> None:
    """Raises VerifyException for a text that is no scope."""
    if not is_scope(scope):
        raise VerifyException(
            f'no storage scope "{scope}"; scopes: {", ".join(SCOPE_RANKS)}, '
            f"and each with a tag, as in global.vtcm{did_you_mean(scope, SCOPE_RANKS)}"
        )


def memory_space(scope: str) -> StringAttr | NoneAttr:
    """The memory space of a buffer in this scope; the global scope is the default space."""
    return NoneAttr() if scope == GLOBAL else StringAttr(scope)


def scope_of_buffer(type: MemRefType) -> str | None:
    """The scope of a buffer; None for a memory space that is no scope."""
    space: Attribute = type.memory_space
    if isinstance(space, NoneAttr):
        return GLOBAL
    return space.data if isinstance(space, StringAttr) and is_scope(space.data) else None
