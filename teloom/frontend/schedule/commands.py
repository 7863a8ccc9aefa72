"""The command ops of the `schedule` dialect as Python methods.

The parameters of a method are the operands of the op, in order, then its properties. A trailing
`_` of a name is dropped. The operand `stage` is the stage whose method is called. After any other
stage operand, axis operands are axes of that stage. An operand `tensor` stands for a tensor: the
stage, `argument` and `result` of the op follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    OperandDef,
    OptOperandDef,
    OptPropertyDef,
    PropertyDef,
    ResultDef,
    VarOperandDef,
    VarResultDef,
)
from xdsl.traits import HasParent

from teloom.dialects import schedule as dialect
from teloom.errors import ScheduleError
from teloom.frontend.expr.expressions import Expr
from teloom.frontend.expr.integers import checked_integer
from teloom.frontend.expr.names import checked_text
from teloom.frontend.schedule.savepoints import one_or_nothing
from teloom.frontend.schedule.sizes import number_of_sizes, size_condition
from teloom.frontend.tensor.tensors import IterType, IterVar
from teloom.frontend.tensor.thread_axes import thread_attribute

if TYPE_CHECKING:
    from teloom.frontend.schedule.stages import Stage

SELF, TENSOR = "stage", "tensor"

IMPLIED_BY_TENSOR = ("argument", "result")
"""Properties that follow from an operand `tensor`, and then are no parameters."""


class Command(NamedTuple):
    """A command op, and the method that is derived from it."""

    op: type[IRDLOperation]
    name: str
    signature: Signature

    def append_to(
        self, stage: Stage, args: Sequence[object], kwargs: dict[str, object]
    ) -> IterVar | list[IterVar] | None:
        """Appends the command to the stage's schedule; returns the axes that it makes.

        Raises `ScheduleError` for invalid arguments.
        """
        try:
            bound = self.signature.bind(stage, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        bound.apply_defaults()
        given = bound.arguments
        with one_or_nothing(stage.schedule):
            fields: dict[str, Any] = self._handles(stage, given)
            for name, definition in self.op.get_irdl_definition().properties.items():
                if name in given:
                    fields[name] = self._property(stage, name, definition, given[name])
            command = self.op(**fields)
            stage.schedule.append(command)
        return self._new_axes(stage, command, given)

    def _handles(self, stage: Stage, given: dict[str, Any]) -> dict[str, Any]:
        handles: dict[str, Any] = {}
        owner = stage
        for field, definition in self.op.get_irdl_definition().operands:
            name = field.rstrip("_")
            if field == SELF:
                handles[name] = stage.handle
            elif field == TENSOR:
                named = stage.schedule.named(given[name], self.name)
                handles |= {TENSOR: named.stage, "argument": named.argument, "result": named.result}
            elif is_optional(definition) and given[name] is None:
                handles[name] = None
            elif isinstance(definition, VarOperandDef) and not is_optional(definition):
                handles[name] = [checked_axis(self.name, owner, name, one) for one in given[name]]
            elif field in _stage_operands(self.op):
                owner = checked_stage(self.name, stage, name, given[name])
                handles[name] = owner.handle
            else:
                handles[name] = checked_axis(self.name, owner, name, given[name])
        return handles

    def _property(self, stage: Stage, name: str, definition: PropertyDef, value: object) -> object:
        if value is None and isinstance(definition, OptPropertyDef):
            return None
        bases = definition.constr.get_bases()
        if bases == {AffineMapAttr}:
            return value
        if bases == {SymbolRefAttr}:
            return stage.schedule.declared(value, f"{self.name} of stage {stage.name}")
        if bases == {dialect.ThreadAxisAttr}:
            return thread_attribute(value, f"{name} of {self.name}")
        if bases == {AffineSetAttr}:
            sizes = list(stage.schedule.program.sizes)
            return size_condition(value, sizes, f"{name} of {self.name}")
        if bases == dialect.VALUES:
            return attribute_of(value, f"{name} of {self.name}")
        if bases == {StringAttr}:
            return checked_text(value, f"{name} of {self.name}", ScheduleError)
        if bases == {ArrayAttr}:
            words = value if isinstance(value, list | tuple) else [value]
            return [checked_text(w, f"{name} of {self.name}", ScheduleError) for w in words]
        if isinstance(value, Expr) and definition.constr == dialect.NUMBER_OR_SIZE:
            number = stage.schedule.size_number
            return number_of_sizes(value, f"{name} of {self.name}", number)
        return checked_integer(value, f"{name} of {self.name}")

    def _new_axes(
        self, stage: Stage, command: IRDLOperation, given: dict[str, Any]
    ) -> IterVar | list[IterVar] | None:
        results = [
            name
            for field, definition in self.op.get_irdl_definition().results
            for name in _result_names(field, definition, command)
        ]
        if not results:
            return None
        consumed = dialect.consumed_axes(command)
        sources = [
            (parameter, axis)
            for parameter, value in given.items()
            for axis in (value if isinstance(value, tuple) else [value])
            if isinstance(axis, IterVar) and stage.axis_handle(axis) in consumed
        ]
        kind = max((axis.iter_type for _, axis in sources), default=IterType.DATA_PAR)
        axes = [
            stage.add_axis(axis_name(field, sources), handle, kind)
            for field, handle in zip(results, command.results, strict=True)
        ]
        return axes if len(axes) > 1 else axes[0]


def checked_axis(command: str, stage: Stage, parameter: str, axis: object) -> SSAValue:
    """The handle of an axis that a command of a stage gets; raises `ScheduleError` for others."""
    if not isinstance(axis, IterVar):
        names = ", ".join(axis.name for axis in stage.axes)
        raise ScheduleError(
            f"{command} of stage {stage.name} wants an axis for {parameter}, got {axis!r}; "
            f"its axes: {names}"
        )
    return stage.axis_handle(axis)


def checked_stage(command: str, stage: Stage, parameter: str, other: object) -> Stage:
    """A stage that a command of another one gets; raises `ScheduleError` for anything else."""
    if not isinstance(other, type(stage)):
        raise ScheduleError(
            f"{command} of stage {stage.name} wants a stage for {parameter}, as in s[C], "
            f"got {other!r}"
        )
    if other.schedule is not stage.schedule:
        raise ScheduleError(f"stage {other.name} belongs to another schedule")
    return other


def _result_names(field: str, definition: ResultDef, command: IRDLOperation) -> list[str]:
    """The words for the results of a field; several are numbered."""
    if not isinstance(definition, VarResultDef):
        return [field]
    return [f"{field}{number}" for number in range(len(getattr(command, field)))]


def all_commands() -> Iterator[Command]:
    """The command ops of the dialect, each with its method.

    Ops that create handles (of root axes, of a group or of a new stage) are no methods of a stage.
    """
    for op in dialect.Schedule.operations:
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        is_command = issubclass(op, dialect.CommandOp) and definition.operands
        makes_stage = any(is_stage(result) for _, result in definition.results)
        if is_command and not makes_stage and not op.get_traits_of_type(HasParent):
            yield command_of(op)


def command_of(op: type[IRDLOperation]) -> Command:
    """The command op with its method."""
    return Command(op, op.name.rpartition(".")[2], _signature(op))


def _signature(op: type[IRDLOperation]) -> Signature:
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    definition = op.get_irdl_definition()
    for field, operand in definition.operands:
        if field != SELF:
            optional = is_optional(operand) and field != TENSOR
            variadic = isinstance(operand, VarOperandDef) and not optional and field != TENSOR
            kind = Parameter.VAR_POSITIONAL if variadic else Parameter.POSITIONAL_OR_KEYWORD
            default = None if optional else Parameter.empty
            parameters.append(Parameter(field.rstrip("_"), kind, default=default))
    is_open = any(one.kind is Parameter.VAR_POSITIONAL for one in parameters)
    kind = Parameter.KEYWORD_ONLY if is_open else Parameter.POSITIONAL_OR_KEYWORD
    names = [field for field, _ in definition.operands]
    for field, prop in definition.properties.items():
        if TENSOR in names and field in IMPLIED_BY_TENSOR:
            continue
        default = None if isinstance(prop, OptPropertyDef) else Parameter.empty
        parameters.append(Parameter(field, kind, default=default))
    return Signature(parameters)


def axis_name(result: str, sources: Sequence[tuple[str, IterVar]]) -> str:
    """The name of a new axis: the names of the axes that it replaces, then a suffix.

    `sources` are the consumed axes, each with its parameter. A result `x_outer` replaces the axis
    of the parameter that begins with `x`; a result without a prefix replaces all.
    """
    prefix, _, word = result.rpartition("_")
    names = [axis.name for parameter, axis in sources if parameter.startswith(prefix)]
    return ".".join([*names, word])


def is_optional(operand: OperandDef) -> bool:
    """Whether an operand may be missing: it is a parameter with the default None."""
    return isinstance(operand, OptOperandDef)


def attribute_of(value: object, what: str) -> Attribute:
    """A truth value, a number or a word as an attribute; raises ScheduleError for others."""
    match value:
        case bool():
            return BoolAttr.from_bool(value)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
    return IntegerAttr(checked_integer(value, what), i64)


def is_stage(value: OperandDef | ResultDef) -> bool:
    """Whether an operand or a result is a stage handle."""
    return value.constr.verifies((dialect.STAGE,))


@cache
def _stage_operands(op: type[IRDLOperation]) -> frozenset[str]:
    """The operands of a command that are stage handles; a constraint answers no slowly."""
    operands = op.get_irdl_definition().operands
    return frozenset(field for field, definition in operands if is_stage(definition))
