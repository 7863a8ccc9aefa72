"""Stages in one another: what is done for each does not grow with the loops around it."""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from analysis.loop_runner import run_loops
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from teloom import te
from teloom.analysis.regions.inference import infer_regions
from teloom.dialects.te import FuncOp
from teloom.passes.loops.infer_bounds import InferBoundsPass, size_of
from teloom.passes.nests.build_loops import BuildLoopsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass

Scheduled = tuple[te.Schedule, list[te.Tensor]]

SIZE = 9


def nested(depth: int, reach: int, between: int = 0) -> Scheduled:
    """Each stage reads so far around it in the one before, which is in its loop or further out.

    With `between`, one stage is far out, then so many are at the next one, and so on.
    """
    tensors = [te.placeholder((SIZE + 2 * reach * depth,), "int32", name="A")]
    for k in range(depth):
        before, extent = tensors[-1], SIZE + 2 * reach * (depth - 1 - k)
        body = partial(
            lambda i, before: before[i] + 2 * before[i + reach] - before[i + 2 * reach],
            before=before,
        )
        tensors.append(te.compute((extent,), lambda i, body=body: body(i), name=f"s{k}"))
    s, stages = te.create_schedule(tensors[-1]), tensors[1:]
    for k, stage in enumerate(stages[:-1]):
        is_far = between and k % (between + 1) == 0
        reader = stages[-1] if is_far else stages[k + 1]
        s[stage].compute_at(s[reader], reader.op.axis[0])
    return s, [tensors[0], tensors[-1]]


def dimensions(depth: int, reach: int) -> int:
    """The most dimensions of what is inferred of a stage."""
    module = nested(depth, reach)[0].module.clone()
    ApplySchedulePass().apply(Context(), module)
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    return max(
        len(region.values)
        for region in infer_regions(function, partial(size_of, function)).values()
    )


@pytest.mark.parametrize("reach", [0, 1])
def test_sets_have_as_many_dimensions_in_deep_nests(reach: int):
    assert dimensions(4, reach) == dimensions(12, reach) == 3


def calls_of(work: Callable[[], object]) -> int:
    """How many functions a piece of work calls."""
    count = 0

    def called(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def in_loops(depth: int, reach: int, between: int = 0) -> ModuleOp:
    """The loops of a nest."""
    module = nested(depth, reach, between)[0].module.clone()
    for step in (ApplySchedulePass(), InferBoundsPass(), BuildLoopsPass()):
        step.apply(Context(), module)
    return module


def test_the_work_grows_with_the_stages():
    in_loops(1, 0)  # what is made at first use
    few, more, many = (calls_of(partial(in_loops, depth, 0)) for depth in (3, 6, 12))
    assert many - more < 2.5 * (more - few)


def test_what_is_far_out_is_computed_for_all_that_read_it():
    depth = 5
    module = in_loops(depth, 1, between=1)
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    (found,) = run_loops(function, [], [lambda index: index[0] ** 3]).outputs
    expected = np.arange(SIZE + 2 * depth) ** 3
    for _ in range(depth):
        expected = expected[:-2] + 2 * expected[1:-1] - expected[2:]
    assert [found.elements[(i,)] for i in range(SIZE)] == expected.tolist()
