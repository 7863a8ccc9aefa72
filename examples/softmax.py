"""Softmax over the rows of a matrix: five equations, row by row.

A row is read from memory once: its largest element, its exponentials and their sum are computed at
that row of the result, which goes past the caches.

    python examples/softmax.py --size 4096x1024
"""

import numpy as np
from example import Example, Program, main, random

from teloom import te


def softmax(rows: int, columns: int) -> Program:
    """exp(X) over its sum, of each row."""
    X = te.placeholder((rows, columns), "float32", name="X")
    r, q = te.reduce_axis((0, columns), "r"), te.reduce_axis((0, columns), "q")
    largest = te.compute((rows,), lambda i: te.max(X[i, r], axis=r), name="largest")
    power = te.compute((rows, columns), lambda i, j: te.exp(X[i, j] - largest[i]), name="power")
    total = te.compute((rows,), lambda i: te.sum(power[i, q], axis=q), name="total")
    share = te.compute((rows,), lambda i: te.const(1, "float32") / total[i], name="share")
    Y = te.compute((rows, columns), lambda i, j: power[i, j] * share[i], name="Y")
    s = te.create_schedule(Y)
    i, j = Y.op.axis
    s[Y].parallel(i)
    s[Y].vectorize(j)
    s[Y].stream_stores()
    for stage in (largest, power, total, share):
        s[stage].compute_at(s[Y], i)
    s[largest].vectorize(r)
    s[power].vectorize(power.op.axis[1])
    s[total].vectorize(q)
    return s, [X, Y]


def softmax_numpy(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def arrays(rng: np.random.Generator, rows: int, columns: int) -> list[np.ndarray]:
    return [10 * random(rng, rows, columns)]


# Sums of float32 differ by their order, and two exponentials in their last bits. An exponential
# that is not a normal float is nothing beside the largest, which is 1.
EXAMPLE = Example(softmax, arrays, softmax_numpy, (4096, 1024), 1e-5, math="fast")

if __name__ == "__main__":
    main(EXAMPLE)
