"""Comparisons and extensions of vectors of f16, made for WebAssembly by way of f32.

LLVM 22 aborts at a comparison for WebAssembly with `simd128`: it widens the result, a mask, and has
no way to widen the operands. Without `simd128`, it gives the function that extends one number an
argument of the wrong type, where vectors become f64, and no engine takes the module. By way of f32
both are as exact; but LLVM's optimizer makes them of f16 again, so they are written behind it.
"""

import itertools
import re

_COMPARE = re.compile(
    r"^ +(?P<result>%\S+) = fcmp (?P<how>[\w ]+) (?P<type><(?P<lanes>\d+) x half>) "
    r"(?P<left>%[\w.$-]+|%\"[^\"]*\"|zeroinitializer|poison|undef|splat \(.*?\)|<.*?>)"
    r", (?P<right>.*?)(?P<metadata>(?:, ![\w.]+ !\d+)*)$",
    re.MULTILINE,
)

_EXTEND = re.compile(
    r"^ +(?P<result>%\S+) = fpext (?P<flags>(?:\w+ )*)(?P<type><(?P<lanes>\d+) x half>) "
    r"(?P<value>.*?) to <\d+ x double>(?P<metadata>(?:, ![\w.]+ !\d+)*)$",
    re.MULTILINE,
)


def in_f32(text: str) -> str:
    """Optimized LLVM IR in which vectors of f16 are not compared, and become f32 first."""
    numbers = itertools.count()

    def wide(call: re.Match[str]) -> str:
        number, type = next(numbers), f"<{call['lanes']} x float>"
        left, right = f"%half.left.{number}", f"%half.right.{number}"
        return (
            f"  {left} = fpext {call['type']} {call['left']} to {type}\n"
            f"  {right} = fpext {call['type']} {call['right']} to {type}\n"
            f"  {call['result']} = fcmp {call['how']} {type} {left}, {right}{call['metadata']}"
        )

    def extended(call: re.Match[str]) -> str:
        between, type = f"%half.wide.{next(numbers)}", f"<{call['lanes']} x float>"
        return (
            f"  {between} = fpext {call['flags']}{call['type']} {call['value']} to {type}\n"
            f"  {call['result']} = fpext {call['flags']}{type} {between} to "
            f"<{call['lanes']} x double>{call['metadata']}"
        )

    return _EXTEND.sub(extended, _COMPARE.sub(wide, text))
