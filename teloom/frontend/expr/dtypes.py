"""The element types: their names, their types in IR, and the type in which two of them meet."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute

from teloom.errors import Error

FLOAT, INT, UINT, BOOL = "float", "int", "uint", "bool"


class DType(NamedTuple):
    """One element type.

    `scalar` is the type of a value in IR, where integers have no sign, and `element`
    the type of a tensor's elements, where unsigned integers keep theirs. A float's
    `largest` is its greatest finite value.
    """

    name: str
    kind: str
    bits: int
    scalar: Any
    element: Any
    largest: float = 0.0

    @property
    def bytes(self) -> int:
        """The bytes of an element in memory; a bool takes a whole one."""
        return max(8, self.bits) // 8

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


def _float(name: str, type: Attribute, bits: int, largest: float) -> DType:
    return DType(name, FLOAT, bits, type, type, largest)


def _int(bits: int) -> DType:
    return DType(f"int{bits}", INT, bits, IntegerType(bits), IntegerType(bits))


def _uint(bits: int) -> DType:
    unsigned = IntegerType(bits, Signedness.UNSIGNED)
    return DType(f"uint{bits}", UINT, bits, IntegerType(bits), unsigned)


DTYPES = {
    dtype.name: dtype
    for dtype in (
        _float("float16", f16, 16, 65504.0),
        _float("bfloat16", bf16, 16, (2 - 2**-7) * 2.0**127),
        _float("float32", f32, 32, (2 - 2**-23) * 2.0**127),
        _float("float64", f64, 64, (2 - 2**-52) * 2.0**1023),
        *(_int(bits) for bits in (8, 16, 32, 64)),
        *(_uint(bits) for bits in (8, 16, 32, 64)),
        DType("bool", BOOL, 1, IntegerType(1), IntegerType(1)),
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
        raise Error(f"unknown dtype {dtype!r}; known are {', '.join(DTYPES)}")
    return name


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


def constant(value: float, dtype: str) -> IntegerAttr | FloatAttr:
    """The constant `value` as an attribute; an integer that does not fit wraps."""
    info = of(dtype)
    if info.kind == FLOAT:
        return FloatAttr(float(value), info.scalar)
    return IntegerAttr(int(value), info.scalar, truncate_bits=True)


def rounded(value: float, dtype: str) -> float:
    """The number of the float `dtype` that is next to `value`."""
    return FloatAttr(float(value), of(dtype).scalar).value.data


def holds(dtype: str, value: float) -> bool:
    """Whether `value` is a number of `dtype`, as `checked_value` says."""
    try:
        checked_value(value, dtype)
    except Error:
        return False
    return True


def checked_value(value: float, dtype: str) -> int | float:
    """`value` as a number of `dtype`; raises `teloom.Error` for any other value."""
    info = of(dtype)
    if info.kind == FLOAT:
        try:
            number = float(value)
        except OverflowError:
            raise Error(f"{value} does not fit {dtype}") from None
        if math.isfinite(number) and abs(number) > info.largest:
            raise Error(f"{value} does not fit {dtype}, whose largest value is {info.largest}")
        return number
    if value != value or value in (math.inf, -math.inf) or int(value) != value:
        raise Error(f"{value} is not an integer, as {dtype} needs")
    if not info.lowest <= value <= info.highest:
        raise Error(f"{value} does not fit {dtype}, which holds {info.lowest}..{info.highest}")
    return int(value)
