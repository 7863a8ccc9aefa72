"""Masked stores of one lane, as plain stores.

LLVM 22's code for AVX-512 is wrong for a masked store of truncated integers if the mask has one
lane: it stores that lane as wide as it was before the truncation. The loop vectorizer makes such
stores of the last iterations of short loops, and of branches.
"""

import itertools
import math
import re

from llvmlite.binding import ModuleRef

_CALL = re.compile(
    r"^ +(?:tail )?call void @llvm\.masked\.store\.[\w.]+\("
    r"(?P<vector><\d+ x i(?P<bits>\d+)> \S+), ptr (?:[\w()]+ )*?align (?P<align>\d+) (?P<at>%\S+), "
    r"<\d+ x i1> <(?P<mask>i1 \w+(?:, i1 \w+)*)>\)(?: #\d+)?(?P<metadata>.*)$",
    re.MULTILINE,
)

_OF_INTEGERS = re.compile(r"llvm\.masked\.store\.v\d+i")


def are_in(module: ModuleRef) -> bool:
    """Whether a module has masked stores of integers, which alone can be truncated."""
    return any(_OF_INTEGERS.match(function.name) for function in module.functions)


def with_plain_stores(text: str) -> str:
    """Optimized LLVM IR with plain stores for masked ones whose constant masks have one lane."""
    numbers = itertools.count()

    def plain(call: re.Match[str]) -> str:
        lanes = call["mask"].split(", ")
        if lanes.count("i1 true") != 1:
            return call[0]
        lane, number, bits = lanes.index("i1 true"), next(numbers), int(call["bits"])
        alignment = math.gcd(int(call["align"]), lane * bits // 8)
        value, at = f"%one.lane.{number}", f"%one.lane.at.{number}"
        return (
            f"  {value} = extractelement {call['vector']}, i64 {lane}\n"
            f"  {at} = getelementptr inbounds i{bits}, ptr {call['at']}, i64 {lane}\n"
            f"  store i{bits} {value}, ptr {at}, align {alignment}{call['metadata']}"
        )

    return _CALL.sub(plain, text)
