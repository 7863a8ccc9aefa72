"""Quotients of vectors, by divisors that LLVM's code generator knows nothing of.

LLVM 22's `SimplifyDemandedVectorElts` takes a lane of a quotient for 0 where dividend and divisor
are 0. It is NaN. So a mask that was to make such lanes 0 is left out: of lanes that are not loaded,
behind the end of a row, say. A fence is no instruction, but nothing is known of what is behind it.
"""

from __future__ import annotations

import itertools
import re

_QUOTIENT = re.compile(
    r"^ +%\S+ = f(?:div|rem) (?:[a-z]+ )*(?P<type><(?P<lanes>\d+) x (?P<element>\w+)>) "
    r"[^\n]*?, (?P<divisor>%[-\w.$]+)(?:, ![^\n]*)?$",
    re.MULTILINE,
)

_NAMES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
_FENCED_EVERYWHERE = ("float", "double")
_FENCE_ALL = ("x86_64", "aarch64", "arm64")
"""The architectures that have fences for short floats, which others promote."""


def may_be_in(text: str) -> bool:
    """Whether there are quotients in LLVM IR, or in what it is optimized to."""
    return "fdiv " in text or "frem " in text


def with_fences(text: str, architecture: str) -> str:
    """Optimized LLVM IR with a fence in front of each quotient of vectors, at its divisor."""
    numbers = itertools.count()

    def fenced(quotient: re.Match[str]) -> str:
        element, type, divisor = quotient["element"], quotient["type"], quotient["divisor"]
        if element not in _FENCED_EVERYWHERE and architecture not in _FENCE_ALL:
            return quotient[0]
        name = f"%fenced.{next(numbers)}"
        fence = f"@llvm.arithmetic.fence.v{quotient['lanes']}{_NAMES[element]}"
        begin, end = (place - quotient.start() for place in quotient.span("divisor"))
        behind = quotient[0][:begin] + name + quotient[0][end:]
        return f"  {name} = call {type} {fence}({type} {divisor})\n{behind}"

    return _QUOTIENT.sub(fenced, text)
