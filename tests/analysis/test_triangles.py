"""A triangle multiplies half as often as a square, whatever the order of its loops."""

from collections.abc import Callable

import pytest
from analysis.loop_runner import run_loops
from xdsl.dialects import func

import teloom
from teloom import te
from teloom.frontend.schedule.schedules import Stage

N = 11


def natural(stage: Stage):
    pass


def columns(stage: Stage):
    (k,) = stage.op.reduce_axis
    stage.reorder(k, *stage.op.axis)


def tiles(stage: Stage):
    (i, j), (k,) = stage.op.axis, stage.op.reduce_axis
    (io, ii), (ko, ki) = stage.split(i, 4), stage.split(k, 3)
    stage.reorder(ko, io, j, ii, ki)


def skewed(stage: Stage):
    (i, j), (k,) = stage.op.axis, stage.op.reduce_axis
    stage.reorder(stage.reverse(k), j, stage.shift(i, 5))


@pytest.mark.parametrize("schedule", [natural, columns, tiles, skewed])
def test_a_triangular_product(schedule: Callable[[Stage], None]):
    A, B = (te.placeholder((N, N), "int32", name=name) for name in "AB")

    def row_times_column(i, j):
        k = te.reduce_axis((0, i + 1), "k")
        return te.sum(A[i, k] * B[k, j], axis=k)

    C = te.compute((N, N), row_times_column, name="C")
    s = te.create_schedule(C)
    schedule(s[C])
    module = teloom.lower(s, [A, B, C], level="loop")
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    assert not any(op.name == "loop.if" for op in function.walk()), function
    (c,) = run_loops(function, [], [sum, sum]).outputs
    assert sum(c.writes.values()) == N * N + N * N * (N + 1) // 2
    assert all(c.elements[i, j] == _expected(i, j) for i in range(N) for j in range(N))


def test_a_product_of_triangles():
    """Two lower triangles: a sixth of the additions, in tiles, too."""
    A, B = (te.placeholder((N, N), "int32", name=name) for name in "AB")

    def row_times_column(i, j):
        k = te.reduce_axis((j, i + 1), "k")
        return te.sum(A[i, k] * B[k, j], axis=k)

    C = te.compute((N, N), row_times_column, name="C", domain=lambda i, j: j <= i)
    for schedule in (natural, lambda stage: stage.tile(*stage.op.axis, 4, 3)):
        s = te.create_schedule(C)
        schedule(s[C])
        module = teloom.lower(s, [A, B, C], level="loop")
        (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
        (c,) = run_loops(function, [], [sum, sum]).outputs
        assert set(c.elements) == {(i, j) for i in range(N) for j in range(i + 1)}
        assert sum(c.writes.values()) == N * (N + 1) // 2 + N * (N + 1) * (N + 2) // 6


def _expected(i: int, j: int) -> int:
    return sum((i + k) * (k + j) for k in range(i + 1))
