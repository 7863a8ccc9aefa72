"""A 3x3 convolution with stride 2; reads outside the image are 0, by if_then_else."""

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


class Conv2d(NamedTuple):
    data: Tensor
    weight: Tensor
    padded: Tensor
    out: Tensor


def conv2d(height, width, channels, filters, dtype="float32") -> Conv2d:
    data = te.placeholder((channels, height, width), dtype, name="data")
    weight = te.placeholder((filters, channels, 3, 3), dtype, name="weight")

    def pad(c, y, x):
        inside = te.all(y >= 1, y < height + 1, x >= 1, x < width + 1)
        return te.if_then_else(inside, data[c, y - 1, x - 1], te.const(0, dtype))

    padded = te.compute((channels, height + 2, width + 2), pad, name="padded")
    c = te.reduce_axis((0, channels), name="c")
    dy, dx = te.reduce_axis((0, 3), name="dy"), te.reduce_axis((0, 3), name="dx")
    out = te.compute(
        (filters, (height + 1) // 2, (width + 1) // 2),
        lambda f, y, x: te.sum(
            padded[c, y * 2 + dy, x * 2 + dx] * weight[f, c, dy, dx], axis=[c, dy, dx]
        ),
        name="out",
    )
    return Conv2d(data, weight, padded, out)


def expected(data: np.ndarray, weight: np.ndarray) -> np.ndarray:
    channels, height, width = data.shape
    padded = np.pad(data, ((0, 0), (1, 1), (1, 1)))
    shape = (len(weight), (height + 1) // 2, (width + 1) // 2)
    result = np.zeros(shape, data.dtype)
    for dy in range(3):
        for dx in range(3):
            window = padded[:, dy : dy + 2 * shape[1] : 2, dx : dx + 2 * shape[2] : 2]
            window = window[:, : shape[1], : shape[2]]
            for c in range(channels):
                result += weight[:, c, dy, dx, None, None] * window[c]
    return result


def unscheduled(s: Schedule, p: Conv2d):
    pass


def padding_inlined(s: Schedule, p: Conv2d):
    s[p.padded].compute_inline()
    f, y, x = p.out.op.axis
    c, dy, dx = p.out.op.reduce_axis
    yo, xo, yi, xi = s[p.out].tile(y, x, 4, 8)
    s[p.out].reorder(f, yo, xo, c, dy, dx, yi, xi)
    s[p.out].parallel(f)
    s[p.out].unroll(dx)


def padded_at_tile(s: Schedule, p: Conv2d):
    f, y, x = p.out.op.axis
    c, dy, dx = p.out.op.reduce_axis
    yo, xo, yi, xi = s[p.out].tile(y, x, 3, 8)
    s[p.out].reorder(yo, xo, f, c, dy, dx, yi, xi)
    s[p.padded].compute_at(s[p.out], xo)
    s[p.out].vectorize(xi)
    s[p.out].parallel(yo)


def padded_at_channel(s: Schedule, p: Conv2d):
    f, y, x = p.out.op.axis
    c, dy, dx = p.out.op.reduce_axis
    s[p.out].reorder(y, c, f, x, dy, dx)
    s[p.padded].compute_at(s[p.out], c)
    s[p.padded].vectorize(p.padded.op.axis[2])
    s[p.out].unroll(dy)
    s[p.out].unroll(dx)


def padded_at_window(s: Schedule, p: Conv2d):
    f, y, x = p.out.op.axis
    c, dy, dx = p.out.op.reduce_axis
    s[p.padded].compute_at(s[p.out], x)
    fo, fi = s[p.out].split(f, factor=2)
    s[p.out].reorder(fo, y, x, fi, dy, c, dx)


def padded_at_row_of_window(s: Schedule, p: Conv2d):
    f, y, x = p.out.op.axis
    c, dy, dx = p.out.op.reduce_axis
    xo, xi = s[p.out].split(x, factor=4)
    s[p.out].reorder(f, y, dy, xo, c, dx, xi)
    s[p.padded].compute_at(s[p.out], xo)
    s[p.out].vectorize(xi)


def fused_window(s: Schedule, p: Conv2d):
    f, y, x = p.out.op.axis
    _c, dy, dx = p.out.op.reduce_axis
    window = s[p.out].fuse(dy, dx)
    fy = s[p.out].fuse(f, y)
    s[p.padded].compute_at(s[p.out], fy)
    s[p.out].parallel(fy)
    s[p.out].unroll(window)
    _xo, _xi = s[p.out].split(x, nparts=2)


def in_caches(s: Schedule, p: Conv2d):
    out = s.cache_write(p.out, "local")
    window = s.cache_read(p.padded, "local", out)
    weight = s.cache_read(p.weight, "local", out)
    f, _y, x = p.out.op.axis
    outer, inner = s[p.out].split(x, factor=4)
    s[p.out].vectorize(inner)
    s[out].compute_at(s[p.out], outer)
    c, dy, dx = out.op.reduce_axis
    s[out].reorder(c, dy, dx, *out.op.axis)
    s[window].compute_at(s[out], c)
    s[weight].compute_at(s[out], dy)
    s[p.padded].compute_at(s[p.out], f)


SCHEDULES = [
    unscheduled,
    padding_inlined,
    padded_at_tile,
    padded_at_channel,
    padded_at_window,
    padded_at_row_of_window,
    fused_window,
    in_caches,
]
SIZES = [(1, 1, 1, 1), (8, 16, 2, 3), (13, 11, 3, 2), (5, 0, 1, 1), (4, 6, 0, 2), (4, 6, 2, 0)]


def scheduled(p: Conv2d, schedule) -> Schedule:
    s = te.create_schedule(p.out)
    schedule(s, p)
    return s


def arguments(p: Conv2d) -> list[Tensor]:
    return [p.data, p.weight, p.out]


def check(kernel, sizes, dtype):
    height, width, channels, filters = sizes
    data = random_array((channels, height, width), dtype)
    weight = random_array((filters, channels, 3, 3), dtype, seed=1)
    result = expected(data, weight)
    (found,) = call(kernel, data, weight, like(result))
    terms = 9 * channels
    # Every product and every partial sum is rounded, by NumPy and by us.
    assert_agrees(found, result, roundings=4 * terms, magnitude=terms)


@pytest.mark.parametrize(("schedule", "dtype"), each(SCHEDULES, DTYPES))
def test_sizes_given_at_the_call(schedule, dtype):
    names = ("height", "width", "channels", "filters")
    p = conv2d(*(te.size_var(name) for name in names), dtype)
    kernel = build(scheduled(p, schedule), arguments(p))
    for sizes in SIZES:
        check(kernel, sizes, dtype)


@pytest.mark.parametrize(("schedule", "sizes"), each(SCHEDULES, SIZES[:-1]))
def test_sizes_known(schedule, sizes):
    p = conv2d(*sizes)
    check(build(scheduled(p, schedule), arguments(p)), sizes, "float32")


@pytest.mark.parametrize("schedule", [padded_at_tile, padded_at_channel])
def test_56x56(schedule):
    p = conv2d(56, 56, 16, 32)
    check(build(scheduled(p, schedule), arguments(p)), (56, 56, 16, 32), "float32")


@pytest.mark.parametrize("schedule", chosen(SCHEDULES, [in_caches]))
def test_every_pass_alone_on_text(schedule):
    p = conv2d(9, 7, 2, 3, "uint8")
    kernel = compiled_through_text(scheduled(p, schedule), arguments(p))
    check(kernel, (9, 7, 2, 3), "uint8")
