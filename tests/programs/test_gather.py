"""out[i, j] = A[rows[i], j]: a subscript that is data."""

from typing import NamedTuple

import numpy as np
import pytest
from budget import chosen, each
from programs.arrays import assert_agrees, call, like, random_array
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor

DTYPES = ["float32", "float64", "int32", "uint8"]


class Gather(NamedTuple):
    A: Tensor
    rows: Tensor
    doubled: Tensor
    out: Tensor


def gather(height, width, count, dtype="float32", row_dtype="int32") -> Gather:
    """Rows of A + A, in the order of `rows`; the sum is a stage of its own."""
    A = te.placeholder((height, width), dtype, name="A")
    rows = te.placeholder((count,), row_dtype, name="rows")
    doubled = te.compute((height, width), lambda i, j: A[i, j] + A[i, j], name="doubled")
    out = te.compute((count, width), lambda i, j: doubled[rows[i], j], name="out")
    return Gather(A, rows, doubled, out)


def unscheduled(s: Schedule, p: Gather):
    pass


def inlined(s: Schedule, p: Gather):
    s[p.doubled].compute_inline()
    i, j = p.out.op.axis
    _jo, ji = s[p.out].split(j, factor=8)
    s[p.out].parallel(i)
    s[p.out].vectorize(ji)


def gathered_lanes(s: Schedule, p: Gather):
    s[p.doubled].compute_inline()
    i, j = p.out.op.axis
    io, ii = s[p.out].split(i, factor=4)
    s[p.out].reorder(j, io, ii)
    s[p.out].vectorize(ii)


def column_at_a_time(s: Schedule, p: Gather):
    """Any row of `doubled` may be read, so the whole column is computed."""
    i, j = p.out.op.axis
    s[p.out].reorder(j, i)
    s[p.doubled].compute_at(s[p.out], j)
    s[p.doubled].unroll(p.doubled.op.axis[1])


def columns_at_a_tile(s: Schedule, p: Gather):
    i, j = p.out.op.axis
    jo, ji = s[p.out].split(j, factor=5)
    s[p.out].reorder(jo, i, ji)
    s[p.doubled].compute_at(s[p.out], jo)
    s[p.doubled].vectorize(p.doubled.op.axis[1])
    s[p.out].parallel(jo)


def fused(s: Schedule, p: Gather):
    s[p.doubled].compute_inline()
    ij = s[p.out].fuse(*p.out.op.axis)
    outer, _inner = s[p.out].split(ij, nparts=3)
    s[p.out].parallel(outer)


SCHEDULES = [unscheduled, inlined, gathered_lanes, column_at_a_time, columns_at_a_tile, fused]
SIZES = [(1, 1, 1), (9, 16, 5), (5, 13, 21), (3, 4, 0), (4, 0, 3)]


def scheduled(p: Gather, schedule) -> Schedule:
    s = te.create_schedule(p.out)
    schedule(s, p)
    return s


def arguments(p: Gather) -> list[Tensor]:
    return [p.A, p.rows, p.out]


def check(kernel, sizes, dtype, row_dtype="int32"):
    height, width, count = sizes
    A = random_array((height, width), dtype)
    rows = np.random.default_rng(1).integers(0, height, count).astype(row_dtype)
    expected = (A + A)[rows]
    (found,) = call(kernel, A, rows, like(expected))
    assert_agrees(found, expected)  # a sum of equal numbers is exact


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = gather(te.size_var("height"), te.size_var("width"), te.size_var("count"), dtype)
    kernel = build(scheduled(p, schedule), arguments(p))
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, SIZES))
def test_sizes_known(schedule, sizes):
    p = gather(*sizes)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32")


@pytest.mark.parametrize("row_dtype", ["int8", "uint8", "int64", "uint16"])
@pytest.mark.parametrize("schedule", [unscheduled, gathered_lanes])
def test_types_of_rows(schedule, row_dtype):
    """Row numbers above 127 are there to be told from negative ones."""
    sizes = (100 if row_dtype == "int8" else 250, 3, 40)
    p = gather(*sizes, "float32", row_dtype)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32", row_dtype)


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [gathered_lanes, fused]))
def test_every_pass_alone_on_text(schedule):
    p = gather(5, 13, 21, "uint8")
    kernel = compiled_through_text(scheduled(p, schedule), arguments(p))
    check(kernel, (5, 13, 21), "uint8")
