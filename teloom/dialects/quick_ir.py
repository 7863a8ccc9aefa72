"""xDSL's IR in fewer steps: methods that building an operator calls some thousand times.

Each does what xDSL's own does, which asks for each part by a property or a view, and checks what
cannot be wrong: whether an op without regions is around the block that it is put into. That is a
twentieth of a build. They rely on the inside of xDSL, whose minor version is fixed; `XDSL` has what
they replace, and the tests compare both.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from types import MappingProxyType, ModuleType
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
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
from xdsl.ir.core import BlockOps, OpOperands, SSAValues, _IRNode
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef, operations
from xdsl.irdl.operations import (
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    VarIRConstruct,
)

Made = TypeVar("Made", bound=Operation)
Method = TypeVar("Method", bound=Callable[..., Any])

_Attributes = Mapping[str, Attribute]
_NOTHING_SAID: _Attributes = MappingProxyType({})

XDSL: dict[tuple[type | ModuleType, str], Any] = {}
"""What xDSL has in place of what is here, by class or module, and name."""


def put(kind: type | ModuleType, name: str, ours: Any) -> None:
    """Gives a class or module of xDSL a member of ours."""
    XDSL[kind, name] = vars(kind).get(name)
    setattr(kind, name, ours)


def _is_method_of(kind: type) -> Callable[[Method], Method]:
    def put_method(method: Method) -> Method:
        put(kind, method.__name__, method)
        return method

    return put_method


# Equal is what is the same.

for node in SSAValue, _IRNode:
    put(node, "__hash__", object.__hash__)
    put(node, "__eq__", object.__eq__)


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

put(SSAValue, "type", property(attrgetter("_type")))
put(Operation, "next_op", property(attrgetter("_next_op")))
put(Operation, "prev_op", property(attrgetter("_prev_op")))
put(Block, "first_op", property(attrgetter("_first_op")))
put(Block, "last_op", property(attrgetter("_last_op")))
put(Block, "args", property(attrgetter("_args")))
for parent_of in Operation, Block, Region:
    put(parent_of, "parent_node", property(attrgetter("parent")))


@_is_method_of(Operation)
def parent_op(self: Operation) -> Operation | None:
    block = self.parent
    if block is None or (region := block.parent) is None:
        return None
    return region.parent


def _operands(op: Operation) -> OpOperands:
    view = OpOperands.__new__(OpOperands)
    view._op = op
    return view


put(Operation, "operands", property(_operands, Operation.operands.fset))

_at = tuple.__getitem__


def _value(self: SSAValues, idx: int | slice) -> Any:
    return _at(self, idx) if type(idx) is int else XDSL[SSAValues, "__getitem__"](self, idx)


def _operand(self: OpOperands, idx: int | slice) -> Any:
    operands = self._op._operands
    return _at(operands, idx) if type(idx) is int else operands[idx]


put(SSAValues, "__getitem__", _value)
put(OpOperands, "__getitem__", _operand)


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


_parts_of: Mapping[VarIRConstruct, Callable[[Operation], Sequence[Any]]] = {
    VarIRConstruct.OPERAND: attrgetter("_operands"),
    VarIRConstruct.RESULT: attrgetter("results"),
    VarIRConstruct.REGION: attrgetter("regions"),
    VarIRConstruct.SUCCESSOR: attrgetter("successors"),
}


def _parts(self: BaseAccessor, obj: Operation, objtype: object = None) -> Any:
    return self.index(_parts_of[self.construct](obj))


def _one_part(self: BeforeVariadicSingleAccessor, obj: Operation, objtype: object = None) -> Any:
    if (construct := self.construct) is VarIRConstruct.OPERAND:
        return _at(obj._operands, self.idx)
    if construct is VarIRConstruct.RESULT:
        return _at(obj.results, self.idx)
    return _parts_of[construct](obj)[self.idx]


def _parts_of_segments(self: BaseAttrAccessor, obj: Operation, objtype: object = None) -> Any:
    sizes: Any = self.option.container(obj)[self.option.attribute_name]
    return self.index(sizes.get_values(), _parts_of[self.construct](obj))


put(BaseAccessor, "__get__", _parts)
put(BeforeVariadicSingleAccessor, "__get__", _one_part)
put(BaseAttrAccessor, "__get__", _parts_of_segments)


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
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    properties: _Attributes,
    attributes: _Attributes,
    location: LocationAttr | None,
    successors: Sequence[Block],
    regions: Sequence[Region],
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
def __init__(
    self: Operation,
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: _Attributes = _NOTHING_SAID,
    attributes: _Attributes = _NOTHING_SAID,
    location: LocationAttr | None = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> None:
    _fill(self, operands, result_types, properties, attributes, location, successors, regions)
    self.__post_init__()


def _create(
    kind: type[Made],
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: _Attributes = _NOTHING_SAID,
    attributes: _Attributes = _NOTHING_SAID,
    location: LocationAttr | None = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> Made:
    op = kind.__new__(kind)
    _fill(op, operands, result_types, properties, attributes, location, successors, regions)
    defaults = _defaults[kind]
    # Where xDSL's own method is not there, an implicit builder awaits ops.
    if defaults is None or Operation.__post_init__ is not _completed:
        op.__post_init__()
        return op
    for name, value in defaults.items():
        op.properties.setdefault(name, value)
    return op


put(Operation, "create", classmethod(_create))


@cache
def _is_list(kind: type) -> bool:
    return issubclass(kind, Sequence)


@cache
def _lengths(field: type) -> tuple[float, float]:
    """How many parts a field has, at least and at most."""
    if issubclass(field, VariadicDef):
        return 0, 1 if issubclass(field, OptionalDef) else math.inf
    return 1, 1


def irdl_build_arg_list(
    construct: VarIRConstruct,
    args: Sequence[Any],
    arg_defs: Sequence[tuple[str, Any]],
    error_prefix: str = "",
) -> tuple[list[Any], list[int]]:
    """The parts that are given for fields, and how many each has."""
    found, sizes = list[Any](), list[int]()
    is_right = len(args) == len(arg_defs)
    for (_, field), arg in zip(arg_defs, args, strict=False):
        if arg is not None and not _is_list(type(arg)):
            found.append(arg)
            sizes.append(1)
            continue
        part = arg or ()
        least, most = _lengths(type(field))
        is_right = is_right and least <= len(part) <= most and (arg is not None or most == 1)
        found += part
        sizes.append(len(part))
    if not is_right:
        return XDSL[operations, "irdl_build_arg_list"](construct, args, arg_defs, error_prefix)
    return found, sizes


put(operations, "irdl_build_arg_list", irdl_build_arg_list)


class _Copies:
    """Copies of ops, by the values and blocks that have taken the place of others."""

    def __init__(
        self,
        values: dict[SSAValue, SSAValue] | None,
        blocks: dict[Block, Block] | None,
        keeps_names: bool,
    ):
        self.values = {} if values is None else values
        self.blocks = {} if blocks is None else blocks
        self.keeps_names = keeps_names
        self._made: list[tuple[Operation, Operation]] = []

    def add(self, op: Made) -> Made:
        values, blocks = self.values, self.blocks
        made = type(op).create(
            operands=[values.get(operand, operand) for operand in op._operands],
            result_types=[result._type for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            location=op.location,
            successors=[blocks.get(block, block) for block in op._successors],
            regions=[Region() for _ in op.regions],
        )
        self._made.append((op, made))
        self._replace(op.results, made.results)
        for region, copied in zip(op.regions, made.regions, strict=True):
            self.add_blocks(region, copied, 0)
        return made

    def _replace(self, values: Sequence[SSAValue], by: Sequence[SSAValue]) -> None:
        self.values.update(zip(values, by, strict=True))
        if self.keeps_names:
            for value, copied in zip(values, by, strict=True):
                copied._name = value._name

    def add_blocks(self, region: Region, to: Region, index: int) -> None:
        found = [*region.blocks]
        made = [Block() for _ in found]
        self.blocks.update(zip(found, made, strict=True))
        to.insert_block(made, index)
        for block, copied in zip(found, made, strict=True):
            copied._args = tuple(
                BlockArgument(argument._type, copied, position, argument.location)
                for position, argument in enumerate(block._args)
            )
            self._replace(block._args, copied._args)
            for op in block.ops:
                copied.add_op(self.add(op))

    def finish(self) -> None:
        """Gives ops the operands that were copied after them."""
        values = self.values
        for op, made in self._made:
            operands = [values.get(operand, operand) for operand in op._operands]
            if any(one is not other for one, other in zip(operands, made._operands, strict=True)):
                made.operands = operands


@_is_method_of(Operation)
def clone(
    self: Made,
    value_mapper: dict[SSAValue, SSAValue] | None = None,
    block_mapper: dict[Block, Block] | None = None,
    *,
    clone_name_hints: bool = True,
    clone_operands: bool = True,
) -> Made:
    if not clone_operands:
        return XDSL[Operation, "clone"](
            self,
            value_mapper,
            block_mapper,
            clone_name_hints=clone_name_hints,
            clone_operands=False,
        )
    copies = _Copies(value_mapper, block_mapper, clone_name_hints)
    made = copies.add(self)
    copies.finish()
    return made


@_is_method_of(Region)
def clone_into(
    self: Region,
    dest: Region,
    insert_index: int | None = None,
    value_mapper: dict[SSAValue, SSAValue] | None = None,
    block_mapper: dict[Block, Block] | None = None,
    *,
    clone_name_hints: bool = True,
    clone_operands: bool = True,
) -> None:
    index = len(dest.blocks) if insert_index is None else insert_index
    if not clone_operands or dest is self:
        return XDSL[Region, "clone_into"](
            self,
            dest,
            index,
            value_mapper,
            block_mapper,
            clone_name_hints=clone_name_hints,
            clone_operands=clone_operands,
        )
    copies = _Copies(value_mapper, block_mapper, clone_name_hints)
    copies.add_blocks(self, dest, index)
    copies.finish()


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
        operands = op._operands
        op._operands = SSAValues((*operands[:index], value, *operands[index + 1 :]))
        value.add_use(use)
        use = following
    if value._name is None:
        value._name = self._name


@_is_method_of(SSAValue)
def erase(self: SSAValue, safe_erase: bool = True) -> None:
    if self.first_use is not None:
        XDSL[SSAValue, "erase"](self, safe_erase)
