"""A generated program, through the frontend: interpreted or compiled."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from properties.own_intrinsics import tensorize_by_itself
from properties.program import Program, Tensor

from teloom import num_threads, te
from teloom.backend.interpreter.equations import interpret
from teloom.frontend.call.build import build

UNWRITTEN = 77

MANY_THREADS = 5
"""More than most machines have cores that run tests, and than many loops have iterations."""


def run_script(lines: Sequence[str]) -> dict[str, Any]:
    """The names that a program's script defines: its tensors, and the schedule `s`."""
    names: dict[str, Any] = {"te": te, "tensorize_by_itself": tensorize_by_itself}
    exec("\n".join(lines), names)
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


def compiled(
    program: Program,
    names: Mapping[str, Any],
    arrays: Sequence[np.ndarray],
    outputs: Sequence[Tensor] | None = None,
) -> list[np.ndarray]:
    """The outputs by machine code, under the schedule `s`; refusals go through.

    They are the same, bit by bit, on another number of threads.
    """
    outputs = program.outputs if outputs is None else outputs
    arguments = [names[tensor.name] for tensor in (*program.inputs, *outputs)]
    function = build(names["s"], arguments, name="generated")
    results = unwritten(outputs)
    function(*arrays, *results)
    if function.kernel.recipe.is_parallel:
        with num_threads(MANY_THREADS):
            function(*arrays, *(others := unwritten(outputs)))
        assert [one.tobytes() for one in results] == [one.tobytes() for one in others]
    return results


def unwritten(tensors: Sequence[Tensor]) -> list[np.ndarray]:
    """Arrays for these, not of zeros: a point that is never written must show."""
    return [np.full(tensor.shape, UNWRITTEN).astype(tensor.dtype) for tensor in tensors]
