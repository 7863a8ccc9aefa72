"""Relations between the axes of a stage, as objects: one class per relation op.

The classes are derived from the ops of the dialect: `Split` from `schedule.split`. Its fields are
the operands, results and properties of the op, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation

from teloom.dialects import schedule as dialect
from teloom.frontend.expr.expressions import Var
from teloom.frontend.expr.of_affine import expr_of
from teloom.frontend.schedule.commands import is_stage
from teloom.frontend.tensor.tensors import IterVar


@dataclass(frozen=True, eq=False)
class Relation:
    """A relation between axes; its fields are axes, lists of axes, integers and words."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def relation_of(
    op: dialect.RelationOp, axes: Mapping[SSAValue, IterVar], sizes: Mapping[SSAValue, Var]
) -> Relation:
    """The relation of `op`, with the user's axes and sizes in place of its own."""

    def plain(value: Any) -> Any:
        match value:
            case SSAValue():
                return axes[value]
            case dialect.NumberAttr():
                number = value.get()
                is_known = not isinstance(number, dialect.SizeNumber)
                return int(number) if is_known else expr_of(number.expr, [*sizes], sizes)
            case StringAttr():
                return value.data
            case AffineMapAttr():
                return str(value.data)
            case None:
                return None
        return [plain(one) for one in value]

    made = RELATIONS[type(op)]
    return made(*(plain(getattr(op, field)) for field in _fields(type(op))))


def _fields(op: type[IRDLOperation]) -> list[str]:
    definition = op.get_irdl_definition()
    values = definition.operands + definition.results
    return [name for name, value in values if not is_stage(value)] + [*definition.properties]


def _class_of(op: type[IRDLOperation]) -> type[Relation]:
    name = op.__name__.removesuffix("Op")
    fields = [(field.rstrip("_"), Any) for field in _fields(op)]
    made = make_dataclass(name, fields, bases=(Relation,), frozen=True, eq=False)
    made.__doc__, made.__module__ = op.__doc__, __name__
    return made


RELATIONS: dict[type, type[Relation]] = {
    op: _class_of(op) for op in dialect.Schedule.operations if issubclass(op, dialect.RelationOp)
}
"""The class of each relation op."""
