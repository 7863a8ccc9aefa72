"""Harris corners of a colour image: grey, gradients, sums of their products, a response.

Strips of rows keep all stages but the result in the nearest caches. Both gradients are computed in
one pass, and rows begin at lines of the cache, from which windows read.

    python examples/harris.py --size 1530x2554
"""

import numpy as np
from example import LANES, Example, Program, main, random

from teloom import te

GREY = 0.299, 0.587, 0.114
"""Of red, green and blue."""

STRIP = 64
"""Rows of a strip; four rows above it are computed again."""

def window(stage: te.Tensor, y, x):
    """The sum of 3x3 numbers."""
    total = stage[y, x]
    for i in range(1, 9):
        total = total + stage[y + i // 3, x + i % 3]
    return total


def harris(height: int, width: int) -> Program:
    """The response at each pixel of 3 x height x width colours, given with a border of two."""
    A = te.placeholder((3, height + 4, width + 4), "float32", name="A")
    r, g, b = (te.const(weight, "float32") for weight in GREY)
    two, twelfth = te.const(2, "float32"), te.const(1 / 12, "float32")
    gray = te.compute(
        (height + 4, width + 4),
        lambda y, x: A[0, y, x] * r + A[1, y, x] * g + A[2, y, x] * b,
        name="gray",
    )
    inner = height + 2, width + 2
    Iy = te.compute(
        inner,
        lambda y, x: (
            (
                (gray[y + 2, x] - gray[y, x])
                + (gray[y + 2, x + 1] - gray[y, x + 1]) * two
                + (gray[y + 2, x + 2] - gray[y, x + 2])
            )
            * twelfth
        ),
        name="Iy",
    )
    Ix = te.compute(
        inner,
        lambda y, x: (
            (
                (gray[y, x + 2] - gray[y, x])
                + (gray[y + 1, x + 2] - gray[y + 1, x]) * two
                + (gray[y + 2, x + 2] - gray[y + 2, x])
            )
            * twelfth
        ),
        name="Ix",
    )
    Ixx = te.compute(inner, lambda y, x: Ix[y, x] * Ix[y, x], name="Ixx")
    Iyy = te.compute(inner, lambda y, x: Iy[y, x] * Iy[y, x], name="Iyy")
    Ixy = te.compute(inner, lambda y, x: Ix[y, x] * Iy[y, x], name="Ixy")
    Sxx = te.compute((height, width), lambda y, x: window(Ixx, y, x), name="Sxx")
    Syy = te.compute((height, width), lambda y, x: window(Iyy, y, x), name="Syy")
    Sxy = te.compute((height, width), lambda y, x: window(Ixy, y, x), name="Sxy")

    def response(y, x):
        trace = Sxx[y, x] + Syy[y, x]
        determinant = Sxx[y, x] * Syy[y, x] - Sxy[y, x] * Sxy[y, x]
        return determinant - te.const(0.04, "float32") * trace * trace

    C = te.compute((height, width), response, name="C")
    s = te.create_schedule(C)
    y, x = C.op.axis
    y_strip, y_row = s[C].split(y, factor=STRIP)
    s[C].parallel(y_strip)
    s[C].vectorize(x)
    s[C].stream_stores()
    for stage in (Sxx, Syy, Sxy, Ixx, Iyy, Ixy):
        s[stage].compute_inline()
    for stage in (Ix, Iy, gray):
        s[stage].compute_at(s[C], y_row)
        s[stage].store_at(s[C], y_strip)
        s[stage].rolling_buffer()
        s[stage].storage_align(stage.op.axis[0], LANES, 0)
        s[stage].vectorize(stage.op.axis[1])
    s[Iy].compute_with(s[Ix], Ix.op.axis[1])
    return s, [A, C]


def harris_numpy(a: np.ndarray) -> np.ndarray:
    grey = np.array(GREY, "float32")
    two, twelfth = np.float32(2), np.float32(1 / 12)
    gray = a[0] * grey[0] + a[1] * grey[1] + a[2] * grey[2]
    down, across = gray[2:] - gray[:-2], gray[:, 2:] - gray[:, :-2]
    y = (down[:, :-2] + two * down[:, 1:-1] + down[:, 2:]) * twelfth
    x = (across[:-2] + two * across[1:-1] + across[2:]) * twelfth

    def summed(product: np.ndarray) -> np.ndarray:
        rows = product[:, :-2] + product[:, 1:-1] + product[:, 2:]
        return rows[:-2] + rows[1:-1] + rows[2:]

    xx, yy, xy = summed(x * x), summed(y * y), summed(x * y)
    trace = xx + yy
    return xx * yy - xy * xy - np.float32(0.04) * trace * trace


def arrays(rng: np.random.Generator, height: int, width: int) -> list[np.ndarray]:
    return [random(rng, 3, height + 4, width + 4)]


# Products of sums of a dozen terms, whose order differs.
EXAMPLE = Example(harris, arrays, harris_numpy, (1530, 2554), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
