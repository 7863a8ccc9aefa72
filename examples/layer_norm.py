"""Layer normalisation: each row is shifted to mean 0 and scaled to variance 1.

A row is read from memory once: it stays in the nearest cache while its sums are taken and its
results are written.

    python examples/layer_norm.py --size 4096x1024
"""

import numpy as np
from example import Example, Program, main, random

from teloom import te

SMALL = 1e-5
"""What the variance is at least, so that rows of equal numbers stay finite."""


def layer_norm(rows: int, columns: int) -> Program:
    """(X - mean) / sqrt(variance + 1e-5) * gamma + beta, of each row."""
    X = te.placeholder((rows, columns), "float32", name="X")
    gamma = te.placeholder((columns,), "float32", name="gamma")
    beta = te.placeholder((columns,), "float32", name="beta")
    share = te.const(1, "float32") / columns
    r, q = te.reduce_axis((0, columns), "r"), te.reduce_axis((0, columns), "q")
    total = te.compute((rows,), lambda i: te.sum(X[i, r], axis=r), name="total")
    squares = te.compute(
        (rows,),
        lambda i: te.sum(te.power(X[i, q] - total[i] * share, 2), axis=q),
        name="squares",
    )
    scale = te.compute(
        (rows,), lambda i: te.rsqrt(squares[i] * share + te.const(SMALL, "float32")), name="scale"
    )
    Y = te.compute(
        (rows, columns),
        lambda i, j: (X[i, j] - total[i] * share) * scale[i] * gamma[j] + beta[j],
        name="Y",
    )
    s = te.create_schedule(Y)
    i, j = Y.op.axis
    s[Y].parallel(i)
    s[Y].vectorize(j)
    s[Y].stream_stores()
    for stage in (total, squares, scale):
        s[stage].compute_at(s[Y], i)
    s[total].vectorize(r)
    s[squares].vectorize(q)
    return s, [X, gamma, beta, Y]


def layer_norm_numpy(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.square(centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + np.float32(SMALL)) * gamma + beta


def arrays(rng: np.random.Generator, rows: int, columns: int) -> list[np.ndarray]:
    return [random(rng, rows, columns), random(rng, columns), random(rng, columns)]


# Sums of float32 differ by their order.
EXAMPLE = Example(layer_norm, arrays, layer_norm_numpy, (4096, 1024), 1e-5)

if __name__ == "__main__":
    main(EXAMPLE)
