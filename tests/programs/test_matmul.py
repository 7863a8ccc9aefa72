"""C[i, j] = sum over k of A[i, k] * B[k, j]."""

from itertools import product
from typing import NamedTuple

import pytest
from budget import chosen, each, few
from programs.arrays import assert_agrees, call, like, random_array
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import IterVar, Tensor

DTYPES = ["float32", "float64", "int32", "uint8"]


class Matmul(NamedTuple):
    A: Tensor
    B: Tensor
    C: Tensor

    @property
    def k(self) -> IterVar:
        return self.C.op.reduce_axis[0]


def matmul(m, n, k, dtype="float32") -> Matmul:
    A = te.placeholder((m, k), dtype, name="A")
    B = te.placeholder((k, n), dtype, name="B")
    r = te.reduce_axis((0, k), name="k")
    C = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    return Matmul(A, B, C)


def symbolic(dtype: str) -> Matmul:
    return matmul(te.size_var("m"), te.size_var("n"), te.size_var("k"), dtype)


def unscheduled(s: Schedule, p: Matmul):
    pass


def tiled(s: Schedule, p: Matmul):
    io, jo, ii, ji = s[p.C].tile(*p.C.op.axis, 4, 16)
    ko, ki = s[p.C].split(p.k, factor=4)
    s[p.C].reorder(io, jo, ko, ii, ki, ji)
    s[p.C].unroll(ki)
    s[p.C].vectorize(ji)
    s[p.C].parallel(io)


def reduced_outermost(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    s[p.C].reorder(p.k, i, j)
    s[p.C].vectorize(j)


def reduced_between(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    ko, ki = s[p.C].split(p.k, factor=5)
    s[p.C].reorder(ko, j, ki, i)
    s[p.C].unroll(ki)


def split_three_times(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    io, ii = s[p.C].split(i, factor=12)
    im, ii = s[p.C].split(ii, factor=5)
    jo, ji = s[p.C].split(j, factor=32)
    jm, ji = s[p.C].split(ji, factor=8)
    s[p.C].reorder(jo, io, jm, im, p.k, ii, ji)
    s[p.C].unroll(ii)
    s[p.C].vectorize(ji)


def by_parts(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    io, ii = s[p.C].split(i, nparts=3)
    jo, ji = s[p.C].split(j, nparts=5)
    ko, ki = s[p.C].split(p.k, nparts=2)
    s[p.C].reorder(io, jo, ko, ii, ji, ki)
    s[p.C].parallel(io)


def fused(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    ij = s[p.C].fuse(i, j)
    outer, inner = s[p.C].split(ij, factor=24)
    s[p.C].parallel(outer)
    s[p.C].unroll(inner)


def fused_tiles(s: Schedule, p: Matmul):
    io, jo, ii, ji = s[p.C].tile(*p.C.op.axis, 5, 8)
    tile = s[p.C].fuse(io, jo)
    ko, ki = s[p.C].split(p.k, factor=3)
    inner = s[p.C].fuse(ii, ji)
    s[p.C].reorder(tile, ko, inner, ki)
    s[p.C].parallel(tile)


def reversed_and_shifted(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    k = s[p.C].reverse(p.k)
    ko, ki = s[p.C].split(s[p.C].shift(k, 3), factor=4)
    jo, ji = s[p.C].split(s[p.C].shift(j, -5), factor=16)
    io, ii = s[p.C].split(s[p.C].reverse(i), factor=4)
    s[p.C].reorder(s[p.C].reverse(io), jo, ko, ii, ki, ji)
    s[p.C].vectorize(ji)


def wavefront(s: Schedule, p: Matmul):
    i, j = p.C.op.axis
    diagonal = s[p.C].skew(i, along=j, factor=-1)
    ko, ki = s[p.C].split(p.k, factor=5)
    slanted = s[p.C].skew(ki, along=ko, factor=2)
    s[p.C].reorder(diagonal, slanted, j, ko)


def accumulated_in_a_cache(s: Schedule, p: Matmul):
    CL = s.cache_write(p.C, "local")
    _io, jo, _ii, ji = s[p.C].tile(*p.C.op.axis, 8, 16)
    s[p.C].vectorize(ji)
    s[CL].compute_at(s[p.C], jo)
    i, j = CL.op.axis
    ko, ki = s[CL].split(p.k, factor=4)
    s[CL].reorder(ko, ki, i, j)
    s[CL].unroll(ki)
    s[CL].vectorize(j)


def blocks_in_caches(s: Schedule, p: Matmul):
    CL = s.cache_write(p.C, "local")
    AS, BS = s.cache_read(p.A, "shared", [CL]), s.cache_read(p.B, "shared", [CL])
    AL, BL = s.cache_read(AS, "local", [CL]), s.cache_read(BS, "local", [CL])
    _io, jo, _ii, _ji = s[p.C].tile(*p.C.op.axis, 5, 12)
    s[CL].compute_at(s[p.C], jo)
    ko, ki = s[CL].split(CL.op.reduce_axis[0], factor=6)
    s[CL].reorder(ko, ki, *CL.op.axis)
    for tensor, place in ((AS, ko), (BS, ko), (AL, ki), (BL, ki)):
        s[tensor].compute_at(s[CL], place)
    s[BS].vectorize(BS.op.axis[1])
    s[AL].unroll(AL.op.axis[1])


SCHEDULES = [
    unscheduled,
    tiled,
    reduced_outermost,
    reduced_between,
    split_three_times,
    by_parts,
    fused,
    fused_tiles,
    reversed_and_shifted,
    wavefront,
    accumulated_in_a_cache,
    blocks_in_caches,
]
SIZES = [
    (1, 1, 1),
    (7, 7, 7),
    (127, 65, 33),
    (64, 64, 64),
    (5, 17, 3),
    (0, 3, 4),
    (3, 0, 4),
    (3, 4, 0),
    (2, 130, 9),
]
CONSTANT_SIZES = [(1, 1, 1), (7, 7, 7), (127, 65, 33), (0, 3, 4), (3, 4, 0)]


def check(kernel, sizes, dtype):
    m, n, k = sizes
    A, B = random_array((m, k), dtype), random_array((k, n), dtype, seed=1)
    expected = A @ B
    (found,) = call(kernel, A, B, like(expected))
    # Every product and every partial sum, at most k in magnitude, is rounded.
    assert_agrees(found, expected, roundings=2 * k, magnitude=k)


def scheduled(p: Matmul, schedule) -> Schedule:
    s = te.create_schedule(p.C)
    schedule(s, p)
    return s


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES, turn=1))
def test_sizes_given_at_the_call(schedule, dtype: str):
    p = symbolic(dtype)
    kernel = build(scheduled(p, schedule), p)
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, CONSTANT_SIZES))
def test_sizes_known(schedule, sizes):
    p = matmul(*sizes)
    check(build(scheduled(p, schedule), p), sizes, "float32")


@pytest.mark.parametrize(("schedule", "dtype"), each(few(SCHEDULES, 4), DTYPES, turn=1))
def test_64(schedule, dtype):
    p = matmul(64, 64, 64, dtype)
    check(build(scheduled(p, schedule), p), (64, 64, 64), dtype)


@pytest.mark.parametrize(
    "schedule",
    chosen(
        [unscheduled, tiled, fused_tiles, accumulated_in_a_cache], [tiled, accumulated_in_a_cache]
    ),
)
def test_128(schedule):
    p = matmul(128, 128, 128)
    check(build(scheduled(p, schedule), p), (128, 128, 128), "float32")


@pytest.mark.parametrize(
    ("schedule", "known"),
    chosen([*product(SCHEDULES, [True, False])], [(fused_tiles, True), (blocks_in_caches, False)]),
)
def test_every_pass_alone_on_text(schedule, known: bool):
    p = matmul(13, 18, 7, "int32") if known else symbolic("int32")
    check(compiled_through_text(scheduled(p, schedule), p), (13, 18, 7), "int32")
