"""How our ops are defined: as xDSL's, but quick to ask for their parts."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, TypeVar

from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.irdl.operations import (
    BaseAccessor,
    BeforeVariadicSingleAccessor,
    UniqueVariadicAccessor,
    VarIRConstruct,
)

Defined = TypeVar("Defined", bound=type[IRDLOperation])

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

    xDSL finds out at each access what kind of part a field is, which here its class knows: it
    takes a third of the time. Building an operator asks for some thousand parts.
    """
    defined = irdl_op_definition(cls)
    for name, accessor in [*vars(defined).items()]:
        if isinstance(accessor, BaseAccessor):
            quick = _QUICK.get((type(accessor), accessor.construct), type(accessor))
            setattr(defined, name, quick(*astuple(accessor)))
    return defined
