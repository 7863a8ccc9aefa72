"""What a kernel is made of, as the cache keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from teloom.analysis.signature import Signature
from teloom.backend.call import region_code, workspace_code
from teloom.backend.call.callbacks import External, addresses
from teloom.backend.machine import compiler_runtime
from teloom.dialects.runtime import PARALLEL, THREADS
from teloom.dialects.target import Target

SYMBOL_PREFIX = "teloom."
"""The prefix of functions in machine code. Without it, a kernel called `exp` would be linked where
code for `math.exp` calls the C function."""


class Recipe(NamedTuple):
    """What a kernel is made of, besides the object code and the functions of this process.

    The object code is in the cache under the keys `codes`, perhaps with that of other kernels. The
    kernel calls the functions `called`. What has numbers of 16 bits may call those of a compiler's
    runtime, too.
    """

    signature: Signature
    machine: Target
    codes: tuple[str, ...]
    called: tuple[str, ...]
    allocates: bool
    has_half: bool
    has_tiles: bool
    assertions: tuple[str, ...]

    @property
    def symbol(self) -> str:
        """The name of the function in the object code."""
        return SYMBOL_PREFIX + self.signature.name

    def symbols(self, externals: Mapping[str, External]) -> dict[str, int]:
        """The addresses of the functions of ours and of the user's that the code may call."""
        own = workspace_code.OWN.addresses() if self.allocates else {}
        threads = region_code.OWN.addresses() if self.is_parallel else {}
        casts = compiler_runtime.OWN.addresses() if self.has_half else {}
        return {**casts, **addresses(externals), **own, **threads}

    def externals(self, known: Mapping[str, External]) -> list[External]:
        """The functions of the user's that the kernel calls."""
        return [known[name] for name in self.called if name in known]

    @property
    def is_parallel(self) -> bool:
        """Whether the code has loops that threads share."""
        return PARALLEL in self.called or THREADS in self.called
