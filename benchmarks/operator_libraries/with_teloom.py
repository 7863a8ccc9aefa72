"""Teloom: operators of topi under the schedules of `topi.schedule`."""

from libraries import Program, Runner, Task
from operator_rows import OPERATORS, Operator

import teloom
from teloom import te, topi

VERSION = teloom.__version__


def built(operator: Operator, dtypes: list[str]):
    """The operator, for this machine."""
    inputs = [
        te.placeholder(shape, dtype, name=f"in{number}")
        for number, (shape, dtype) in enumerate(zip(operator.shapes, dtypes, strict=True))
    ]
    result = operator.topi(*inputs)
    return teloom.build(topi.schedule(result), [*inputs, result])


def program(operator: Operator) -> Program:
    def prepare(task: Task) -> Runner:
        run = built(operator, [array.dtype.name for array in task.inputs])
        return Runner(lambda: run(*task.inputs, task.result), lambda _: task.result)

    return prepare


PROGRAMS: dict[str, Program] = {name: program(operator) for name, operator in OPERATORS.items()}
