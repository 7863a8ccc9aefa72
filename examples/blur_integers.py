"""The blur of integers of 16 bits, which wrap as NumPy's do.

Run it by `python examples/blur_integers.py --size 1600x2560`.
"""

import numpy as np
from blur import schedule_blur
from example import Example, Program, main

from teloom import te


def blur_integers(height: int, width: int) -> Program:
    """A third of the sum of 3 pixels, in each direction, rounded down."""
    A = te.placeholder((height + 2, width + 2), "uint16", name="A")
    bx = te.compute(
        (height + 2, width), lambda y, x: (A[y, x] + A[y, x + 1] + A[y, x + 2]) // 3, name="bx"
    )
    by = te.compute(
        (height, width), lambda y, x: (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) // 3, name="by"
    )
    s = te.create_schedule(by)
    schedule_blur(s, bx, by)
    return s, [A, by]


def blur_integers_numpy(a: np.ndarray) -> np.ndarray:
    three = np.uint16(3)
    bx = (a[:, :-2] + a[:, 1:-1] + a[:, 2:]) // three
    return (bx[:-2] + bx[1:-1] + bx[2:]) // three


def arrays(rng: np.random.Generator, height: int, width: int) -> list[np.ndarray]:
    return [rng.integers(0, 2**12, (height + 2, width + 2), dtype="uint16")]


EXAMPLE = Example(blur_integers, arrays, blur_integers_numpy, (1600, 2560), 0)

if __name__ == "__main__":
    main(EXAMPLE)
