"""The element types: their names, their numbers, and the type in which two of them meet."""

from __future__ import annotations

import math
from typing import NamedTuple

from teloom.errors import Error, did_you_mean

FLOAT, INT, UINT, BOOL = "float", "int", "uint", "bool"


class DType(NamedTuple):
    """One element type.

    A float has `digits` binary ones, and 2 to the power of `exponent` is the greatest power of two
    among its numbers.
    """

    name: str
    kind: str
    bits: int
    digits: int = 0
    exponent: int = 0

    @property
    def bytes(self) -> int:
        """The bytes of an element in memory; a bool takes a whole one."""
        return max(8, self.bits) // 8

    @property
    def largest(self) -> float:
        """The greatest finite value of a float."""
        return math.ldexp(2 - 2.0 ** (1 - self.digits), self.exponent)

    @property
    def lowest(self) -> int | float:
        """The least value; of a float, the least finite one."""
        match self.kind:
            case "float":
                return -self.largest
            case "int":
                return -(1 << (self.bits - 1))
            case _:
                return 0

    @property
    def highest(self) -> int | float:
        """The greatest value; of a float, the greatest finite one."""
        match self.kind:
            case "float":
                return self.largest
            case "int":
                return (1 << (self.bits - 1)) - 1
            case _:
                return (1 << self.bits) - 1


DTYPES = {
    dtype.name: dtype
    for dtype in (
        DType("float16", FLOAT, 16, 11, 15),
        DType("bfloat16", FLOAT, 16, 8, 127),
        DType("float32", FLOAT, 32, 24, 127),
        DType("float64", FLOAT, 64, 53, 1023),
        *(DType(f"int{bits}", INT, bits) for bits in (8, 16, 32, 64)),
        *(DType(f"uint{bits}", UINT, bits) for bits in (8, 16, 32, 64)),
        DType("bool", BOOL, 1),
    )
}


def of(name: str) -> DType:
    """The element type of a name that `checked_name` gave."""
    return DTYPES[name]


_WITHOUT_BITS = {"float": "float32", "int": "int32", "uint": "uint32"}


def checked_name(dtype: object) -> str:
    """The name of a dtype given as a name, a NumPy dtype or a NumPy scalar type.

    As in TVM, float, int and uint without a number have 32 bits. Raises `teloom.Error` for any
    other one.
    """
    if isinstance(dtype, str):
        name = _WITHOUT_BITS.get(dtype, dtype)
    else:
        name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    if name not in DTYPES:
        raise Error(f"unknown dtype {dtype!r}{_hint(name)}")
    return name


def _hint(name: object) -> str:
    return did_you_mean(name, DTYPES) or f"; known are {', '.join(DTYPES)}"


def promote(a: str, b: str) -> str:
    """The dtype in which a binary operation on `a` and `b` is done.

    A float wins over an integer, whatever their widths. Of two floats or two
    integers the wider one wins; of two integers of one width, the unsigned one.
    bool is the narrowest integer. float16 and bfloat16 meet in float32.
    Source: TVM's BinaryOpMatchTypes, which leaves the last pair open.

    >>> promote("int64", "float16"), promote("int8", "uint8"), promote("int16", "uint8")
    ('float16', 'uint8', 'int16')
    """
    first, second = of(a), of(b)
    if a == b:
        return a
    if (first.kind == FLOAT) != (second.kind == FLOAT):
        return a if first.kind == FLOAT else b
    if first.bits != second.bits:
        return a if first.bits > second.bits else b
    if first.kind == FLOAT:
        return "float32"
    return a if first.kind == UINT else b


def rounded(value: float, dtype: str) -> float:
    """The number of the float `dtype` that is next to `value`, of two the even one.

    >>> rounded(1 / 3, "float16"), rounded(-1e-50, "float32")
    (0.333251953125, -0.0)
    """
    if not math.isfinite(value):
        return value
    info = of(dtype)
    least = 2 - info.exponent - info.digits  # of numbers without a leading one
    unit = max(math.frexp(value)[1] - info.digits, least)
    return math.copysign(math.ldexp(round(math.ldexp(value, -unit)), unit), value)


def holds(dtype: str, value: float) -> bool:
    """Whether `value` is a number of `dtype`, as `checked_value` says."""
    try:
        checked_value(value, dtype)
    except Error:
        return False
    return True


def of_integer(number: int) -> str:
    """The dtype of an integer of Python alone: int32, or int64 if that does not hold it.

    Source: TVM's const.
    """
    return "int32" if holds("int32", number) else "int64"


def checked_value(value: float, dtype: str) -> int | float:
    """`value` as a number of `dtype`; raises `teloom.Error` for any other value."""
    info = of(dtype)
    if info.kind == FLOAT:
        try:
            number = float(value)
        except OverflowError:
            raise Error(f"{_said(value)} does not fit {dtype}") from None
        if math.isfinite(number) and abs(number) > info.largest:
            raise Error(f"{value} does not fit {dtype}, whose largest value is {info.largest}")
        return number
    if value != value or value in (math.inf, -math.inf) or int(value) != value:
        raise Error(f"{value} is not an integer, as {dtype} needs")
    if not info.lowest <= value <= info.highest:
        held = f"{info.lowest}..{info.highest}"
        raise Error(f"{_said(value)} does not fit {dtype}, which holds {held}")
    return int(value)


def _said(value: float) -> str:
    """A number in a message; Python writes no integer of thousands of digits."""
    digits = math.floor(math.log10(abs(value))) + 1 if isinstance(value, int) and value else 1
    return str(value) if digits <= 100 else f"a number of {digits} digits"
