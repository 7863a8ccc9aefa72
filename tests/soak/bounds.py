"""Runs scheduled text as loops, element by element, against the reference interpreter."""

from __future__ import annotations

from functools import cache

import numpy as np
from analysis.loop_runner import Storage, run_loops
from soak.attach import GATHERED, LARGEST, Attached
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from teloom.backend.interpreter.equations import interpret, te_func
from teloom.dialects import te
from teloom.driver.registry import load_universe
from teloom.passes.nests.build_loops import BuildLoopsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass


def check_loops(pair: Attached) -> None:
    """Raises `AssertionError` or `WrongAccess` for wrong loops, and what the passes raise."""
    module = parsed(pair.text)
    function = te_func(module, "f")
    runs = [(sizes, inputs(function, sizes)) for sizes in sizes_of(function)]
    expected = [interpret(module, "f", arrays, sizes) for sizes, arrays in runs]
    for step in (ApplySchedulePass(), pair.inference, BuildLoopsPass()):
        step.apply(Context(), module)
    module.verify()
    loops = next(op for op in module.ops if isinstance(op, func.FuncOp))
    for (sizes, arrays), outputs in zip(runs, expected, strict=True):
        elements = [array.item for array in arrays]
        run = run_loops(loops, sizes, [lambda index, of=of: of(*index) for of in elements])
        for found, output in zip(run.outputs, outputs, strict=True):
            check_output(found, output, f"n is {sizes}" if sizes else "")


def check_output(found: Storage, expected: np.ndarray, where: str) -> None:
    """Every element is written, and is right."""
    for index, element in np.ndenumerate(expected):
        assert index in found.elements, f"{found.name}{list(index)} is never written {where}"
        value = found.elements[index]
        assert value == element, f"{found.name}{list(index)} is {value}, not {element} {where}"


def parsed(text: str) -> ModuleOp:
    return Parser(_context(), text).parse_module()


@cache
def _context() -> Context:
    context = Context()
    for name, factory in load_universe().all_dialects.items():
        context.register_dialect(name, factory)
    return context


def sizes_of(function: te.FuncOp, largest: int = LARGEST) -> list[tuple[int, ...]]:
    return [(n,) for n in range(largest + 1)] if function.sizes else [()]


def inputs(function: te.FuncOp, sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Values of the arguments: no two near each other are alike, unless they are gathered by."""
    arrays: list[np.ndarray] = []
    for position, tensor in enumerate(function.tensors):
        shape = [max(0, extent.eval(sizes, [])) for extent in function.shape_of(position)]
        numbers = np.arange(np.prod(shape, dtype=int), dtype="int64").reshape(shape)
        is_gathered_by = tensor.name_hint == "I"
        arrays.append(numbers * 7 % GATHERED if is_gathered_by else numbers * numbers % 1009)
    return arrays
