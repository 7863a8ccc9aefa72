"""The greatest value of every row and where it is first: a reduction of pairs."""

from typing import NamedTuple

import numpy as np
import pytest
from budget import chosen, each
from programs.arrays import assert_agrees, call, like
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import IterVar, Tensor

DTYPES = ["float32", "float64", "int32", "uint8"]


def _greater(x, y):
    """Of equal values the first: so the order of the reduction does not matter."""
    left = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))
    return te.select(left, x[0], y[0]), te.select(left, x[1], y[1])


argmax = te.comm_reducer(
    _greater, lambda t0, t1: (te.max_value(t0), te.min_value(t1)), name="argmax"
)


class Argmax(NamedTuple):
    A: Tensor
    index: Tensor
    value: Tensor

    @property
    def k(self) -> IterVar:
        return self.index.op.reduce_axis[0]


def program(m, n, dtype="float32") -> Argmax:
    A = te.placeholder((m, n), dtype, name="A")
    k = te.reduce_axis((0, n), name="k")
    index, value = te.compute((m,), lambda i: argmax((k.var, A[i, k]), axis=k), name="T")
    return Argmax(A, index, value)


def unscheduled(s: Schedule, p: Argmax):
    pass


def split_reduction(s: Schedule, p: Argmax):
    _ko, ki = s[p.index].split(p.k, factor=4)
    s[p.index].unroll(ki)
    s[p.index].parallel(p.index.op.axis[0])


def interleaved_reduction(s: Schedule, p: Argmax):
    ko, ki = s[p.index].split(p.k, factor=4)
    s[p.index].reorder(ki, ko)


def rows_as_lanes(s: Schedule, p: Argmax):
    io, ii = s[p.index].split(p.index.op.axis[0], factor=4)
    s[p.index].reorder(io, p.k, ii)
    s[p.index].vectorize(ii)


def reduced_outermost(s: Schedule, p: Argmax):
    s[p.index].reorder(p.k, p.index.op.axis[0])


def by_parts(s: Schedule, p: Argmax):
    io, ii = s[p.index].split(p.index.op.axis[0], nparts=3)
    ko, ki = s[p.index].split(p.k, nparts=2)
    s[p.index].reorder(ko, io, ki, ii)
    s[p.index].unroll(ii)


def fused_reduction(s: Schedule, p: Argmax):
    ko, ki = s[p.index].split(p.k, factor=3)
    s[p.index].fuse(ko, ki)
    s[p.index].parallel(p.index.op.axis[0])


def in_a_cache(s: Schedule, p: Argmax):
    index, value = s.cache_write([p.index, p.value], "local")
    outer, inner = s[p.index].split(p.index.op.axis[0], factor=4)
    s[p.index].vectorize(inner)
    s[value].compute_at(s[p.index], outer)
    ko, ki = s[index].split(p.k, factor=4)
    s[index].reorder(ko, ki, index.op.axis[0])
    s[index].unroll(ki)
    A = s.cache_read(p.A, "local", [index])
    s[A].compute_at(s[index], ko)


SCHEDULES = [
    unscheduled,
    split_reduction,
    interleaved_reduction,
    rows_as_lanes,
    reduced_outermost,
    by_parts,
    fused_reduction,
    in_a_cache,
]
SIZES = [(1, 1), (8, 16), (5, 13), (0, 4), (3, 0), (21, 130)]
CONSTANT_SIZES = [(1, 1), (8, 16), (5, 13), (0, 4), (3, 0)]


def scheduled(p: Argmax, schedule) -> Schedule:
    s = te.create_schedule(p.index.op)
    schedule(s, p)
    return s


def check(kernel, sizes, dtype):
    m, n = sizes
    # Few different values, so that rows have several greatest ones.
    A = np.random.default_rng(0).integers(0, 5, (m, n)).astype(dtype)
    if np.dtype(dtype).kind != "u":
        A -= 3
    if n:
        index, value = A.argmax(axis=1).astype("int32"), A.max(axis=1)
    else:
        index = np.full(m, np.iinfo("int32").max, "int32")
        value = np.full(m, _least(A.dtype), dtype)
    found = call(kernel, A, like(index), like(value))
    assert_agrees(found[0], index)
    assert_agrees(found[1], value)


def _least(dtype: np.dtype):
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = program(te.size_var("m"), te.size_var("n"), dtype)
    kernel = build(scheduled(p, schedule), p)
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, CONSTANT_SIZES))
def test_sizes_known(schedule, sizes):
    p = program(*sizes)
    check(build(scheduled(p, schedule), p), sizes, "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [rows_as_lanes]))
def test_every_pass_alone_on_text(schedule):
    p = program(9, 14, "int32")
    check(compiled_through_text(scheduled(p, schedule), p), (9, 14), "int32")
