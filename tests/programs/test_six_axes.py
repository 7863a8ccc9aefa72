"""A stage with six axes, each split twice: eighteen loops."""

from typing import NamedTuple

import numpy as np
import pytest
from budget import chosen, each
from programs.arrays import assert_agrees, call, like, random_array
from programs.through_text import compiled_through_text

from teloom import build, te
from teloom.frontend.schedule.schedules import Schedule
from teloom.frontend.tensor.tensors import IterVar, Tensor

DTYPES = ["float32", "float64", "int32", "uint8"]
EXTENTS = (5, 7, 3, 6, 4, 9)
FACTORS = [(4, 3), (3, 2), (2, 2), (5, 2), (3, 1), (8, 4)]


class SixAxes(NamedTuple):
    A: Tensor
    out: Tensor


def six_axes(extents, dtype="float32") -> SixAxes:
    """Every axis reversed or not, in another order, and doubled."""
    a, b, c, d, e, f = extents
    A = te.placeholder((d, a, f, b, e, c), dtype, name="A")
    out = te.compute(
        extents,
        lambda o, p, q, r, s, t: A[r, a - 1 - o, t, p, e - 1 - s, q] * 2,
        name="out",
    )
    return SixAxes(A, out)


def expected(A: np.ndarray) -> np.ndarray:
    return A[:, ::-1, :, :, ::-1].transpose(1, 3, 5, 0, 4, 2) * A.dtype.type(2)


def _split_all(s: Schedule, p: SixAxes) -> list[tuple[IterVar, IterVar, IterVar]]:
    found = []
    for axis, (outer, inner) in zip(p.out.op.axis, FACTORS, strict=True):
        first, rest = s[p.out].split(axis, factor=outer)
        second, third = s[p.out].split(rest, factor=inner)
        found.append((first, second, third))
    return found


def unscheduled(s: Schedule, p: SixAxes):
    pass


def split_twice(s: Schedule, p: SixAxes):
    _split_all(s, p)


def by_level(s: Schedule, p: SixAxes):
    parts = _split_all(s, p)
    s[p.out].reorder(*(axes[level] for level in range(3) for axes in parts))
    s[p.out].parallel(parts[0][0])
    s[p.out].vectorize(parts[5][2])
    s[p.out].unroll(parts[4][2])


def inside_out(s: Schedule, p: SixAxes):
    parts = _split_all(s, p)
    s[p.out].reorder(*(axes[level] for axes in reversed(parts) for level in (2, 0, 1)))
    s[p.out].unroll(parts[1][2])


def by_parts(s: Schedule, p: SixAxes):
    thirds = []
    for axis in p.out.op.axis:
        _first, rest = s[p.out].split(axis, nparts=2)
        _second, third = s[p.out].split(rest, nparts=2)
        thirds.append(third)
    s[p.out].vectorize(thirds[-1])


def fused_again(s: Schedule, p: SixAxes):
    parts = _split_all(s, p)
    s[p.out].reorder(*(axes[level] for level in range(3) for axes in parts))
    outer = s[p.out].fuse(*(axes[0] for axes in parts[:3]))
    s[p.out].fuse(*(axes[1] for axes in parts[:2]))
    s[p.out].parallel(outer)
    s[p.out].unroll(parts[3][2])


SCHEDULES = [unscheduled, split_twice, by_level, inside_out, by_parts, fused_again]
SIZES = [EXTENTS, (1, 1, 1, 1, 1, 1), (8, 3, 2, 5, 3, 8), (2, 3, 0, 5, 3, 8), (3, 1, 5, 2, 4, 17)]


def scheduled(p: SixAxes, schedule) -> Schedule:
    s = te.create_schedule(p.out)
    schedule(s, p)
    return s


def check(kernel, sizes, dtype):
    a, b, c, d, e, f = sizes
    A = random_array((d, a, f, b, e, c), dtype)
    result = expected(A)
    (found,) = call(kernel, A, like(result))
    assert_agrees(found, result)  # doubling is exact


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = six_axes(tuple(te.size_var(name) for name in "abcdef"), dtype)
    kernel = build(scheduled(p, schedule), p)
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, SIZES))
def test_sizes_known(schedule, sizes):
    p = six_axes(sizes)
    check(build(scheduled(p, schedule), p), sizes, "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [by_level]))
def test_every_pass_alone_on_text(schedule):
    sizes = (8, 7, 4, 10, 4, 8)  # one axis has a rest
    p = six_axes(sizes, "int32")
    check(compiled_through_text(scheduled(p, schedule), p), sizes, "int32")
