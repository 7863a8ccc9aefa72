"""exp(A - row maximum) divided by its sum over the row: max, exp, sum and division."""

from typing import NamedTuple

import numpy as np
import pytest
from budget import chosen, each
from programs.arrays import assert_agrees, call, like, random_array
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor

DTYPES = ["float32", "float64"]


class Softmax(NamedTuple):
    A: Tensor
    greatest: Tensor
    power: Tensor
    total: Tensor
    out: Tensor


def softmax(m, n, dtype="float32") -> Softmax:
    A = te.placeholder((m, n), dtype, name="A")
    k = te.reduce_axis((0, n), name="k")
    greatest = te.compute((m,), lambda i: te.max(A[i, k], axis=k), name="greatest")
    power = te.compute((m, n), lambda i, j: te.exp(A[i, j] - greatest[i]), name="power")
    r = te.reduce_axis((0, n), name="r")
    total = te.compute((m,), lambda i: te.sum(power[i, r], axis=r), name="total")
    out = te.compute((m, n), lambda i, j: power[i, j] / total[i], name="out")
    return Softmax(A, greatest, power, total, out)


def unscheduled(s: Schedule, p: Softmax):
    pass


def row_by_row(s: Schedule, p: Softmax):
    i, j = p.out.op.axis
    _jo, ji = s[p.out].split(j, factor=8)
    s[p.out].vectorize(ji)
    s[p.out].parallel(i)
    for tensor in (p.greatest, p.power, p.total):
        s[tensor].compute_at(s[p.out], i)
    _po, pi = s[p.power].split(p.power.op.axis[1], factor=8)
    s[p.power].vectorize(pi)
    _ro, ri = s[p.total].split(p.total.op.reduce_axis[0], factor=4)
    s[p.total].unroll(ri)


def rows_of_a_block(s: Schedule, p: Softmax):
    i, _j = p.out.op.axis
    io, _ii = s[p.out].split(i, factor=4)
    for tensor in (p.greatest, p.power, p.total):
        s[tensor].compute_at(s[p.out], io)
    for tensor in (p.greatest, p.total):
        (row,), (k,) = tensor.op.axis, tensor.op.reduce_axis
        s[tensor].reorder(k, row)
        s[tensor].vectorize(row)


def power_inlined(s: Schedule, p: Softmax):
    s[p.power].compute_inline()
    i, j = p.out.op.axis
    s[p.total].compute_at(s[p.out], i)
    s[p.greatest].compute_at(s[p.out], i)
    s[p.out].vectorize(j)


def power_at_the_sum(s: Schedule, p: Softmax):
    """The division has its powers from the root, so the stage cannot be at the sum's loop."""
    s[p.greatest].compute_at(s[p.power], p.power.op.axis[0])
    io, _jo, _ii, _ji = s[p.power].tile(*p.power.op.axis, 4, 8)
    s[p.power].parallel(io)
    s[p.total].parallel(p.total.op.axis[0])
    ko, ki = s[p.total].split(p.total.op.reduce_axis[0], factor=7)
    s[p.total].reorder(ki, ko)


def by_parts(s: Schedule, p: Softmax):
    i, _j = p.out.op.axis
    io, ii = s[p.out].split(i, nparts=2)
    s[p.power].compute_at(s[p.out], io)
    s[p.total].compute_at(s[p.out], ii)
    s[p.greatest].compute_at(s[p.out], io)
    s[p.power].vectorize(s[p.power].fuse(*p.power.op.axis))


def in_caches(s: Schedule, p: Softmax):
    i, _j = p.out.op.axis
    total = s.cache_write(p.total, "local")
    greatest = s.cache_write(p.greatest, "local")
    A = s.cache_read(p.A, "local", [greatest, p.power])
    power = s.cache_read(p.power, "local", p.out)
    for tensor in (greatest, p.greatest, A, p.power, total, p.total, power):
        s[tensor].compute_at(s[p.out], i)
    _ro, ri = s[total].split(p.total.op.reduce_axis[0], factor=4)
    s[total].unroll(ri)
    s[power].vectorize(power.op.axis[1])


SCHEDULES = [
    unscheduled,
    row_by_row,
    rows_of_a_block,
    power_inlined,
    power_at_the_sum,
    by_parts,
    in_caches,
]
SIZES = [(1, 1), (8, 16), (5, 13), (0, 4), (3, 0), (21, 130)]
CONSTANT_SIZES = [(1, 1), (8, 16), (5, 13), (0, 4), (3, 0)]


def scheduled(p: Softmax, schedule) -> Schedule:
    s = te.create_schedule(p.out)
    schedule(s, p)
    return s


def arguments(p: Softmax) -> list[Tensor]:
    return [p.A, p.out]


def check(kernel, sizes, dtype):
    m, n = sizes
    A = random_array((m, n), dtype) * 10
    greatest = A.max(axis=1, keepdims=True, initial=-np.inf)
    power = np.exp(A - greatest)
    expected = power / power.sum(axis=1, keepdims=True)
    (found,) = call(kernel, A, like(expected))
    # A rounding per term of a sum of n, and a few for exp and the division; results are at
    # most 1.
    assert_agrees(found, expected, roundings=n + 16)


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = softmax(te.size_var("m"), te.size_var("n"), dtype)
    kernel = build(scheduled(p, schedule), arguments(p))
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, CONSTANT_SIZES))
def test_sizes_known(schedule, sizes):
    p = softmax(*sizes)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32")


@pytest.mark.parametrize("schedule", [unscheduled, row_by_row])
def test_512x1024(schedule):
    p = softmax(512, 1024)
    check(build(scheduled(p, schedule), arguments(p)), (512, 1024), "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [power_inlined, in_caches]))
def test_every_pass_alone_on_text(schedule):
    p = softmax(5, 13)
    kernel = compiled_through_text(scheduled(p, schedule), arguments(p))
    check(kernel, (5, 13), "float32")
