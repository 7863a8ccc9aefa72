"""The sum of each row of a matrix, in the lanes of several vectors, one row after the other.

Run it by `python examples/row_sum.py --size 4096x4096`.
"""

import numpy as np
from example import LANES, Example, Program, main, random

from teloom import te

VECTORS = 4
"""Vectors of a row that are added to as many sums, while an addition takes its time."""


def row_sum(rows: int, columns: int) -> Program:
    """The sums of the rows of a matrix."""
    X = te.placeholder((rows, columns), "float32", name="X")
    r = te.reduce_axis((0, columns), "r")
    Y = te.compute((rows,), lambda i: te.sum(X[i, r], axis=r), name="Y")
    s = te.create_schedule(Y)
    _, r_inner = s[Y].split(r, factor=VECTORS * LANES)
    s[Y].parallel(Y.op.axis[0])
    s[Y].vectorize(r_inner)
    return s, [X, Y]


def row_sum_numpy(x: np.ndarray) -> np.ndarray:
    return x.sum(axis=1)


def arrays(rng: np.random.Generator, rows: int, columns: int) -> list[np.ndarray]:
    return [random(rng, rows, columns)]


# Sums of float32 differ by their order.
EXAMPLE = Example(row_sum, arrays, row_sum_numpy, (4096, 4096), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
