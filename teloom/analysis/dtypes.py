"""The types of elements in IR, and what NumPy calls them."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute

from teloom.errors import PassError

FLOAT_DTYPES = {
    Float16Type: "float16",
    BFloat16Type: "bfloat16",
    Float32Type: "float32",
    Float64Type: "float64",
}
INTEGER_DTYPES = {1: "bool", 8: "int8", 16: "int16", 32: "int32", 64: "int64"}

DTYPES = frozenset(
    (*FLOAT_DTYPES.values(), *INTEGER_DTYPES.values(), "uint8", "uint16", "uint32", "uint64")
)
"""NumPy's names of all types of elements."""


def dtype_of(type: Attribute) -> str:
    """NumPy's name of an element type; integers without a sign count as signed.

    Raises `PassError` for a type that no array has.
    """
    if isinstance(type, IndexType):
        return "int64"
    if isinstance(type, IntegerType):
        name = INTEGER_DTYPES.get(type.width.data)
        if name is not None and type.signedness.data is Signedness.UNSIGNED:
            name = f"u{name}"
    else:
        name = FLOAT_DTYPES.get(type.__class__)  # pyright: ignore
    if name is None:
        raise PassError(f"no array has elements of type {type}")
    return name


_FLOATS: dict[str, AnyFloat] = {name: type() for type, name in FLOAT_DTYPES.items()}
_BITS = {name: bits for bits, name in INTEGER_DTYPES.items()}


@cache
def scalar_type(dtype: str) -> AnyFloat | IntegerType:
    """The type of a value, where integers have no sign."""
    return _FLOATS.get(dtype) or IntegerType(_BITS[dtype.removeprefix("u")])


@cache
def element_type(dtype: str) -> AnyFloat | IntegerType:
    """The type of a tensor's elements, where unsigned integers keep their sign."""
    type = scalar_type(dtype)
    if isinstance(type, IntegerType) and dtype.startswith("u"):
        return IntegerType(type.width.data, Signedness.UNSIGNED)
    return type
