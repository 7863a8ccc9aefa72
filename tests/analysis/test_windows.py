"""By which factors windows fold: the documents' numbers, and that a smaller one is wrong.

The loops are run with circular storage that knows which element lies at an address.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest
from analysis.loop_runner import Run, WrongAccess, run_loops
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

import teloom
from teloom import te
from teloom.dialects import loop
from teloom.dialects.syntax.storage import USUAL_STORAGE
from teloom.errors import Error
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor
from teloom.passes.loops.infer_bounds import InferBoundsPass
from teloom.passes.nests.build_loops import BuildLoopsPass
from teloom.passes.schedule.apply_schedule import ApplySchedulePass


class Window(NamedTuple):
    """A schedule that folds "B", the sizes to run it with, and the factors that it gets."""

    schedule: Callable[[], tuple[Schedule, list[Tensor]]]
    sizes: Sequence[int]
    folds: list[int]


def reader(shape: Sequence, stored_shape: Sequence, body: Callable, place: Callable) -> Callable:
    """A program in which C reads B, placed and folded along all axes by `place`."""

    def make() -> tuple[Schedule, list[Tensor]]:
        A = te.placeholder(stored_shape, "int64", name="A")
        B = te.compute(stored_shape, lambda *i: A[i] + 1, name="B")
        C = te.compute(shape, lambda *i: body(B, *i), name="C")
        s = te.create_schedule(C)
        place(s, B, C)
        for axis in B.op.axis:
            s[B].fold_storage(axis)
        return s, [A, C]

    return make


def at(number: int) -> Callable:
    """B is computed at that axis of C and stored at the root."""

    def place(s: Schedule, B: Tensor, C: Tensor) -> None:
        s[B].compute_at(s[C], C.op.axis[number])
        s[B].store_root()

    return place


def in_the_row(s: Schedule, B: Tensor, C: Tensor) -> None:
    y, x = C.op.axis
    s[B].compute_at(s[C], x)
    s[B].store_at(s[C], y)


def strips(s: Schedule, B: Tensor, C: Tensor) -> None:
    outer, _ = s[C].split(C.op.axis[0], factor=8)
    s[B].compute_at(s[C], outer)
    s[B].store_root()


def wavefront(s: Schedule, B: Tensor, C: Tensor) -> None:
    t, x = C.op.axis
    w = s[C].skew(x, t, factor=2)
    s[C].reorder(w, t)
    s[B].compute_at(s[C], w)
    s[B].store_root()


def backwards(s: Schedule, B: Tensor, C: Tensor) -> None:
    s[B].compute_at(s[C], s[C].reverse(C.op.axis[0]))
    s[B].store_root()


def rows(B, y, x):
    return B[y, x] + B[y + 1, x] + B[y + 2, x]


def square(B, y, x):
    return sum(B[y + i, x + j] for i in range(3) for j in range(3))


def row(B, y, x):
    return B[y, x] + B[y, x + 1] + B[y, x + 2]


h, w = te.var("h"), te.var("w")

WINDOWS = {
    "rows": Window(reader((8, 6), (10, 6), rows, at(0)), [], [3, 0]),
    "rows, backwards": Window(reader((8, 6), (10, 6), rows, backwards), [], [3, 0]),
    "rows of any size": Window(reader((h, w), (h + 2, w), rows, at(0)), [9, 4], [3, 0]),
    "a square, at a point": Window(reader((8, 6), (10, 8), square, at(1)), [], [3, 0]),
    "a row, stored in the row": Window(reader((8, 6), (8, 8), row, in_the_row), [], [0, 3]),
    "a row, stored at the root": Window(reader((8, 6), (8, 8), row, at(1)), [], [1, 3]),
    "every second, 3 taps": Window(
        reader((6,), (13,), lambda B, i: B[2 * i] + B[2 * i + 1] + B[2 * i + 2], at(0)), [], [3]
    ),
    "every second, 4 taps": Window(
        reader((6,), (14,), lambda B, i: sum(B[2 * i + k] for k in range(4)), at(0)), [], [4]
    ),
    "strips of 8 rows": Window(reader((32, 4), (34, 4), rows, strips), [], [10, 0]),
    "two taps far apart": Window(
        reader((6,), (25,), lambda B, i: B[4 * i] + B[4 * i + 4], at(0)), [], [3]
    ),
    "a wavefront": Window(
        reader((5, 20), (5, 20), lambda B, t, x: B[t, x] * 2, wavefront), [], [1, 5]
    ),
    "a clamped window": Window(
        reader(
            (h,),
            (h,),
            lambda B, i: B[te.max(i - 1, 0)] + B[i] + B[te.min(i + 1, h - 1)],
            at(0),
        ),
        [9],
        [3],
    ),
}


def loops_of(schedule: Callable[[], tuple[Schedule, list[Tensor]]]) -> ModuleOp:
    s, tensors = schedule()
    module = teloom.lower(s, tensors, level="te")
    for step in (ApplySchedulePass(), InferBoundsPass(), BuildLoopsPass()):
        step.apply(Context(), module)
        module.verify()
    return module


def storage(module: ModuleOp) -> loop.RealizeOp:
    (found,) = (op for op in module.walk() if isinstance(op, loop.RealizeOp))
    return found


def run(module: ModuleOp, sizes: Sequence[int]) -> Run:
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    return run_loops(function, sizes, [sum])


@pytest.mark.parametrize("name", WINDOWS)
def test_factors_are_right_and_the_smallest(name: str):
    window = WINDOWS[name]
    module = loops_of(window.schedule)
    found = storage(module)
    factors = {axis: factor for axis, factor in enumerate(window.folds) if factor}
    assert found.storage.factors == factors
    for realized in run(module, window.sizes).realized:
        assert set(realized.writes.values()) == {1}
    for axis, factor in factors.items():
        if factor > 1:
            found.storage = USUAL_STORAGE.folded_by(factors | {axis: factor - 1})
            with pytest.raises(WrongAccess, match="lies now"):
                run(module, window.sizes)


def rows_folded_by(factor: int) -> tuple[Schedule, list[Tensor]]:
    s, tensors = reader((8, 6), (10, 6), rows, at(0))()
    (stage,) = (stage for stage in s.stages if stage.name == "B")
    stage.fold_storage(stage.op.axis[0], factor)
    return s, tensors


def test_a_larger_factor_is_taken():
    module = loops_of(lambda: rows_folded_by(4))
    assert storage(module).storage.factors == {0: 4}
    run(module, [])


def test_a_smaller_factor_is_refused():
    with pytest.raises(
        Error,
        match=r'cannot fold axis i0 of "B" by 2: B\[0, 0\] and B\[2, 0\] would share memory, and '
        "both are needed at the same time; the smallest factor is 3",
    ):
        teloom.lower(*rows_folded_by(2))
