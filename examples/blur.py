"""A 3x3 box blur in two stages, horizontal then vertical, strip by strip.

The first stage slides along the second, a row ahead: each of its rows is computed once in a
strip, and what lies between the stages never travels through memory, as NumPy's does. A strip is
cut into blocks of columns, so that three rows of the first stage stay beside those of the image in
the first cache.

    python examples/blur.py --size 1600x2560
"""

import numpy as np
from example import Example, Program, main, random

from teloom import te

STRIP = 32
"""Rows of a strip; two rows above it are computed again."""

COLUMNS = 512
"""Columns of a block; the two beside it are read again."""

AHEAD = 2
"""How many rows before it is read a row of the image is prefetched."""


def schedule_blur(
    s: te.Schedule, image: te.Tensor, bx: te.Tensor, by: te.Tensor, columns: int = COLUMNS
) -> None:
    """Computes `bx` at the rows of a block of `by`, of which three are there at a time."""
    y_outer, x_outer, y_inner, x_inner = s[by].tile(*by.op.axis, STRIP, columns)
    s[by].parallel(y_outer)
    s[by].vectorize(x_inner)
    s[by].stream_stores()
    s[bx].compute_at(s[by], y_inner)
    s[bx].store_at(s[by], x_outer)
    s[bx].rolling_buffer()
    s[bx].vectorize(bx.op.axis[1])
    s[bx].prefetch(image, bx.op.axis[0], AHEAD)


def blur(height: int, width: int) -> Program:
    """The mean of 3x3 floats around each pixel of an image with a border of one pixel."""
    A = te.placeholder((height + 2, width + 2), "float32", name="A")
    third = te.const(1 / 3, "float32")
    bx = te.compute(
        (height + 2, width),
        lambda y, x: (A[y, x] + A[y, x + 1] + A[y, x + 2]) * third,
        name="bx",
    )
    by = te.compute(
        (height, width),
        lambda y, x: (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) * third,
        name="by",
    )
    s = te.create_schedule(by)
    schedule_blur(s, A, bx, by)
    return s, [A, by]


def blur_numpy(a: np.ndarray) -> np.ndarray:
    third = np.float32(1 / 3)
    bx = (a[:, :-2] + a[:, 1:-1] + a[:, 2:]) * third
    return (bx[:-2] + bx[1:-1] + bx[2:]) * third


def arrays(rng: np.random.Generator, height: int, width: int) -> list[np.ndarray]:
    return [random(rng, height + 2, width + 2)]


# Two additions and a product, twice, each rounded to float32.
EXAMPLE = Example(blur, arrays, blur_numpy, (1600, 2560), 1e-6)

if __name__ == "__main__":
    main(EXAMPLE)
