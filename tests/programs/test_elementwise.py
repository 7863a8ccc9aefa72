"""A chain of elementwise stages over a matrix, a row and a column: (A + row) * col - A."""

from typing import NamedTuple

import pytest
from budget import chosen, each
from programs.arrays import assert_agrees, call, like, random_array
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import Tensor

DTYPES = ["float32", "float64", "int32", "uint8"]


class Chain(NamedTuple):
    A: Tensor
    row: Tensor
    col: Tensor
    moved: Tensor
    scaled: Tensor
    out: Tensor


def chain(m, n, dtype="float32") -> Chain:
    A = te.placeholder((m, n), dtype, name="A")
    row = te.placeholder((n,), dtype, name="row")
    col = te.placeholder((m, 1), dtype, name="col")
    moved = te.compute((m, n), lambda i, j: A[i, j] + row[j], name="moved")
    scaled = te.compute((m, n), lambda i, j: moved[i, j] * col[i, 0], name="scaled")
    out = te.compute((m, n), lambda i, j: scaled[i, j] - A[i, j], name="out")
    return Chain(A, row, col, moved, scaled, out)


def unscheduled(s: Schedule, p: Chain):
    pass


def inlined(s: Schedule, p: Chain):
    s[p.moved].compute_inline()
    s[p.scaled].compute_inline()
    i, j = p.out.op.axis
    _jo, ji = s[p.out].split(j, factor=8)
    s[p.out].parallel(i)
    s[p.out].vectorize(ji)


def nested(s: Schedule, p: Chain):
    i, _j = p.out.op.axis
    io, ii = s[p.out].split(i, factor=3)
    s[p.scaled].compute_at(s[p.out], io)
    s[p.moved].compute_at(s[p.scaled], p.scaled.op.axis[0])
    s[p.moved].vectorize(p.moved.op.axis[1])
    s[p.out].unroll(ii)


def at_element(s: Schedule, p: Chain):
    io, jo, _ii, ji = s[p.out].tile(*p.out.op.axis, 4, 4)
    s[p.scaled].compute_at(s[p.out], ji)
    s[p.moved].compute_at(s[p.out], ji)
    s[p.out].parallel(jo)
    s[p.out].reorder(jo, io)


def column_by_column(s: Schedule, p: Chain):
    for tensor in (p.moved, p.scaled, p.out):
        i, j = tensor.op.axis
        io, ii = s[tensor].split(i, factor=4)
        s[tensor].reorder(j, io, ii)
        s[tensor].vectorize(ii)


def one_axis(s: Schedule, p: Chain):
    s[p.scaled].compute_inline()
    ij = s[p.out].fuse(*p.out.op.axis)
    outer, inner = s[p.out].split(ij, nparts=4)
    middle, inner = s[p.out].split(inner, factor=8)
    s[p.moved].compute_at(s[p.out], middle)
    s[p.out].parallel(outer)
    s[p.out].vectorize(inner)


def wavefront(s: Schedule, p: Chain):
    i, j = p.out.op.axis
    diagonal = s[p.out].skew(j, along=i, factor=1)
    s[p.out].reorder(diagonal, i)
    s[p.scaled].compute_at(s[p.out], diagonal)
    s[p.moved].compute_at(s[p.scaled], p.scaled.op.axis[0])
    s[p.out].parallel(diagonal)


def backwards(s: Schedule, p: Chain):
    i, j = p.out.op.axis
    s[p.out].reverse(i)
    s[p.out].vectorize(s[p.out].reverse(j))
    other = s[p.scaled].skew(p.scaled.op.axis[1], p.scaled.op.axis[0], -2)
    s[p.scaled].split(other, factor=4)
    s[p.moved].vectorize(s[p.moved].shift(p.moved.op.axis[1], -5))


def one_reader_from_a_cache(s: Schedule, p: Chain):
    """Both `moved` and `out` read A; only `out` reads the copy, through another one."""
    A = s.cache_read(p.A, "shared", [p.out])
    AA = s.cache_read(A, "local", [p.out])
    io, _jo, _ii, ji = s[p.out].tile(*p.out.op.axis, 3, 8)
    s[A].compute_at(s[p.out], io)
    s[AA].compute_at(s[p.out], ji)
    s[A].vectorize(A.op.axis[1])
    s[p.moved].compute_inline()
    s[p.scaled].compute_at(s[p.out], io)


def every_stage_in_caches(s: Schedule, p: Chain):
    moved = s.cache_write(p.moved, "local")
    scaled = s.cache_write(p.scaled, "local")
    out = s.cache_write(p.out, "local")
    col = s.cache_read(p.col, "local", scaled)
    outer, inner = s[p.out].split(p.out.op.axis[1], factor=8)
    s[p.out].vectorize(inner)
    for tensor in (out, p.scaled, scaled, p.moved, moved, col):
        s[tensor].compute_at(s[p.out], outer)
    s[out].reorder(*reversed(out.op.axis))
    s[p.moved].compute_inline()


SCHEDULES = [
    unscheduled,
    inlined,
    nested,
    at_element,
    column_by_column,
    one_axis,
    wavefront,
    backwards,
    one_reader_from_a_cache,
    every_stage_in_caches,
]
SIZES = [(1, 1), (8, 16), (7, 13), (0, 4), (4, 0), (33, 130)]
CONSTANT_SIZES = [(1, 1), (8, 16), (7, 13), (0, 4), (4, 0)]


def scheduled(p: Chain, schedule) -> Schedule:
    s = te.create_schedule(p.out)
    schedule(s, p)
    return s


def arguments(p: Chain) -> list[Tensor]:
    return [p.A, p.row, p.col, p.out]


def check(kernel, sizes, dtype):
    m, n = sizes
    A, row = random_array((m, n), dtype), random_array((n,), dtype, seed=1)
    col = random_array((m, 1), dtype, seed=2)
    expected = (A + row) * col - A
    (found,) = call(kernel, A, row, col, like(expected))
    # Three roundings by NumPy, as many by us; no value exceeds 3.
    assert_agrees(found, expected, roundings=6, magnitude=3)


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = chain(te.size_var("m"), te.size_var("n"), dtype)
    kernel = build(scheduled(p, schedule), arguments(p))
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, CONSTANT_SIZES))
def test_sizes_known(schedule, sizes):
    p = chain(*sizes)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [column_by_column]))
def test_every_pass_alone_on_text(schedule):
    p = chain(9, 21, "int32")
    kernel = compiled_through_text(scheduled(p, schedule), arguments(p))
    check(kernel, (9, 21), "int32")
