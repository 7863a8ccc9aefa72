"""Code that turns masks into numbers, made for AVX-512 without its short vectors.

LLVM 22's `tryCompressVPMOVPattern` makes one instruction of `vpmov*2m` and `kmov` for vectors of
128 and 256 bits. The one instruction has no names for the registers from 16 on: it reads another
register then (https://github.com/llvm/llvm-project/issues/191304), and where the mask is used
again, that is undefined (issue 198197). Without `avx512vl` there is no `vpmov*2m` of such vectors;
those of 512 bits stay as they are. Then arithmetic of float16 by `avx512fp16` goes, too: without
short vectors, LLVM finds no instruction for some of it, and ends the process.
"""

from __future__ import annotations

import re
from dataclasses import replace

from teloom.dialects.target import Target

SHORT_VECTORS = "avx512vl"

_WITHOUT = f"-{SHORT_VECTORS},-avx512fp16"

_BECOMES_A_NUMBER = (
    re.compile(r"extractelement <\d+ x i1>"),
    re.compile(r"bitcast <\d+ x i1>"),
    re.compile(r"@llvm\.vector\.reduce\.\w+(?:\.\w+)?\(<\d+ x i1>"),
    re.compile(r"@llvm\.masked\.(?:gather|scatter)\.v\d+i(?:8|16)\."),
)
"""Where a mask, or one of its bits, becomes a number in optimized LLVM IR.

Several expressions, for one that begins with a word is found ten times as fast as a choice."""

_MASK = re.compile(r"x i1>|cmp [a-z ]+<")
"""A mask that is written out, or compared vectors, which give one."""

_FEATURES = re.compile(r'("target-features"="[^"]*)"')


def _has_numbers_of_masks(text: str) -> bool:
    return any(kind.search(text) for kind in _BECOMES_A_NUMBER)


def are_in(text: str) -> bool:
    """Whether LLVM IR has masks."""
    return _MASK.search(text) is not None


def for_code(machine: Target, text: str) -> Target:
    """The machine to generate code for, of optimized LLVM IR."""
    if not machine.has(SHORT_VECTORS) or not _has_numbers_of_masks(text):
        return machine
    return replace(machine, features=f"{machine.features},{_WITHOUT}")


def in_functions(text: str) -> str:
    """Optimized LLVM IR whose functions say what they may use, for these to be right."""
    if f"+{SHORT_VECTORS}" not in text or not _has_numbers_of_masks(text):
        return text
    return _FEATURES.sub(rf'\1,{_WITHOUT}"', text)
