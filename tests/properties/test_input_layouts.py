"""Inputs with layouts, packed by NumPy, give what the reference interpreter gives without."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.agreement import assert_as_interpreted
from properties.build import UNWRITTEN, run_script, unwritten
from properties.generate_schedules import ScheduledProgram, scheduled_programs

from teloom import build
from teloom.analysis.signature import shape_at
from teloom.errors import ScheduleError

PARTS: list[Callable[[Any], list[Any]]] = [
    lambda i: [i],
    lambda i: [i // 4, i % 4],
    lambda i: [i // 3, i % 3],
    lambda i: [i // 4 // 2, i // 4 % 2, i % 4],
    lambda i: [-i],
    lambda i: [3 * i + 1],
]
"""What an axis becomes; of te expressions and of NumPy arrays alike."""


class Layout(NamedTuple):
    """Of a tensor with axes: parts of these, by their numbers, in any order."""

    parts: Sequence[int]
    order: Sequence[int]

    def __call__(self, *axes: Any) -> list[Any]:
        parts = zip(self.parts, axes, strict=True)
        exprs = [expr for part, axis in parts for expr in PARTS[part](axis)]
        return [exprs[k] for k in self.order]


class LaidOut(NamedTuple):
    """A program, and layouts of its inputs by name."""

    scheduled: ScheduledProgram
    layouts: Mapping[str, Layout]


@st.composite
def laid_out_programs(draw) -> LaidOut:
    scheduled = draw(scheduled_programs())
    layouts: dict[str, Layout] = {}
    for tensor in scheduled.program.inputs:
        parts = [draw(st.integers(0, len(PARTS) - 1)) for _ in tensor.extents]
        count = sum(len(PARTS[part](0)) for part in parts)
        layouts[tensor.name] = Layout(parts, draw(st.permutations(range(count))))
    return LaidOut(scheduled, layouts)


def packed(array: np.ndarray, layout: Layout, shape: tuple[int, ...]):
    """The array in its physical coordinates, with something wrong wherever there is nothing."""
    wrong = np.nan if array.dtype.kind == "f" else UNWRITTEN
    found = np.full(shape, wrong).astype(array.dtype)
    if array.size:
        places = layout(*np.indices(array.shape))
        found[tuple(place - place.min() for place in places)] = array
    return found


def check_laid_out(pair: LaidOut) -> None:
    """Raises `ScheduleError` if the schedule is refused."""
    program = pair.scheduled.program
    names = run_script(pair.scheduled.lines())
    s = names["s"]
    arrays = program.arrays()
    laid_out: dict[str, Layout] = {}
    for tensor in program.inputs:
        if tensor.extents and names[tensor.name].op in s.stage_map:
            laid_out[tensor.name] = pair.layouts[tensor.name]
            assert s[names[tensor.name]].transform_layout(laid_out[tensor.name]) == []
    tensors = (*program.inputs, *program.outputs)
    arguments = [names[name] for name in (*program.sizes, *(tensor.name for tensor in tensors))]
    function = build(s, arguments)
    signature = function.kernel.signature
    sizes = [program.sizes[name] for name in signature.sizes]
    shapes = {one.name: shape_at(one.shape or (), sizes) for one in signature.arguments}
    inputs = [
        packed(array, laid_out[tensor.name], shapes[tensor.name])
        if tensor.name in laid_out
        else array
        for tensor, array in zip(program.inputs, arrays, strict=True)
    ]
    results = unwritten(program.outputs)
    function(*program.sizes.values(), *inputs, *results)
    assert_as_interpreted(results, program, names, arrays)


@settings(max_examples=EXAMPLES // 2)
@given(laid_out_programs())
def test_layouts_of_inputs_change_no_result(pair: LaidOut):
    with suppress(ScheduleError):
        check_laid_out(pair)
