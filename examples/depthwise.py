"""A depthwise 3x3 convolution with a border of zeros: each channel for itself.

The border is inlined: only pixels next to it ask on which side they are.

Run it by `python examples/depthwise.py --size 112x112x32`.
"""

import numpy as np
from conv2d import WINDOW, padded_numpy, padding
from example import LANES, Example, Program, main, random

from teloom import te

PIXELS = 4
"""Pixels of a row at once: neighbours read the same pixels of the image."""

CHANNELS = 2 * LANES
"""Channels at once: the sums of a tile of pixels by channels stay in registers."""


def depthwise(height: int, width: int, channels: int) -> Program:
    """The convolution of A (y, x, c) with W (dy, dx, c), as C (y, x, c)."""
    A = te.placeholder((height, width, channels), "float32", name="A")
    W = te.placeholder((WINDOW, WINDOW, channels), "float32", name="W")
    padded = padding(A)
    dy, dx = te.reduce_axis((0, WINDOW), "dy"), te.reduce_axis((0, WINDOW), "dx")
    C = te.compute(
        (height, width, channels),
        lambda y, x, c: te.sum(padded[y + dy, x + dx, c] * W[dy, dx, c], axis=[dy, dx]),
        name="C",
    )
    s = te.create_schedule(C)
    product = s.cache_write(C, "global")
    y, x, c = s[C].op.axis
    x_outer, x_inner = s[C].split(x, factor=PIXELS)
    c_outer, c_inner = s[C].split(c, factor=CHANNELS)
    s[C].reorder(y, x_outer, c_outer, x_inner, c_inner)
    s[C].parallel(y)
    s[C].unroll(x_inner)
    s[C].vectorize(c_inner)

    s[padded].compute_inline()

    s[product].compute_at(s[C], c_outer)
    y, x, c = s[product].op.axis
    dy, dx = s[product].op.reduce_axis
    s[product].reorder(y, dy, dx, x, c)
    s[product].unroll(dy)
    s[product].unroll(dx)
    s[product].unroll(x)
    s[product].vectorize(c)
    return s, [A, W, C]


def depthwise_numpy(a: np.ndarray, w: np.ndarray) -> np.ndarray:
    height, width, _ = a.shape
    padded, result = padded_numpy(a), np.zeros_like(a)
    for dy in range(WINDOW):
        for dx in range(WINDOW):
            result += padded[dy : dy + height, dx : dx + width] * w[dy, dx]
    return result


def arrays(rng: np.random.Generator, height: int, width: int, channels: int) -> list[np.ndarray]:
    return [random(rng, height, width, channels), random(rng, WINDOW, WINDOW, channels)]


# Sums of nine terms differ by their order.
EXAMPLE = Example(depthwise, arrays, depthwise_numpy, (112, 112, 32), 1e-5)

if __name__ == "__main__":
    main(EXAMPLE)
