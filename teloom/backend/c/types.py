"""The numbers of C: how a type of the IR is spelled, and its literals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isinf, isnan

import numpy as np
from xdsl.dialects import builtin
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from teloom.errors import PassError
from teloom.passes.llvm.types import element_type

BITS = (8, 16, 32, 64)
"""The widths of C's integers."""


@dataclass(frozen=True)
class NumberType:
    """A type of C's numbers: an integer with or without a sign, a float, a truth value.

    A float of 16 bits is an unsigned integer that holds its bits. A mask is what a comparison of
    vectors gives: an integer of as many bits as what is compared, -1 for true.
    """

    family: str
    """`i`, `u`, `f` (also of 16 bits), `bf`, `b` (truth values), `m` (masks) or `p` (addresses)."""
    bits: int

    @property
    def spelled(self) -> str:
        """The name of the type in C."""
        match self.family:
            case "i" | "m":
                return f"int{self.bits}_t"
            case "u":
                return f"uint{self.bits}_t"
            case "b":
                return "bool"
            case "p":
                return "void *"
            case _:
                return {16: self.short, 32: "float", 64: "double"}[self.bits]

    @property
    def short(self) -> str:
        """The name in helper functions and in types of vectors, such as `f32`."""
        return "bool" if self.family == "b" else f"{self.family}{self.bits}".replace("m", "i")

    @property
    def stored(self) -> str:
        """The name of the type in memory, where a truth value is a byte."""
        return "uint8_t" if self.family == "b" else self.spelled

    @property
    def is_float(self) -> bool:
        return self.family in ("f", "bf")

    @property
    def is_short(self) -> bool:
        """Whether it is a float of 16 bits."""
        return self.is_float and self.bits == 16

    @property
    def is_integer(self) -> bool:
        return self.family in ("i", "u")

    @property
    def bytes(self) -> int:
        return 1 if self.family == "b" else self.bits // 8

    def of(self, family: str) -> NumberType:
        """The number of another family with as many bits."""
        return replace(self, family=family)


BOOL = NumberType("b", 8)
POINTER = NumberType("p", 64)
I32, I64, U32, U64 = (
    NumberType("i", 32),
    NumberType("i", 64),
    NumberType("u", 32),
    NumberType("u", 64),
)
F32, F64 = NumberType("f", 32), NumberType("f", 64)

_FLOATS = {
    builtin.Float16Type: NumberType("f", 16),
    builtin.BFloat16Type: NumberType("bf", 16),
    builtin.Float32Type: F32,
    builtin.Float64Type: F64,
}


def number_of(type: Attribute) -> NumberType:
    """The number that a lane of a value of `type` is; integers have a sign.

    Raises `PassError` for a type that C does not have.
    """
    element = element_type(type)
    if isinstance(element, builtin.IndexType):
        return I64
    if isinstance(element, builtin.IntegerType):
        if element.width.data == 1:
            return BOOL
        if element.width.data in BITS:
            return NumberType("i", element.width.data)
    found = _FLOATS.get(element.__class__)  # pyright: ignore
    if found is None:
        raise PassError(f"C has no type for {type}")
    return found


def lanes_of(type: Attribute) -> int:
    """The lanes of a vector; 0 for a scalar. Raises `PassError` for a vector of several axes."""
    if not isinstance(type, builtin.VectorType):
        return 0
    if len(type.shape) != 1:
        raise PassError(f"cannot write {type} in C: only vectors of one axis")
    return type.get_shape()[0]


def is_pointer(type: Attribute) -> bool:
    """Whether a value of `type` is an address in C."""
    return isinstance(type, builtin.MemRefType | LLVMPointerType)


def integer_literal(value: int, number: NumberType) -> str:
    """An integer that C reads as `value`, of a type that is at most as wide as `number`."""
    if number.family == "u":
        return f"{value}u"
    if value == -(2**63):
        return "INT64_MIN"
    return str(value)


def float_literal(value: float, number: NumberType) -> str:
    """A literal of `float` or `double` that is read as just `value`, or a macro of <math.h>."""
    suffix = "f" if number.bits == 32 else ""
    if isnan(value):
        return "NAN" if number.bits == 32 else "(double)NAN"
    if isinf(value):
        infinity = "INFINITY" if number.bits == 32 else "(double)INFINITY"
        return infinity if value == inf else f"-{infinity}"
    text = repr(float(value))
    if number.bits == 32:
        text = str(np.float32(value))
    if not any(sign in text for sign in ".e"):
        text += ".0"
    return text + suffix


def integer_range(number: NumberType) -> tuple[int, int]:
    """The least and the greatest value of a signed integer, or of a truth value as -1 or 0."""
    if number.family == "b":
        return -1, 0
    return -(2 ** (number.bits - 1)), 2 ** (number.bits - 1) - 1
