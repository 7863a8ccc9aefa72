"""Two stages: the means of three rows, then of three columns of those."""

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


class Blur(NamedTuple):
    image: Tensor
    rows: Tensor
    out: Tensor


def blur(height, width, dtype="float32") -> Blur:
    """The output is height x width, the image two larger."""
    image = te.placeholder((height + 2, width + 2), dtype, name="image")

    def mean(x, y, z):
        return (x + y + z) / 3 if dtype.startswith("float") else te.floordiv(x + y + z, 3)

    rows = te.compute(
        (height, width + 2),
        lambda y, x: mean(image[y, x], image[y + 1, x], image[y + 2, x]),
        name="rows",
    )
    out = te.compute(
        (height, width),
        lambda y, x: mean(rows[y, x], rows[y, x + 1], rows[y, x + 2]),
        name="out",
    )
    return Blur(image, rows, out)


def expected(image: np.ndarray) -> np.ndarray:
    def mean(x, y, z):
        three = image.dtype.type(3)
        return (x + y + z) / three if image.dtype.kind == "f" else (x + y + z) // three

    rows = mean(image[:-2], image[1:-1], image[2:])
    return mean(rows[:, :-2], rows[:, 1:-1], rows[:, 2:])


def unscheduled(s: Schedule, p: Blur):
    pass


def rows_at_tile(s: Schedule, p: Blur):
    yo, xo, _yi, xi = s[p.out].tile(*p.out.op.axis, 8, 32)
    s[p.rows].compute_at(s[p.out], xo)
    s[p.out].vectorize(xi)
    s[p.rows].vectorize(p.rows.op.axis[1])
    s[p.out].parallel(yo)


def rows_at_tile_and_split(s: Schedule, p: Blur):
    _yo, xo, yi, _xi = s[p.out].tile(*p.out.op.axis, 5, 16)
    s[p.rows].compute_at(s[p.out], xo)
    y, x = p.rows.op.axis
    ro, ri = s[p.rows].split(x, factor=8)
    s[p.rows].reorder(ro, y, ri)
    s[p.rows].vectorize(ri)
    s[p.rows].unroll(y)
    s[p.out].unroll(yi)


def rows_at_line(s: Schedule, p: Blur):
    y, x = p.out.op.axis
    s[p.rows].compute_at(s[p.out], y)
    _xo, xi = s[p.out].split(x, factor=16)
    s[p.out].vectorize(xi)
    s[p.out].parallel(y)


def rows_at_element(s: Schedule, p: Blur):
    y, x = p.out.op.axis
    s[p.rows].compute_at(s[p.out], x)
    s[p.out].reorder(x, y)


def rows_at_inner(s: Schedule, p: Blur):
    _yo, _xo, yi, _xi = s[p.out].tile(*p.out.op.axis, 4, 8)
    s[p.rows].compute_at(s[p.out], yi)
    s[p.rows].vectorize(p.rows.op.axis[1])


def rows_inlined(s: Schedule, p: Blur):
    s[p.rows].compute_inline()
    _yo, yi = s[p.out].split(p.out.op.axis[0], factor=3)
    s[p.out].vectorize(p.out.op.axis[1])
    s[p.out].unroll(yi)


def rows_at_root_again(s: Schedule, p: Blur):
    y, _x = p.out.op.axis
    s[p.rows].compute_at(s[p.out], y)
    s[p.rows].compute_root()
    s[p.rows].parallel(p.rows.op.axis[0])
    _xo, xi = s[p.rows].split(p.rows.op.axis[1], factor=7)
    s[p.rows].vectorize(xi)


def rows_at_part(s: Schedule, p: Blur):
    y, _x = p.out.op.axis
    yo, _yi = s[p.out].split(y, nparts=3)
    s[p.rows].compute_at(s[p.out], yo)
    s[p.rows].vectorize(p.rows.op.axis[1])
    s[p.out].parallel(yo)


def rows_at_fused_tiles(s: Schedule, p: Blur):
    yo, xo, _yi, xi = s[p.out].tile(*p.out.op.axis, 4, 16)
    tile = s[p.out].fuse(yo, xo)
    s[p.rows].compute_at(s[p.out], tile)
    s[p.out].parallel(tile)
    s[p.out].vectorize(xi)
    fused = s[p.rows].fuse(*p.rows.op.axis)
    outer, _inner = s[p.rows].split(fused, nparts=2)
    s[p.rows].unroll(outer)


def rows_at_shifted_tile(s: Schedule, p: Blur):
    y, x = p.out.op.axis
    yo, yi = s[p.out].split(s[p.out].shift(y, 3), factor=8)
    xo, xi = s[p.out].split(s[p.out].shift(x, -5), factor=16)
    s[p.out].reorder(yo, xo, yi, xi)
    s[p.rows].compute_at(s[p.out], xo)
    s[p.out].vectorize(xi)
    s[p.rows].vectorize(s[p.rows].shift(p.rows.op.axis[1], 1))


def rows_at_diagonal(s: Schedule, p: Blur):
    y, x = p.out.op.axis
    diagonal = s[p.out].skew(x, along=y, factor=2)
    s[p.out].reorder(diagonal, y)
    s[p.rows].compute_at(s[p.out], diagonal)
    s[p.rows].reverse(p.rows.op.axis[0])


def rows_at_diagonal_of_tiles(s: Schedule, p: Blur):
    yo, xo, yi, xi = s[p.out].tile(*p.out.op.axis, 4, 8)
    diagonal = s[p.out].skew(xo, along=yo, factor=1)
    s[p.out].reorder(diagonal, yo, yi, xi)
    s[p.rows].compute_at(s[p.out], yo)
    y, x = p.rows.op.axis
    s[p.rows].reorder(s[p.rows].skew(x, along=y, factor=-1), y)
    s[p.out].parallel(yo)


SCHEDULES = [
    unscheduled,
    rows_at_tile,
    rows_at_tile_and_split,
    rows_at_line,
    rows_at_element,
    rows_at_inner,
    rows_inlined,
    rows_at_root_again,
    rows_at_part,
    rows_at_fused_tiles,
    rows_at_shifted_tile,
    rows_at_diagonal,
    rows_at_diagonal_of_tiles,
]
SIZES = [(1, 1), (8, 32), (13, 45), (7, 100), (0, 5), (5, 0), (33, 2)]
CONSTANT_SIZES = [(1, 1), (13, 45), (16, 64), (0, 5), (5, 0)]


def scheduled(p: Blur, schedule) -> Schedule:
    s = te.create_schedule(p.out)
    schedule(s, p)
    return s


def arguments(p: Blur) -> list[Tensor]:
    return [p.image, p.out]


def check(kernel, sizes, dtype):
    height, width = sizes
    image = random_array((height + 2, width + 2), dtype)
    result = expected(image)
    (found,) = call(kernel, image, like(result))
    # Three roundings per mean, of values up to 3, in two stages, by us and by NumPy.
    assert_agrees(found, result, roundings=12, magnitude=3)


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    p = blur(te.size_var("height"), te.size_var("width"), dtype)
    kernel = build(scheduled(p, schedule), arguments(p))
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, CONSTANT_SIZES))
def test_sizes_known(schedule, sizes):
    p = blur(*sizes)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32")


@pytest.mark.parametrize("schedule", [rows_at_tile, rows_at_fused_tiles])
def test_photograph(schedule):
    sizes = (300, 401)
    p = blur(*sizes)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [rows_at_diagonal_of_tiles]))
def test_every_pass_alone_on_text(schedule):
    p = blur(13, 45, "uint8")
    kernel = compiled_through_text(scheduled(p, schedule), arguments(p))
    check(kernel, (13, 45), "uint8")
