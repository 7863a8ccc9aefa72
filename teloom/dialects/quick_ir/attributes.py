"""Attributes that are made, and what they say."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute

from teloom.dialects.quick_ir.replaced import XDSL, is_method_of

_NOTHING = NoneAttr()


@cache
def _is_attribute(kind: type) -> bool:
    return issubclass(kind, Data | ParametrizedAttribute)


@is_method_of(Attribute)
def __post_init__(self: Attribute) -> None:
    self._verify()
    if not _is_attribute(type(self)):
        XDSL[Attribute, "__post_init__"](self)


@is_method_of(MemRefType)
def __init__(
    self: MemRefType,
    element_type: Attribute,
    shape: ArrayAttr[IntAttr] | Iterable[int | IntAttr],
    layout: Attribute = _NOTHING,
    memory_space: Attribute = _NOTHING,
) -> None:
    if not isinstance(shape, ArrayAttr):
        shape = ArrayAttr([IntAttr(size) if isinstance(size, int) else size for size in shape])
    ParametrizedAttribute.__init__(self, shape, element_type, layout, memory_space)


@is_method_of(DenseArrayBase)
def get_values(self: DenseArrayBase) -> tuple[Any, ...]:
    values = vars(self).get("_values")
    if values is None:
        values = XDSL[DenseArrayBase, "get_values"](self)
        vars(self)["_values"] = values
    return values
