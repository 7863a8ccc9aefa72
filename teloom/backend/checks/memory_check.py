"""A run that looks, at each access to memory, whether it finds what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, IntAttr, ModuleOp, StringAttr

from teloom.analysis import shadow_state as state
from teloom.analysis.signature import Argument, Signature
from teloom.backend.call.compiled import compile_llvm
from teloom.backend.call.kernel import Kernel
from teloom.backend.checks.repeated_calls import RepeatedCalls
from teloom.backend.checks.shadow_runtime import functions
from teloom.backend.machine.generators import SOON_MADE
from teloom.errors import PassError, WrongAccessError
from teloom.passes.checks.check_accesses import NAMES, SITES, WORD_COUNT


def _strings(op: func.FuncOp, key: str) -> list[str]:
    given = op.attributes[key]
    assert isinstance(given, ArrayAttr)
    return [one.data for one in given if isinstance(one, StringAttr)]


@dataclass(frozen=True)
class MemoryCheck:
    """Checked code of a function; call it before the function itself, with the same arrays."""

    kernel: Kernel
    labels: AccessLabels
    calls: RepeatedCalls

    def __call__(
        self,
        sizes: Sequence[int],
        arrays: Sequence[np.ndarray[Any, Any]],
        addresses: Sequence[int],
        lengths: Sequence[int],
    ) -> None:
        """Runs the code, and leaves the arrays as they were.

        Raises `WrongAccessError` with the first access that found something else, and what
        the code itself raises.
        """
        words = np.zeros(self.labels.words, "int64")
        words[state.NEXT] = 1
        words[state.LENGTHS : state.LENGTHS + len(arrays)] = lengths
        written = [
            array
            for array, argument in zip(arrays, self.kernel.signature.arguments, strict=False)
            if argument.output
        ]
        before = [array.copy() for array in written]
        self.calls.forget()
        try:
            self.kernel.run(sizes, [*addresses, words.ctypes.data])
        finally:
            for array, values in zip(written, before, strict=True):
                array[...] = values
        if words[state.FOUND]:
            self.calls.forget()
            raise WrongAccessError(self._said(words))

    def _said(self, words: np.ndarray[Any, Any]) -> str:
        place = ", ".join(map(str, words[state.FIRST_AT :][: words[state.RANK]]))
        more = words[state.FOUND] - 1
        others = f"; {more} more accesses are wrong" if more else ""
        return f"{self.labels.sites[words[state.SITE]]}[{place}], {self._wrong(words)}{others}"

    def _wrong(self, words: np.ndarray[Any, Any]) -> str:
        there = int(words[state.TAG])
        match words[state.KIND]:
            case state.OUTSIDE_MEMORY:
                return f"outside of the {there} elements of its buffer"
            case state.OUTSIDE_REGION:
                return "outside of the region that is stored"
            case state.AT_THE_SAME_TIME:
                return f"where another iteration of a parallel loop has {self._region(there)}"
        if there == state.NOTHING:
            return "which nothing has written"
        if there == state.FREED:
            return "whose memory has been freed"
        if there == state.GIVEN:
            return "in memory that the caller only lets it read"
        if there % state.REGIONS == words[state.FIRST] % state.REGIONS != 0:
            age = "an earlier" if there < words[state.FIRST] else "another element of"
            return f"where {age} {self._region(there)} was written last"
        return f"where {self._region(there)} was written last"

    def _region(self, tag: int) -> str:
        return self.labels.regions[tag % state.REGIONS]


class AccessLabels(NamedTuple):
    """The labels of code of `check-accesses`: its accesses, its regions, and its size in words."""

    sites: list[str]
    regions: list[str]
    words: int


def labels_of(module: ModuleOp, name: str) -> AccessLabels:
    """The labels that `check-accesses` has left at a function; later passes drop them."""
    functions = (op for op in module.ops if isinstance(op, func.FuncOp))
    function = next(op for op in functions if op.sym_name.data == name)
    if SITES not in function.attributes:
        raise PassError(f"{name} is called by another function; it cannot be checked")
    words = function.attributes[WORD_COUNT]
    assert isinstance(words, IntAttr)
    return AccessLabels(_strings(function, SITES), _strings(function, NAMES), words.data)


def memory_check(
    module: ModuleOp,
    signature: Signature,
    labels: AccessLabels,
    calls: RepeatedCalls | None = None,
    symbols: Mapping[str, int] = MappingProxyType({}),
) -> MemoryCheck:
    """Checked code of the function that `signature` describes, of a module of the `llvm` dialect.

    `calls` and `symbols`, by their addresses, are what the code may call; of `calls`, the
    function itself runs the second ones.
    """
    calls = calls or RepeatedCalls({})
    with_state = replace(
        signature, arguments=(*signature.arguments, Argument("state", "int64", None, True))
    )
    addresses = functions().addresses()
    kernel = compile_llvm(module, with_state, {**symbols, **addresses}, calls.first, SOON_MADE)
    kernel.num_threads = 1  # there is one shadow
    return MemoryCheck(kernel, labels, calls)
