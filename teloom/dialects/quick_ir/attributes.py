"""Attributes that are made, and what they say."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import AnyAttr, AnyOf, BaseAttr, TypeVarConstraint

from teloom.dialects.quick_ir.replaced import XDSL, is_method_of, put

_NOTHING = NoneAttr()


@cache
def _is_attribute(kind: type) -> bool:
    return issubclass(kind, Data | ParametrizedAttribute)


@is_method_of(Attribute)
def __post_init__(self: Attribute) -> None:
    self._verify()
    if not _is_attribute(type(self)):
        XDSL[Attribute, "__post_init__"](self)


@cache
def _fields_of(kind: type[ParametrizedAttribute]) -> Sequence[tuple[str, Any]]:
    """The names of parameters, each with what converts what is given for it, if anything does."""
    return [(name, field.converter) for name, field in kind.get_irdl_definition().parameters]


@cache
def _is_checked_by_types(kind: type[ParametrizedAttribute]) -> bool:
    parameters = kind.get_irdl_definition().parameters
    return all(is_about_type(field.constr) for _, field in parameters)


def is_about_type(constraint: object) -> bool:
    """Whether all attributes of a class are right, or none."""
    match constraint:
        case AnyAttr() | BaseAttr():
            return True
        case AnyOf(attr_constrs=inner):
            return all(map(is_about_type, inner))
        case TypeVarConstraint(base_constraint=inner):
            return is_about_type(inner)
    return False


_right: set[tuple[type, ...]] = set()
"""Classes of attributes, each with those of parameters that it may have."""


def _fill(self: ParametrizedAttribute, *parameters: Any) -> None:
    said = vars(self)
    for (name, convert), value in zip(_fields_of(type(self)), parameters, strict=True):
        said[name] = value if convert is None else convert(value)
    self.__post_init__()


put(ParametrizedAttribute, "__init__", _fill)


@is_method_of(ParametrizedAttribute)
def _verify(self: ParametrizedAttribute) -> None:
    kind = type(self)
    types = kind, *map(type, vars(self).values())
    if types not in _right:
        kind.get_irdl_definition().verify(self)
        if _is_checked_by_types(kind):
            _right.add(types)
    self.verify()


def _make_buffer_type(
    self: MemRefType,
    element_type: Attribute,
    shape: ArrayAttr[IntAttr] | Iterable[int | IntAttr],
    layout: Attribute = _NOTHING,
    memory_space: Attribute = _NOTHING,
) -> None:
    if not isinstance(shape, ArrayAttr):
        shape = ArrayAttr([IntAttr(size) if isinstance(size, int) else size for size in shape])
    _fill(self, shape, element_type, layout, memory_space)


put(MemRefType, "__init__", _make_buffer_type)


@is_method_of(DenseArrayBase)
def get_values(self: DenseArrayBase) -> tuple[Any, ...]:
    values = vars(self).get("_values")
    if values is None:
        values = XDSL[DenseArrayBase, "get_values"](self)
        vars(self)["_values"] = values
    return values
