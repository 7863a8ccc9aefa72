"""The sum of each row of a matrix, in the lanes of several vectors.

Run it by `python examples/row_sum.py --size 4096x4096`.
"""

import numpy as np
from example import LANES, Example, Program, main, random

from teloom import te

ROWS = 4
"""Rows at once: while one of them ends a page of memory, others go on."""


def row_sum(rows: int, columns: int) -> Program:
    """The sums of the rows of a matrix."""
    X = te.placeholder((rows, columns), "float32", name="X")
    r = te.reduce_axis((0, columns), "r")
    Y = te.compute((rows,), lambda i: te.sum(X[i, r], axis=r), name="Y")
    s = te.create_schedule(Y)
    i_outer, _, i_inner, r_inner = s[Y].tile(Y.op.axis[0], r, ROWS, LANES)
    s[Y].parallel(i_outer)
    s[Y].unroll(i_inner)
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
