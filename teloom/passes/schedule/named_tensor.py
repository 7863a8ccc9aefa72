"""The tensor that a command names: a result of a stage, or an argument of the function."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive, command_word


class NamedTensor(NamedTuple):
    """A tensor, and its name for the user."""

    value: SSAValue
    name: str


def named_tensor(
    primitive: Primitive, op: schedule.TensorCommand, handle: SSAValue | None
) -> NamedTensor:
    """The tensor of the stage behind `handle`, or of the argument that `op` names."""
    if handle is None:
        assert op.argument is not None
        number = primitive.argument(op.argument, op)
        value = primitive.func.tensors[number]
        return NamedTensor(value, value.name_hint or f"argument{number}")
    stage = primitive.stage(handle, op)
    name, count, word = name_of(stage), len(stage.tensors), command_word(op)
    if op.result is None and count > 1:
        raise ScheduleError(
            f'{word} of stage "{name}", which has {count} results: name one of result '
            f"0..{count - 1}",
            op,
        )
    number = 0 if op.result is None else op.result.value.data
    check_result(stage, number, op)
    return NamedTensor(stage.tensors[number], f"{name}.v{number}" if count > 1 else name)


def check_result(stage: schedule.StageOp, number: int, op: Operation) -> None:
    """Raises ScheduleError, at the command `op`, for a number that no result of a stage has."""
    count = len(stage.tensors)
    if number not in range(count):
        raise ScheduleError(
            f'{command_word(op)} of result {number} of stage "{name_of(stage)}", which has result '
            f"0..{count - 1}",
            op,
        )
