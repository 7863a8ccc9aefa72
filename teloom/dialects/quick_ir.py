"""xDSL's IR in fewer steps: methods that building an operator calls some thousand times.

Each does what xDSL's own does, which asks for each part by a property or a view, and checks what
cannot be wrong: whether an op without regions is around the block that it is put into. That is a
twentieth of a build. They rely on the inside of xDSL, whose minor version is fixed; `XDSL` has what
they replace, and the tests compare both.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, LocationAttr, i32
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Data,
    Operation,
    OpResult,
    ParametrizedAttribute,
    Region,
    SSAValue,
    Use,
)
from xdsl.ir.affine import AffineBinaryOpExpr, AffineDimExpr, AffineExpr
from xdsl.ir.core import BlockOps, OpOperands, SSAValues, _IRNode
from xdsl.irdl import IRDLOperation, OptionalDef, SameVariadicSize, VariadicDef
from xdsl.irdl.operations import (
    AttrSizedOperandSegments,
    AttrSizedRegionSegments,
    AttrSizedResultSegments,
    AttrSizedSegments,
    AttrSizedSuccessorSegments,
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    UniqueVariadicAccessor,
    VarIRConstruct,
)

Made = TypeVar("Made", bound=Operation)
Method = TypeVar("Method", bound=Callable[..., Any])

_Attributes = Mapping[str, Attribute]
_NOTHING_SAID: _Attributes = MappingProxyType({})

XDSL: dict[tuple[type, str], Any] = {}
"""What xDSL has in place of what is here, by class and name."""


def _put(kind: type, name: str, ours: Any) -> None:
    """Gives a class of xDSL a member of ours."""
    XDSL[kind, name] = vars(kind).get(name)
    setattr(kind, name, ours)


def _is_method_of(kind: type) -> Callable[[Method], Method]:
    def put_method(method: Method) -> Method:
        _put(kind, method.__name__, method)
        return method

    return put_method


# Equal is what is the same.

for node in SSAValue, _IRNode:
    _put(node, "__hash__", object.__hash__)
    _put(node, "__eq__", object.__eq__)


# An instance of a class is what is made of it or its subclasses: xDSL registers no others.


class _Plain(type(Protocol)):
    """The class of classes of IR. One of them can be a protocol's and an abstract class's, too."""

    __instancecheck__ = ABCMeta.__instancecheck__
    __subclasscheck__ = ABCMeta.__subclasscheck__


_put(_Plain, "__instancecheck__", type.__instancecheck__)
_put(_Plain, "__subclasscheck__", type.__subclasscheck__)


def _with_subclasses(kind: type) -> Iterator[type]:
    yield kind
    for one in kind.__subclasses__():
        yield from _with_subclasses(one)


for base in Attribute, SSAValue, _IRNode, AffineExpr:
    for kind in _with_subclasses(base):
        if type(kind) is ABCMeta:
            kind.__class__ = _Plain


# What is said is of known kinds.


@cache
def _is_attribute(kind: type) -> bool:
    return issubclass(kind, Data | ParametrizedAttribute)


@_is_method_of(Attribute)
def __post_init__(self: Attribute) -> None:
    self._verify()
    if not _is_attribute(type(self)):
        XDSL[Attribute, "__post_init__"](self)


# The parts of ops and blocks.


def _operands(op: Operation) -> OpOperands:
    view = OpOperands.__new__(OpOperands)
    view._op = op
    return view


_put(Operation, "operands", property(_operands, Operation.operands.fset))

_at = tuple.__getitem__


def _value(self: SSAValues, idx: int | slice) -> Any:
    return _at(self, idx) if type(idx) is int else SSAValues(_at(self, idx))


def _operand(self: OpOperands, idx: int | slice) -> Any:
    operands = self._op._operands
    return _at(operands, idx) if type(idx) is int else operands[idx]


_put(SSAValues, "__getitem__", _value)
_put(OpOperands, "__getitem__", _operand)


@_is_method_of(BlockOps)
def __iter__(self: BlockOps) -> Iterator[Operation]:
    return _ops_from(self.block._first_op)


def _ops_from(op: Operation | None) -> Iterator[Operation]:
    while op is not None:
        following = op._next_op
        yield op
        op = following


@_is_method_of(BlockOps)
def __len__(self: BlockOps) -> int:
    count, op = 0, self.block._first_op
    while op is not None:
        count, op = count + 1, op._next_op
    return count


# What fields are of is asked for often; Python computes the hash of an enumeration's members.
_put(VarIRConstruct, "__hash__", object.__hash__)

_parts_of: Mapping[VarIRConstruct, Callable[[Operation], Sequence[Any]]] = {
    VarIRConstruct.OPERAND: attrgetter("_operands"),
    VarIRConstruct.RESULT: attrgetter("results"),
    VarIRConstruct.REGION: attrgetter("regions"),
    VarIRConstruct.SUCCESSOR: attrgetter("successors"),
}


def _parts(self: BaseAccessor, obj: Operation, objtype: object = None) -> Any:
    return self.index(_parts_of[self.construct](obj))


def _all_parts(self: UniqueVariadicAccessor, obj: Operation, objtype: object = None) -> Any:
    parts = _parts_of[self.construct](obj)
    return parts if self.num_defs == 1 else self.index(parts)


def _one_part(self: BeforeVariadicSingleAccessor, obj: Operation, objtype: object = None) -> Any:
    if (construct := self.construct) is VarIRConstruct.OPERAND:
        return _at(obj._operands, self.idx)
    if construct is VarIRConstruct.RESULT:
        return _at(obj.results, self.idx)
    return _parts_of[construct](obj)[self.idx]


def _parts_of_segments(self: BaseAttrAccessor, obj: Operation, objtype: object = None) -> Any:
    sizes: Any = self.option.container(obj)[self.option.attribute_name]
    return self.index(sizes.get_values(), _parts_of[self.construct](obj))


_put(BaseAccessor, "__get__", _parts)
_put(UniqueVariadicAccessor, "__get__", _all_parts)
_put(BeforeVariadicSingleAccessor, "__get__", _one_part)
_put(BaseAttrAccessor, "__get__", _parts_of_segments)


# Ops that are made.


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


@_is_method_of(Operation)
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


_put(Operation, "create", classmethod(_create))


# Ops that are made of their fields.

_SEGMENTS: Sequence[type[AttrSizedSegments]] = (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    AttrSizedRegionSegments,
    AttrSizedSuccessorSegments,
)

_Fields = Sequence[int]
"""The sizes that fields may have: _ONE, _PERHAPS or _MANY."""

_ONE, _PERHAPS, _MANY = range(3)


class _Definition(NamedTuple):
    """The fields of ops of a class, and in which attributes their sizes are."""

    fields: tuple[_Fields, _Fields, _Fields, _Fields]
    """Of operands, results, regions and successors."""

    sizes: Sequence[tuple[int, AttrSizedSegments]]


@cache
def _definition_of(kind: type[IRDLOperation]) -> _Definition | None:
    """None for a class whose fields are of one size: xDSL checks that."""
    given = kind.get_irdl_definition()
    if any(isinstance(option, SameVariadicSize) for option in given.options):
        return None
    fields = given.operands, given.results, given.regions, given.successors
    lists = [tuple(_size_of(field) for _, field in one) for one in fields]
    sized = [option for option in given.options if isinstance(option, AttrSizedSegments)]
    return _Definition((*lists,), [(_SEGMENTS.index(type(one)), one) for one in sized])


@cache
def segments(*sizes: int) -> DenseArrayBase:
    """How many parts each field has, as an op with several lists of them says it."""
    return DenseArrayBase.from_list(i32, sizes)


def _size_of(field: object) -> int:
    if isinstance(field, OptionalDef):
        return _PERHAPS
    return _MANY if isinstance(field, VariadicDef) else _ONE


def _listed(given: Sequence[Any], fields: _Fields, kinds: Any) -> tuple[list[Any], list[int]] | None:
    """The parts of fields, and how many each has; None where xDSL has to look closer."""
    if len(given) != len(fields):
        return None
    parts: list[Any] = []
    sizes: list[int] = []
    for one, size in zip(given, fields, strict=True):
        if isinstance(one, kinds):
            parts.append(one)
            sizes.append(1)
        elif one is None and size is _PERHAPS:
            sizes.append(0)
        elif size is _MANY and isinstance(one, list | tuple) and _are_all(one, kinds):
            parts.extend(one)
            sizes.append(len(one))
        else:
            return None
    return parts, sizes


def _are_all(parts: Sequence[Any], kinds: Any) -> bool:
    return all([isinstance(part, kinds) for part in parts])


_KINDS = OpResult | BlockArgument, Attribute, Region, Block


@_is_method_of(IRDLOperation)
def __init__(
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
    given = operands or (), result_types or (), regions or (), successors or ()
    if definition is None or None in (lists := [*map(_listed, given, definition.fields, _KINDS)]):
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
    for number, option in definition.sizes:
        said[not option.as_property][option.attribute_name] = segments(*lists[number][1])
    _fill(
        self,
        operands=lists[0][0],
        result_types=lists[1][0],
        properties=said[0],
        attributes=said[1],
        successors=lists[3][0],
        regions=lists[2][0],
    )
    _complete(self)


def _said(given: Mapping[str, Attribute | None] | None) -> dict[str, Attribute]:
    return {name: said for name, said in given.items() if said is not None} if given else {}


@_is_method_of(DenseArrayBase)
def get_values(self: DenseArrayBase) -> tuple[Any, ...]:
    values = vars(self).get("_values")
    if values is None:
        values = XDSL[DenseArrayBase, "get_values"](self)
        vars(self)["_values"] = values
    return values


# Ops that are put somewhere, and values that others take the place of.


@_is_method_of(Block)
def _attach_op(self: Block, operation: Operation) -> None:
    if operation.parent or (operation.regions and operation.is_ancestor(self)):
        XDSL[Block, "_attach_op"](self, operation)
    operation.parent = self


@_is_method_of(SSAValue)
def replace_all_uses_with(self: SSAValue, value: SSAValue) -> None:
    if value is self:
        return
    use, self.first_use = self.first_use, None
    while use is not None:
        following, op, index = use._next_use, use.operation, use.index
        operands = [*op._operands]
        operands[index] = value
        op._operands = SSAValues(operands)
        value.add_use(use)
        use = following
    if value._name is None:
        value._name = self._name


# Affine expressions, without a generator for each of their parts.


@_is_method_of(AffineBinaryOpExpr)
def dfs(self: AffineBinaryOpExpr) -> Iterator[AffineExpr]:
    pending: list[AffineExpr] = [self]
    while pending:
        part = pending.pop()
        yield part
        if type(part) is AffineBinaryOpExpr:
            pending += (part.rhs, part.lhs)


@_is_method_of(AffineExpr)
def used_dims(self: AffineExpr) -> set[int]:
    if type(self) is AffineDimExpr:
        return {self.position}
    if type(self) is not AffineBinaryOpExpr:
        return set()
    return {part.position for part in self.dfs() if type(part) is AffineDimExpr}
