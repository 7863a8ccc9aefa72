"""Comparisons of vectors of f16, made for WebAssembly in f32.

LLVM 22 aborts at one for WebAssembly with `simd128`: it widens the result, a mask, and has no way
to widen the operands. Comparisons of f32 are as exact; but LLVM's optimizer makes these of f16
where the operands were, so they are written behind it.
"""

import itertools
import re

_COMPARE = re.compile(
    r"^ +(?P<result>%\S+) = fcmp (?P<how>[\w ]+) (?P<type><(?P<lanes>\d+) x half>) "
    r"(?P<left>%[\w.$-]+|%\"[^\"]*\"|zeroinitializer|poison|undef|splat \(.*?\)|<.*?>)"
    r", (?P<right>.*?)(?P<metadata>(?:, ![\w.]+ !\d+)*)$",
    re.MULTILINE,
)


def in_f32(text: str) -> str:
    """Optimized LLVM IR in which no comparison is of vectors of f16."""
    numbers = itertools.count()

    def wide(call: re.Match[str]) -> str:
        number, type = next(numbers), f"<{call['lanes']} x float>"
        left, right = f"%half.left.{number}", f"%half.right.{number}"
        return (
            f"  {left} = fpext {call['type']} {call['left']} to {type}\n"
            f"  {right} = fpext {call['type']} {call['right']} to {type}\n"
            f"  {call['result']} = fcmp {call['how']} {type} {left}, {right}{call['metadata']}"
        )

    return _COMPARE.sub(wide, text)
