"""TVM: tensor expressions with schedules of its tensor IR, for this CPU."""

import numpy as np
import tvm
from example import HERE, LANES  # pyright: ignore[reportMissingImports]
from tvm import te

from libraries import Program, Runner, Task

VERSION = tvm.__version__

WIDE = 4 if LANES == 16 else 2
COLUMNS = WIDE * LANES
"""Columns of a tile of a matrix product; with `ROWS` rows it fills the registers."""

ROWS = 6 if WIDE == 2 else 8


def inputs(*arrays: np.ndarray) -> list[te.Tensor]:
    return [te.placeholder(a.shape, str(a.dtype), name=f"in{i}") for i, a in enumerate(arrays)]


def schedule_of(tensors: list[te.Tensor]) -> tvm.s_tir.Schedule:
    return tvm.s_tir.Schedule(tvm.IRModule({"main": te.create_prim_func(tensors)}))


def register_tile(s, block, rows, columns, sums) -> None:
    """A tile of a product stays in registers for all of the sum."""
    tile = s.cache_write(block, 0, "local")
    outer, inner = zip(
        *(s.split(axis, [None, size]) for axis, size in ((rows, ROWS), (columns, COLUMNS))),
        strict=True,
    )
    s.reorder(outer[1], outer[0], *sums, *inner)
    s.reverse_compute_at(tile, outer[0], preserve_unit_loops=True)
    s.vectorize(inner[1])
    s.unroll(inner[0])
    written = s.get_loops(tile)
    s.vectorize(written[-1])
    s.unroll(written[-2])
    begin = s.decompose_reduction(block, sums[0])
    zeros = s.get_loops(begin)
    s.vectorize(zeros[-1])
    s.unroll(zeros[-2])


def matmul(a, b):
    A, B = inputs(a, b)
    r = te.reduce_axis((0, a.shape[1]), "r")
    C = te.compute(
        (a.shape[0], b.shape[1]), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C"
    )
    s = schedule_of([A, B, C])
    block = s.get_sblock("C")
    i, j, r = s.get_loops(block)
    ro, ri = s.split(r, [None, 4])
    s.unroll(ri)
    register_tile(s, block, i, j, [ro, ri])
    return s


def gemv(a, x):
    A, X = inputs(a, x)
    r = te.reduce_axis((0, a.shape[1]), "r")
    Y = te.compute((a.shape[0],), lambda i: te.sum(A[i, r] * X[r], axis=r), name="Y")
    s = schedule_of([A, X, Y])
    block = s.get_sblock("Y")
    _, r = s.get_loops(block)
    _, lanes = s.split(r, [None, 4 * LANES])
    partial = s.rfactor(lanes, 1)
    s.vectorize(s.get_loops(partial)[-1])
    s.compute_at(partial, s.get_loops(block)[0])
    begin = s.decompose_reduction(partial, s.get_loops(partial)[-2])
    s.vectorize(s.get_loops(begin)[-1])
    return s


def conv2d(a, w):
    A, W = inputs(a, w)
    height, width, channels = a.shape
    padded = padding(A)
    dy, dx, c = (
        te.reduce_axis((0, n), name) for n, name in ((3, "dy"), (3, "dx"), (channels, "c"))
    )
    C = te.compute(
        (height, width, channels),
        lambda y, x, k: te.sum(padded[y + dy, x + dx, c] * W[dy, dx, c, k], axis=[dy, dx, c]),
        name="C",
    )
    s = schedule_of([A, W, C])
    block = s.get_sblock("C")
    y, x, k, dy, dx, c = s.get_loops(block)
    register_tile(s, block, x, k, [dy, dx, c])
    s.compute_at(s.get_sblock("padded"), y)
    s.vectorize(s.get_loops(s.get_sblock("padded"))[-1])
    return s


def depthwise(a, w):
    A, W = inputs(a, w)
    padded = padding(A)
    dy, dx = te.reduce_axis((0, 3), "dy"), te.reduce_axis((0, 3), "dx")
    C = te.compute(
        a.shape,
        lambda y, x, c: te.sum(padded[y + dy, x + dx, c] * W[dy, dx, c], axis=[dy, dx]),
        name="C",
    )
    s = schedule_of([A, W, C])
    block = s.get_sblock("C")
    tile = s.cache_write(block, 0, "local")
    y, x, c, dy, dx = s.get_loops(block)
    xo, xi = s.split(x, [None, 4])
    co, ci = s.split(c, [None, LANES])
    s.reorder(y, xo, co, dy, dx, xi, ci)
    s.reverse_compute_at(tile, co)
    for loop in (dy, dx, xi):
        s.unroll(loop)
    s.vectorize(ci)
    s.vectorize(s.get_loops(tile)[-1])
    begin = s.decompose_reduction(block, dy)
    s.vectorize(s.get_loops(begin)[-1])
    s.unroll(s.get_loops(begin)[-2])
    s.compute_at(s.get_sblock("padded"), y)
    s.vectorize(s.get_loops(s.get_sblock("padded"))[-1])
    return s


def padding(A):
    height, width, channels = A.shape
    return te.compute(
        (height + 2, width + 2, channels),
        lambda y, x, c: te.if_then_else(
            te.all(y >= 1, y <= height, x >= 1, x <= width),
            A[y - 1, x - 1, c],
            te.const(0, "float32"),
        ),
        name="padded",
    )


def six_ops(x, y):
    X, Y = inputs(x, y)
    two, half = te.const(2, "float32"), te.const(0.5, "float32")
    Z = te.compute(x.shape, lambda i: te.abs((X[i] * Y[i] + X[i]) * two - Y[i]) * half, name="Z")
    s = schedule_of([X, Y, Z])
    (i,) = s.get_loops(s.get_sblock("Z"))
    s.vectorize(s.split(i, [None, LANES])[1])
    return s


def transpose(x):
    (X,) = inputs(x)
    Y = te.compute(x.shape[::-1], lambda i, j: X[j, i], name="Y")
    s = schedule_of([X, Y])
    i, j = s.get_loops(s.get_sblock("Y"))
    (io, ii), (jo, ji) = s.split(i, [None, 16]), s.split(j, [None, 16])
    s.reorder(io, jo, ii, ji)
    s.vectorize(ji)
    return s


def built(schedule, stage: str) -> Program:
    """The outermost loop of the stage runs on all threads."""

    def prepare(task: Task) -> Runner:
        s = schedule(*task.inputs)
        target = tvm.target.Target({"kind": "llvm", "mcpu": HERE.cpu})
        if task.threads > 1:
            s.parallel(s.get_loops(s.get_sblock(stage))[0])
        run = tvm.compile(s.mod, target=target)["main"]
        arrays = [tvm.runtime.tensor(array) for array in task.inputs]
        result = tvm.runtime.tensor(task.result)
        return Runner(lambda: run(*arrays, result), lambda _: result.numpy())

    return prepare


PROGRAMS: dict[str, Program] = {
    "matmul": built(matmul, "C"),
    "gemv": built(gemv, "Y"),
    "conv2d": built(conv2d, "C"),
    "depthwise": built(depthwise, "C"),
    "six_ops": built(six_ops, "Z"),
    "transpose": built(transpose, "Y"),
}
