"""A matrix times a vector: sums along rows, one after the other, in the lanes of several vectors.

Run it by `python examples/gemv.py --size 4096x4096`.
"""

import numpy as np
from example import LANES, Example, Program, main, random

from teloom import te

VECTORS = 8
"""Vectors of a row that are added to as many sums, while an addition takes its time."""


def gemv(m: int, k: int) -> Program:
    """The product of an m x k matrix and a vector."""
    A = te.placeholder((m, k), "float32", name="A")
    x = te.placeholder((k,), "float32", name="x")
    r = te.reduce_axis((0, k), "r")
    y = te.compute((m,), lambda i: te.sum(A[i, r] * x[r], axis=r), name="y")
    s = te.create_schedule(y)
    _, r_inner = s[y].split(r, factor=VECTORS * LANES)
    s[y].parallel(y.op.axis[0])
    s[y].vectorize(r_inner)
    return s, [A, x, y]


def arrays(rng: np.random.Generator, m: int, k: int) -> list[np.ndarray]:
    return [random(rng, m, k), random(rng, k)]


# Sums of float32 differ by their order.
EXAMPLE = Example(gemv, arrays, np.matmul, (4096, 4096), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
