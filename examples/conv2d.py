"""A 3x3 convolution with a border of zeros, tiled like a matrix product.

The border is a stage of its own. A panel of the weights is copied so that it is read in the order
of memory, and a tile of pixels by channels stays in registers for all of the sum.

    python examples/conv2d.py --size 56x56x64
"""

from typing import Any

import numpy as np
from example import HERE, LANES, Example, Program, main, random

from teloom import te

WINDOW = 3
BORDER = WINDOW // 2

CHANNELS = 2 * LANES
"""Of the tile in registers: many pixels read each vector of weights."""

PIXELS = (HERE.vector_registers - 1 - 2) // 2
"""The most pixels of the tile: with two vectors of weights and one number, they fill the
registers."""


def tile_of(height: Any, width: Any) -> tuple[int, int]:
    """The rows and columns of pixels of a tile: as few tiles as can be cover an image."""
    if not isinstance(height, int) or not isinstance(width, int):
        return 1, PIXELS
    sides = range(1, PIXELS + 1)
    shapes = ((rows, columns) for rows in sides for columns in sides if rows * columns <= PIXELS)
    return min(shapes, key=lambda it: (-(-height // it[0]) * -(-width // it[1]), it[0] * it[1]))


def padding(A: te.Tensor) -> te.Tensor:
    """An image of (y, x, channel) with a border of zeros."""
    height, width, channels = A.shape

    def bordered(y, x, c):
        inside = te.all(y >= BORDER, y < height + BORDER, x >= BORDER, x < width + BORDER)
        return te.if_then_else(inside, A[y - BORDER, x - BORDER, c], te.const(0, "float32"))

    shape = height + 2 * BORDER, width + 2 * BORDER, channels
    return te.compute(shape, bordered, name="padded")


def conv2d(height: int, width: int, channels: int, stride: int = 1) -> Program:
    """The convolution of A (y, x, c) with W (dy, dx, c, k), as C (y, x, k)."""
    A = te.placeholder((height, width, channels), "float32", name="A")
    W = te.placeholder((WINDOW, WINDOW, channels, channels), "float32", name="W")
    padded = padding(A)
    dy, dx = te.reduce_axis((0, WINDOW), "dy"), te.reduce_axis((0, WINDOW), "dx")
    c = te.reduce_axis((0, channels), "c")
    C = te.compute(
        (-(-height // stride), -(-width // stride), channels),
        lambda y, x, k: te.sum(
            padded[y * stride + dy, x * stride + dx, c] * W[dy, dx, c, k], axis=[dy, dx, c]
        ),
        name="C",
    )
    s = te.create_schedule(C)
    panel = s.cache_read(W, "global", [C])
    product = s.cache_write(C, "global")
    y, x, k = s[C].op.axis
    rows, columns = tile_of(-(-height // stride), -(-width // stride))
    y_outer, x_outer, y_inner, x_inner = s[C].tile(y, x, rows, columns)
    k_outer, k_inner = s[C].split(k, factor=CHANNELS, tail="round_up")
    s[C].reorder(k_outer, y_outer, x_outer, y_inner, x_inner, k_inner)
    has_one_block = isinstance(channels, int) and channels <= CHANNELS
    s[C].parallel(y_outer if has_one_block else k_outer)
    s[C].unroll(y_inner)
    s[C].unroll(x_inner)
    s[C].vectorize(k_inner)

    s[padded].parallel(padded.op.axis[0])
    s[padded].vectorize(padded.op.axis[2])

    s[product].compute_at(s[C], x_outer)
    y, x, k = s[product].op.axis
    dy, dx, c = s[product].op.reduce_axis
    s[product].reorder(dy, dx, c, y, x, k)
    s[product].unroll(y)
    s[product].unroll(x)
    s[product].vectorize(k)

    s[panel].compute_at(s[C], k_outer)
    s[panel].vectorize(s[panel].op.axis[3])
    return s, [A, W, C]


def padded_numpy(a: np.ndarray) -> np.ndarray:
    return np.pad(a, ((BORDER, BORDER), (BORDER, BORDER), (0, 0)))


def conv2d_numpy(a: np.ndarray, w: np.ndarray, stride: int = 1) -> np.ndarray:
    """One matrix product per place in the window."""
    height, width, channels = a.shape
    padded = padded_numpy(a)
    result = np.zeros((-(-height // stride), -(-width // stride), channels), "float32")
    for dy in range(WINDOW):
        for dx in range(WINDOW):
            result += padded[dy : dy + height : stride, dx : dx + width : stride] @ w[dy, dx]
    return result


def arrays(rng: np.random.Generator, height: int, width: int, channels: int) -> list[np.ndarray]:
    return [
        random(rng, height, width, channels),
        random(rng, WINDOW, WINDOW, channels, channels),
    ]


# Sums of float32 differ by their order.
EXAMPLE = Example(conv2d, arrays, conv2d_numpy, (56, 56, 64), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
