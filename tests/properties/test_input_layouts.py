"""Inputs with layouts, packed by NumPy, give what the reference interpreter gives without."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.build import UNWRITTEN, interpreted, run_script
from properties.conftest import EXAMPLES
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from properties.numpy_te import evaluate
from properties.tolerance import assert_agrees

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


@st.composite
def layouts(draw, rank: int) -> Callable[..., list[Any]]:
    """A layout of a tensor with axes: parts of these in any order."""
    parts = [draw(st.sampled_from(PARTS)) for _ in range(rank)]
    count = sum(len(part(0)) for part in parts)
    order = draw(st.permutations(range(count)))

    def layout(*axes):
        exprs = [expr for part, axis in zip(parts, axes, strict=True) for expr in part(axis)]
        return [exprs[k] for k in order]

    return layout


def packed(array: np.ndarray, layout: Callable[..., list[Any]], shape: tuple[int, ...]):
    """The array in its physical coordinates, with something wrong wherever there is nothing."""
    wrong = np.nan if array.dtype.kind == "f" else UNWRITTEN
    found = np.full(shape, wrong).astype(array.dtype)
    if array.size:
        places = layout(*np.indices(array.shape))
        found[tuple(place - place.min() for place in places)] = array
    return found


@settings(max_examples=int(EXAMPLES or 80))
@given(scheduled_programs(), st.data())
def test_layouts_of_inputs_change_no_result(scheduled: ScheduledProgram, data: st.DataObject):
    program = scheduled.program
    names = run_script(scheduled.lines())
    s = names["s"]
    arrays = program.arrays()
    laid_out: dict[str, Callable[..., list[Any]]] = {}
    for tensor, array in zip(program.inputs, arrays, strict=True):
        if array.ndim and names[tensor.name].op in s.stage_map:
            layout = data.draw(layouts(array.ndim))
            assert s[names[tensor.name]].transform_layout(layout) == []
            laid_out[tensor.name] = layout
    tensors = (*program.inputs, *program.outputs)
    arguments = [names[name] for name in (*program.sizes, *(tensor.name for tensor in tensors))]
    try:
        function = build(s, arguments)
    except ScheduleError:
        return
    signature = function.kernel.signature
    sizes = [program.sizes[name] for name in signature.sizes]
    shapes = {one.name: shape_at(one.shape or (), sizes) for one in signature.arguments}
    inputs = [
        packed(array, laid_out[tensor.name], shapes[tensor.name])
        if tensor.name in laid_out
        else array
        for tensor, array in zip(program.inputs, arrays, strict=True)
    ]
    results = [np.full(one.shape, UNWRITTEN).astype(one.dtype) for one in program.outputs]
    function(*program.sizes.values(), *inputs, *results)
    magnitude = evaluate(program, arrays).magnitude
    expected = interpreted(program, names, arrays)
    for found, reference in zip(results, expected, strict=True):
        assert_agrees(found, reference, program, magnitude)
