"""An unsharp mask: edges of a colour image become steeper.

A grey image is blurred by a Gaussian of 7x7, down then across; what the blur takes away is
added once more. Strips of rows keep all stages but the result in the nearest caches.

    python examples/unsharp.py --size 1536x2560
"""

import math

import numpy as np
from example import Example, Program, main, random

from teloom import te

REACH = 3
WEIGHTS = [math.exp(-((i / 1.5) ** 2) / 2) / (math.sqrt(2 * math.pi) * 1.5) for i in range(4)]
"""A Gaussian with deviation 1.5, at distances of 0 to 3 pixels."""

GREY = 0.299, 0.587, 0.114
"""Of red, green and blue."""

STRIP = 32


def blurred(at, y_step: int, x_step: int):
    """The weighted sum of seven pixels along one direction; `at` reads one at a distance."""
    total = at(0, 0) * te.const(WEIGHTS[0], "float32")
    for i in range(1, REACH + 1):
        pair = at(-i * y_step, -i * x_step) + at(i * y_step, i * x_step)
        total = total + pair * te.const(WEIGHTS[i], "float32")
    return total


def unsharp(height: int, width: int) -> Program:
    """The mask of 3 x height x width colours, given with a border of three pixels."""
    A = te.placeholder((3, height + 2 * REACH, width + 2 * REACH), "float32", name="A")
    r, g, b = (te.const(weight, "float32") for weight in GREY)
    gray = te.compute(
        (height + 2 * REACH, width + 2 * REACH),
        lambda y, x: A[0, y, x] * r + A[1, y, x] * g + A[2, y, x] * b,
        name="gray",
    )
    down = te.compute(
        (height, width + 2 * REACH),
        lambda y, x: blurred(lambda dy, dx: gray[y + REACH + dy, x + dx], 1, 0),
        name="down",
    )
    across = te.compute(
        (height, width),
        lambda y, x: blurred(lambda dy, dx: down[y + dy, x + REACH + dx], 0, 1),
        name="across",
    )
    ratio = te.compute(
        (height, width),
        lambda y, x: (
            (te.const(2, "float32") * gray[y + REACH, x + REACH] - across[y, x])
            / gray[y + REACH, x + REACH]
        ),
        name="ratio",
    )
    C = te.compute(
        (3, height, width),
        lambda c, y, x: ratio[y, x] * A[c, y + REACH, x + REACH],
        name="C",
    )
    s = te.create_schedule(C)
    c, y, x = C.op.axis
    y_outer, y_inner = s[C].split(y, factor=STRIP)
    s[C].reorder(y_outer, y_inner, c, x)
    s[C].parallel(y_outer)
    s[C].vectorize(x)
    s[C].stream_stores()
    s[ratio].compute_at(s[C], y_inner)
    s[ratio].vectorize(ratio.op.axis[1])
    s[across].compute_inline()
    s[down].compute_at(s[C], y_inner)
    s[down].vectorize(down.op.axis[1])
    s[gray].compute_at(s[C], y_inner)
    s[gray].store_at(s[C], y_outer)
    s[gray].rolling_buffer()
    s[gray].vectorize(gray.op.axis[1])
    return s, [A, C]


def unsharp_numpy(a: np.ndarray) -> np.ndarray:
    grey, weights = np.array(GREY, "float32"), np.array(WEIGHTS, "float32")
    height, width = a.shape[1] - 2 * REACH, a.shape[2] - 2 * REACH
    gray = a[0] * grey[0] + a[1] * grey[1] + a[2] * grey[2]
    down = gray[REACH : REACH + height] * weights[0]
    for i in range(1, REACH + 1):
        down = down + weights[i] * (
            gray[REACH - i : REACH - i + height] + gray[REACH + i : REACH + i + height]
        )
    across = down[:, REACH : REACH + width] * weights[0]
    for i in range(1, REACH + 1):
        across = across + weights[i] * (
            down[:, REACH - i : REACH - i + width] + down[:, REACH + i : REACH + i + width]
        )
    inner = gray[REACH:-REACH, REACH:-REACH]
    ratio = (np.float32(2) * inner - across) / inner
    return ratio * a[:, REACH:-REACH, REACH:-REACH]


def arrays(rng: np.random.Generator, height: int, width: int) -> list[np.ndarray]:
    # Away from 0, by which the ratio divides.
    return [random(rng, 3, height + 2 * REACH, width + 2 * REACH) / 4 + np.float32(0.5)]


# Sums of a dozen terms differ by their order.
EXAMPLE = Example(unsharp, arrays, unsharp_numpy, (1536, 2560), 1e-5)

if __name__ == "__main__":
    main(EXAMPLE)
