"""A layer of a network: a matrix product, a bias, and zero instead of what is negative.

The schedule is the matrix product's. The bias rides along where the tile is written.

    python examples/dense.py --size 1024x1024x1024
"""

import numpy as np
from example import Example, Program, main, random
from matmul import schedule_product

from teloom import te


def dense(m: int, n: int, k: int) -> Program:
    """max(A B + bias, 0), of an m x k and a k x n matrix."""
    A = te.placeholder((m, k), "float32", name="A")
    B = te.placeholder((k, n), "float32", name="B")
    bias = te.placeholder((n,), "float32", name="bias")
    r = te.reduce_axis((0, k), "r")
    product = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="product")
    zero = te.const(0, "float32")
    C = te.compute((m, n), lambda i, j: te.max(product[i, j] + bias[j], zero), name="C")
    s = te.create_schedule(C)
    schedule_product(s, C, product, A, B)
    return s, [A, B, bias, C]


def dense_numpy(a: np.ndarray, b: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.maximum(a @ b + bias, 0)


def arrays(rng: np.random.Generator, m: int, n: int, k: int) -> list[np.ndarray]:
    return [random(rng, m, k), random(rng, k, n), random(rng, n)]


# Sums of float32 differ by their order.
EXAMPLE = Example(dense, arrays, dense_numpy, (1024, 1024, 1024), 1e-4)

if __name__ == "__main__":
    main(EXAMPLE)
