"""A generated program, through the frontend: interpreted or compiled."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from properties.program import Program

from teloom import te
from teloom.backend.interpreter import interpret


def run_script(program: Program, commands: Sequence[str] = ()) -> dict[str, Any]:
    """The names that the program's script defines: its tensors, and the schedule `s`."""
    names: dict[str, Any] = {"te": te}
    exec("\n".join([*program.lines(), *commands]), names)
    return names


def interpreted(
    program: Program, names: Mapping[str, Any], arrays: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """The outputs by the reference interpreter."""
    schedule = names["s"]
    func = schedule.program.func
    values = {tensor.name: array for tensor, array in zip(program.inputs, arrays, strict=True)}
    arguments = [values[argument.name_hint] for argument in func.tensors]
    sizes = [program.sizes[size.name_hint] for size in func.sizes]
    return interpret(schedule.module, func.sym_name.data, arguments, sizes)
