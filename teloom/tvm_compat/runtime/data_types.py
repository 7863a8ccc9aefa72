"""`tvm.DataType`: the name of a dtype, and what it is made of."""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from teloom.errors import Error
from teloom.frontend.expr import dtypes


class DataTypeCode(IntEnum):
    """The numbers of the kinds of dtypes. Source: TVM's DataTypeCode, which is DLPack's."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    BFLOAT = 4


class DataType(str):
    """The name of a dtype, with its `type_code`, its `bits` and its `lanes`.

    It is a text, which stands wherever te wants a dtype; no tensor has elements of several lanes.
    Raises `teloom.Error` for dtypes that te has not. Source: TVM's DataType.

    >>> one = DataType("uint8x4")
    >>> one.type_code == DataTypeCode.UINT, one.bits, one.lanes
    (True, 8, 4)
    >>> DataType("float"), DataType("bool").bits
    ('float32', 1)
    """

    type_code: DataTypeCode
    bits: int
    lanes: int

    def __new__(cls, type_str: object) -> Self:
        name, has_lanes, lanes = str(type_str).partition("x")
        if has_lanes and not (lanes.isdecimal() and int(lanes)):
            raise Error(f"unknown dtype {type_str!r}; behind the x stands a number of lanes")
        name = dtypes.checked_name(name)
        found = super().__new__(cls, name + has_lanes + lanes)
        found.type_code, found.bits = _code(name), dtypes.of(name).bits
        found.lanes = int(lanes or 1)
        return found

    def __getnewargs__(self) -> tuple[str]:
        return (str(self),)


def _code(name: str) -> DataTypeCode:
    match dtypes.of(name).kind:
        case dtypes.INT:
            return DataTypeCode.INT
        case dtypes.FLOAT if name.startswith("bfloat"):
            return DataTypeCode.BFLOAT
        case dtypes.FLOAT:
            return DataTypeCode.FLOAT
    return DataTypeCode.UINT
