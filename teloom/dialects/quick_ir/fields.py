"""The parts of ops, by their numbers and by the names of fields."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from xdsl.ir import Operation
from xdsl.ir.core import OpOperands, SSAValues
from xdsl.irdl.operations import (
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    UniqueVariadicAccessor,
    VarIRConstruct,
)

from teloom.dialects.quick_ir.replaced import put


def _operands(op: Operation) -> OpOperands:
    view = OpOperands.__new__(OpOperands)
    view._op = op
    return view


put(Operation, "operands", property(_operands, Operation.operands.fset))

_at = tuple.__getitem__


def _value(self: SSAValues, idx: int | slice) -> Any:
    return _at(self, idx) if type(idx) is int else SSAValues(_at(self, idx))


def _operand(self: OpOperands, idx: int | slice) -> Any:
    operands = self._op._operands
    return _at(operands, idx) if type(idx) is int else operands[idx]


put(SSAValues, "__getitem__", _value)
put(OpOperands, "__getitem__", _operand)


# What fields are of is asked for often; Python computes the hash of an enumeration's members.
put(VarIRConstruct, "__hash__", object.__hash__)

_OPERAND, _RESULT = VarIRConstruct.OPERAND, VarIRConstruct.RESULT
_parts_of: Mapping[VarIRConstruct, Callable[[Operation], Sequence[Any]]] = {
    _OPERAND: attrgetter("_operands"),
    _RESULT: attrgetter("results"),
    VarIRConstruct.REGION: attrgetter("regions"),
    VarIRConstruct.SUCCESSOR: attrgetter("_successors"),
}


def _parts(self: BaseAccessor, obj: Operation, objtype: object = None) -> Any:
    return self.index(_parts_of[self.construct](obj))


def _all_parts(self: UniqueVariadicAccessor, obj: Operation, objtype: object = None) -> Any:
    parts = _parts_of[self.construct](obj)
    return parts if self.num_defs == 1 else self.index(parts)


def _one_part(self: BeforeVariadicSingleAccessor, obj: Operation, objtype: object = None) -> Any:
    if (construct := self.construct) is _OPERAND:
        return _at(obj._operands, self.idx)
    if construct is _RESULT:
        return _at(obj.results, self.idx)
    return _parts_of[construct](obj)[self.idx]


def _parts_of_segments(self: BaseAttrAccessor, obj: Operation, objtype: object = None) -> Any:
    sizes: Any = self.option.container(obj)[self.option.attribute_name]
    return self.index(sizes.get_values(), _parts_of[self.construct](obj))


put(BaseAccessor, "__get__", _parts)
put(UniqueVariadicAccessor, "__get__", _all_parts)
put(BeforeVariadicSingleAccessor, "__get__", _one_part)
put(BaseAttrAccessor, "__get__", _parts_of_segments)
