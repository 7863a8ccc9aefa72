"""Ops that are made, of lists of their parts or of their fields."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, LocationAttr, i32
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    OpResult,
    Region,
    SSAValue,
    Use,
)
from xdsl.ir.core import SSAValues
from xdsl.irdl import IRDLOperation, OptionalDef, SameVariadicSize, VariadicDef
from xdsl.irdl.operations import (
    AttrSizedOperandSegments,
    AttrSizedRegionSegments,
    AttrSizedResultSegments,
    AttrSizedSegments,
    AttrSizedSuccessorSegments,
)

from teloom.dialects.quick_ir.replaced import XDSL, is_method_of, put

Made = TypeVar("Made", bound=Operation)

_Attributes = Mapping[str, Attribute]
_NOTHING_SAID: _Attributes = MappingProxyType({})


class _Defaults(dict[type[Operation], _Attributes | None]):
    """The properties that ops of a class have unless they say otherwise.

    None for a class that makes or completes its ops in its own way.
    """

    def __missing__(self, kind: type[Operation]) -> _Attributes | None:
        self[kind] = None
        if issubclass(kind, IRDLOperation) and _is_usual(kind):
            self[kind] = _given(kind.get_irdl_definition().properties)
        return self[kind]


_defaults = _Defaults()
_completed = Operation.__post_init__


def _is_usual(kind: type[IRDLOperation]) -> bool:
    """Whether ops are made as xDSL makes them, with no more than default properties."""
    is_completed = kind.__post_init__ is IRDLOperation.__post_init__
    return is_completed and not _given(kind.get_irdl_definition().attributes)


def _given(fields: Mapping[str, Any]) -> _Attributes:
    """The defaults of fields, as xDSL fills them in: of those that are not optional."""
    return {
        name: field.default_value
        for name, field in fields.items()
        if field.default_value is not None and not isinstance(field, OptionalDef)
    }


def _fill(
    op: Operation,
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: _Attributes = _NOTHING_SAID,
    attributes: _Attributes = _NOTHING_SAID,
    location: LocationAttr | None = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> None:
    """Fills in each field of an op once."""
    op._operands = values = SSAValues(operands)
    uses: list[Use] = []
    for position, value in enumerate(values):
        following = value.first_use
        value.first_use = use = Use(op, position, None, following)
        if following is not None:
            following._prev_use = use
        uses.append(use)
    op._operand_uses = tuple(uses)
    results = [OpResult(type, op, position) for position, type in enumerate(result_types)]
    op.results = SSAValues(results)
    op.properties, op.attributes = {**properties}, {**attributes}
    op.location = UNKNOWN_LOC if location is None else location
    if successors:
        op.successors = successors
    for region in regions:
        op.add_region(region)


@is_method_of(Operation)
def __init__(self: Operation, **fields: Any) -> None:
    _fill(self, **fields)
    self.__post_init__()


def _complete(op: Operation) -> None:
    defaults = _defaults[type(op)]
    # Where xDSL's own method is not there, an implicit builder awaits ops.
    if defaults is None or Operation.__post_init__ is not _completed:
        op.__post_init__()
        return
    for name, value in defaults.items():
        op.properties.setdefault(name, value)


def _create(kind: type[Made], **fields: Any) -> Made:
    op = kind.__new__(kind)
    _fill(op, **fields)
    _complete(op)
    return op


put(Operation, "create", classmethod(_create))


# By their fields.

_SEGMENTS: Sequence[type[AttrSizedSegments]] = (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    AttrSizedRegionSegments,
    AttrSizedSuccessorSegments,
)
_KINDS = OpResult | BlockArgument, Attribute, Region, Block
"""Of what the fields of operands, results, regions and successors are made."""

_ONE, _PERHAPS, _MANY = range(3)


class _Definition(NamedTuple):
    """The sizes that fields of ops of a class may have, and in which attributes these are."""

    fields: Sequence[Sequence[int]]
    """For operands, results, regions and successors: _ONE, _PERHAPS or _MANY for each field."""

    segments: Sequence[tuple[int, AttrSizedSegments]]


class _Parts(NamedTuple):
    """The parts of all fields in order, and how many each has."""

    listed: list[Any]
    sizes: list[int]


@cache
def _definition_of(kind: type[IRDLOperation]) -> _Definition | None:
    """None for a class whose lists have to be of one size: xDSL checks that."""
    given = kind.get_irdl_definition()
    if any(isinstance(option, SameVariadicSize) for option in given.options):
        return None
    lists = given.operands, given.results, given.regions, given.successors
    sized = [option for option in given.options if isinstance(option, AttrSizedSegments)]
    return _Definition(
        [[_size_of(field) for _, field in fields] for fields in lists],
        [(_SEGMENTS.index(type(option)), option) for option in sized],
    )


def _size_of(field: object) -> int:
    if isinstance(field, OptionalDef):
        return _PERHAPS
    return _MANY if isinstance(field, VariadicDef) else _ONE


@cache
def segments(*sizes: int) -> DenseArrayBase:
    """How many parts each field has, as an op with several lists of them says it."""
    return DenseArrayBase.from_list(i32, sizes)


def _parts(given: Sequence[Any] | None, fields: Sequence[int], kinds: Any) -> _Parts | None:
    """None where xDSL has to look closer: it takes more, and refuses what does not fit."""
    given = given or ()
    if len(given) != len(fields):
        return None
    found = _Parts([], [])
    for one, size in zip(given, fields, strict=True):
        if isinstance(one, kinds):
            parts = (one,)
        elif one is None and size is _PERHAPS:
            parts = ()
        elif size is _MANY and isinstance(one, list | tuple) and _are_all(one, kinds):
            parts = one
        else:
            return None
        found.listed.extend(parts)
        found.sizes.append(len(parts))
    return found


def _all_parts(given: Sequence[Any], definition: _Definition) -> list[_Parts] | None:
    found = list[_Parts]()
    for one, fields, kinds in zip(given, definition.fields, _KINDS, strict=True):
        parts = _parts(one, fields, kinds)
        if parts is None:
            return None
        found.append(parts)
    return found


def _are_all(parts: Sequence[object], kinds: Any) -> bool:
    return all([isinstance(part, kinds) for part in parts])


def _of_fields(
    self: IRDLOperation,
    *,
    operands: Sequence[Any] | None = None,
    result_types: Sequence[Any] | None = None,
    properties: Mapping[str, Attribute | None] | None = None,
    attributes: Mapping[str, Attribute | None] | None = None,
    successors: Sequence[Any] | None = None,
    regions: Sequence[Any] | None = None,
) -> None:
    definition = _definition_of(type(self))
    given = operands, result_types, regions, successors
    parts = None if definition is None else _all_parts(given, definition)
    if definition is None or parts is None:
        XDSL[IRDLOperation, "__init__"](
            self,
            operands=operands,
            result_types=result_types,
            properties=properties,
            attributes=attributes,
            successors=successors,
            regions=regions,
        )
        return
    said = _said(properties), _said(attributes)
    for number, option in definition.segments:
        said[not option.as_property][option.attribute_name] = segments(*parts[number].sizes)
    _fill(
        self,
        operands=parts[0].listed,
        result_types=parts[1].listed,
        properties=said[0],
        attributes=said[1],
        successors=parts[3].listed,
        regions=parts[2].listed,
    )
    _complete(self)


def _said(given: Mapping[str, Attribute | None] | None) -> dict[str, Attribute]:
    return {name: said for name, said in given.items() if said is not None} if given else {}


put(IRDLOperation, "__init__", _of_fields)
