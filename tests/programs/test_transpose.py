"""B[j, i] = A[i, j]."""

from typing import NamedTuple

import pytest
from budget import chosen, each
from programs.arrays import assert_agrees, call, like, random_array
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor

DTYPES = ["float32", "float64", "int32", "uint8"]


class Transpose(NamedTuple):
    A: Tensor
    B: Tensor


def transpose(m, n, dtype="float32") -> Transpose:
    A = te.placeholder((m, n), dtype, name="A")
    return Transpose(A, te.compute((n, m), lambda j, i: A[i, j], name="B"))


def unscheduled(s: Schedule, p: Transpose):
    pass


def tiled(s: Schedule, p: Transpose):
    jo, _io, _ji, ii = s[p.B].tile(*p.B.op.axis, 8, 8)
    s[p.B].parallel(jo)
    s[p.B].vectorize(ii)


def by_input_rows(s: Schedule, p: Transpose):
    j, i = p.B.op.axis
    jo, ji = s[p.B].split(j, factor=4)
    s[p.B].reorder(i, jo, ji)
    s[p.B].vectorize(ji)


def unrolled(s: Schedule, p: Transpose):
    _jo, _io, ji, ii = s[p.B].tile(*p.B.op.axis, 2, 3)
    s[p.B].unroll(ji)
    s[p.B].unroll(ii)


def by_parts(s: Schedule, p: Transpose):
    j, i = p.B.op.axis
    jo, ji = s[p.B].split(j, nparts=3)
    io, ii = s[p.B].split(i, nparts=2)
    s[p.B].reorder(io, jo, ji, ii)
    outer = s[p.B].fuse(io, jo)
    s[p.B].parallel(outer)


def fused(s: Schedule, p: Transpose):
    all_axes = s[p.B].fuse(*p.B.op.axis)
    _outer, inner = s[p.B].split(all_axes, factor=16)
    s[p.B].vectorize(inner)


SCHEDULES = [unscheduled, tiled, by_input_rows, unrolled, by_parts, fused]
SIZES = [(1, 1), (16, 8), (13, 9), (0, 4), (4, 0), (1, 130), (65, 33)]
CONSTANT_SIZES = [(1, 1), (16, 8), (13, 9), (0, 4), (4, 0)]


def scheduled(p: Transpose, schedule) -> Schedule:
    s = te.create_schedule(p.B)
    schedule(s, p)
    return s


def check(kernel, sizes, dtype):
    A = random_array(sizes, dtype)
    (found,) = call(kernel, A, like(A.T.copy()))
    assert_agrees(found, A.T)


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = transpose(te.size_var("m"), te.size_var("n"), dtype)
    kernel = build(scheduled(p, schedule), p)
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, CONSTANT_SIZES))
def test_sizes_known(schedule, sizes):
    p = transpose(*sizes)
    check(build(scheduled(p, schedule), p), sizes, "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [by_input_rows, fused]))
def test_every_pass_alone_on_text(schedule):
    p = transpose(13, 9, "float64")
    check(compiled_through_text(scheduled(p, schedule), p), (13, 9), "float64")
