"""A temporary that is written by columns and read by rows, for tests of how it is stored."""

import numpy as np

from teloom import build, te


def transposed_twice(n, m):
    A = te.placeholder((n, m), name="A")
    B = te.compute((m, n), lambda j, i: A[i, j] * 2, name="B")
    return A, B, te.compute((n, m), lambda i, j: B[j, i] + 1, name="C")


def check(s, A, C, *sizes):
    """The program of `transposed_twice`, compiled once, gives the right numbers at all sizes."""
    kernel = build(s, [A, C])
    for n, m in sizes:
        a = np.arange(n * m, dtype="float32").reshape(n, m)
        c = np.full((n, m), np.nan, "float32")
        kernel(a, c)
        np.testing.assert_array_equal(c, a * 2 + 1)
