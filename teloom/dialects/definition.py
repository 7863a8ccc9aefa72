"""How our ops are defined, and ops are made: as xDSL does it, in a third of the time."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from types import MappingProxyType
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, Use
from xdsl.ir.core import SSAValues
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.irdl.operations import (
    BaseAccessor,
    BeforeVariadicSingleAccessor,
    OptionalDef,
    UniqueVariadicAccessor,
    VarIRConstruct,
)

Defined = TypeVar("Defined", bound=type[IRDLOperation])
Made = TypeVar("Made", bound=Operation)

Attributes = Mapping[str, Attribute]
NOTHING_SAID: Attributes = MappingProxyType({})


class _Defaults(dict[type[Operation], Attributes | None]):
    """The properties that ops of a class have unless they say otherwise.

    None for a class that makes or completes its ops in its own way.
    """

    def __missing__(self, kind: type[Operation]) -> Attributes | None:
        self[kind] = None
        if issubclass(kind, IRDLOperation) and _is_usual(kind):
            self[kind] = _given(kind.get_irdl_definition().properties)
        return self[kind]


_defaults = _Defaults()


def _is_usual(kind: type[IRDLOperation]) -> bool:
    """Whether ops are made as xDSL makes them, with no more than default properties."""
    is_completed = kind.__post_init__ is IRDLOperation.__post_init__
    is_created = kind.create.__func__ in (IRDLOperation.create.__func__, create_op)
    return is_completed and is_created and not _given(kind.get_irdl_definition().attributes)


def _given(fields: Mapping[str, Any]) -> Attributes:
    """The defaults of fields, as xDSL fills them in: of those that are not optional."""
    return {
        name: field.default_value
        for name, field in fields.items()
        if field.default_value is not None and not isinstance(field, OptionalDef)
    }


def create_op(
    kind: type[Made],
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Attributes = NOTHING_SAID,
    attributes: Attributes = NOTHING_SAID,
    location: LocationAttr | None = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> Made:
    """An op of a class, as `kind.create` of xDSL makes it.

    It fills in the same fields, each once. Building an operator makes some hundred ops.
    """
    if (defaults := _defaults[kind]) is None:
        return kind.create(
            operands=operands,
            result_types=result_types,
            properties=properties,
            attributes=attributes,
            location=location,
            successors=successors,
            regions=regions,
        )
    op = kind.__new__(kind)
    op._operands = values = SSAValues(operands)
    op._operand_uses = uses = tuple([Use(op, position) for position in range(len(values))])
    for value, use in zip(values, uses, strict=True):
        value.add_use(use)
    results = [OpResult(type, op, position) for position, type in enumerate(result_types)]
    op.results = SSAValues(results)
    op.properties, op.attributes = {**properties}, {**attributes}
    op.location = UNKNOWN_LOC if location is None else location
    if successors:
        op.successors = successors
    for region in regions:
        op.add_region(region)
    for name, value in defaults.items():
        op.properties.setdefault(name, value)
    return op


_at = tuple.__getitem__


class _Operand(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return _at(obj._operands, self.idx)


class _Operands(UniqueVariadicAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        found = obj._operands
        if self.num_defs == 1:
            return found
        return found[self.idx : self.idx + len(found) - self.num_defs + 1]


class _Result(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return _at(obj.results, self.idx)


class _Region(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: Any = None) -> Any:
        return obj.regions[self.idx]


_QUICK: dict[tuple[type[BaseAccessor], VarIRConstruct], type[BaseAccessor]] = {
    (BeforeVariadicSingleAccessor, VarIRConstruct.OPERAND): _Operand,
    (UniqueVariadicAccessor, VarIRConstruct.OPERAND): _Operands,
    (BeforeVariadicSingleAccessor, VarIRConstruct.RESULT): _Result,
    (BeforeVariadicSingleAccessor, VarIRConstruct.REGION): _Region,
}


def op_definition(cls: Defined) -> Defined:
    """A class of ops, from its fields.

    xDSL finds out at each access what kind of part a field is, which here its class knows.
    Building an operator asks for some thousand parts.
    """
    defined = irdl_op_definition(cls)
    accessors = {k: one for k, one in vars(defined).items() if isinstance(one, BaseAccessor)}
    for name, accessor in accessors.items():
        if quick := _QUICK.get((type(accessor), accessor.construct)):
            setattr(defined, name, quick(*astuple(accessor)))
    if _is_usual(defined):
        defined.create = classmethod(create_op)  # pyright: ignore
    return defined
