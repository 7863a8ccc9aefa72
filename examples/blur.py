"""A 3x3 box blur in two stages, horizontal then vertical, strip by strip.

The first stage slides along the second, a row ahead: each of its rows is computed once in a
strip, and what lies between the stages never travels through memory, as NumPy's does.

    python examples/blur.py --size 1600x2560
"""

import numpy as np
from example import Example, Program, main, random

from teloom import te

STRIP = 64
"""Rows of a strip; two rows above it are computed again."""


def schedule_blur(s: te.Schedule, bx: te.Tensor, by: te.Tensor) -> None:
    """Computes `bx` row by row of `by`, of which three are there at a time."""
    y, x = by.op.axis
    y_strip, y_row = s[by].split(y, factor=STRIP)
    s[by].parallel(y_strip)
    s[by].vectorize(x)
    s[by].stream_stores()
    s[bx].compute_at(s[by], y_row)
    s[bx].store_at(s[by], y_strip)
    s[bx].rolling_buffer()
    s[bx].vectorize(bx.op.axis[1])


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
    schedule_blur(s, bx, by)
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
