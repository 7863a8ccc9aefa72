"""A matrix product as fast as a tuned library's, by its schedule alone.

The schedule is the one that such libraries use: a panel of B is copied so that it is
read in the order of memory, and a tile of the result stays in registers for all of the
sum. Both are stages of the program here, placed by `compute_at`.

    python examples/matmul.py --size 512
"""

import argparse

import numpy as np

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

ROWS, COLUMNS = 8, 32
"""The tile in registers: 8 rows of 2 vectors of 16 floats are 16 of AVX-512's 32 registers."""

STEPS = 4
"""Terms of the sum per round of its loop."""


def matmul(m: int, n: int, k: int) -> tuple[te.Schedule, list[te.Tensor]]:
    """The scheduled product of an m x k and a k x n matrix, and its arguments A, B, C."""
    A = te.placeholder((m, k), "float32", name="A")
    B = te.placeholder((k, n), "float32", name="B")

    def column(p, r, j):
        value = B[r, p * COLUMNS + j]
        if n % COLUMNS == 0:
            return value
        return te.if_then_else(p * COLUMNS + j < n, value, te.const(0, "float32"))

    panel = te.compute((-(-n // COLUMNS), k, COLUMNS), column, name="panel")
    r = te.reduce_axis((0, k), "r")
    product = te.compute(
        (m, n),
        lambda i, j: te.sum(A[i, r] * panel[j // COLUMNS, r, j % COLUMNS], axis=r),
        name="product",
    )
    C = te.compute((m, n), lambda i, j: product[i, j], name="C")

    s = te.create_schedule(C)
    i, j = C.op.axis
    i_outer, j_outer, i_inner, j_inner = s[C].tile(i, j, ROWS, COLUMNS)
    s[C].reorder(j_outer, i_outer, i_inner, j_inner)
    s[C].unroll(i_inner)
    s[C].vectorize(j_inner)

    s[panel].compute_at(s[C], j_outer)
    s[panel].vectorize(panel.op.axis[2])

    s[product].compute_at(s[C], i_outer)
    i, j = product.op.axis
    r_outer, r_inner = s[product].split(r, factor=STEPS)
    s[product].reorder(r_outer, r_inner, i, j)
    s[product].unroll(r_inner)
    s[product].unroll(i)
    s[product].vectorize(j)
    return s, [A, B, C]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Multiplies two square matrices.")
    parser.add_argument("--size", type=int, default=512, help="rows and columns (default: 512)")
    size = parser.parse_args(arguments).size
    s, tensors = matmul(size, size, size)
    multiply = teloom.build(s, tensors, name="matmul")
    print(multiply.source("loop"))

    rng = np.random.default_rng(0)
    a = rng.random((size, size), dtype="float32")
    b = rng.random((size, size), dtype="float32")
    c, expected = np.empty_like(a), a @ b
    multiply(a, b, c)
    # Sums of float32 differ by their order.
    np.testing.assert_allclose(c, expected, rtol=1e-4)
    print(f"\nagrees with NumPy, up to {np.max(abs(c - expected) / expected):.0e} of a value")

    times = time_in_turns(
        {"teloom": lambda: multiply(a, b, c), "numpy": lambda: np.matmul(a, b, out=expected)},
        rounds=20,
    )
    for name, time in times.items():
        print(f"{name}: {time.best * 1e3:.2f} ms, {2e-9 * size**3 / time.best:.0f} GFLOP/s")
    print("NumPy uses all cores that it finds; OPENBLAS_NUM_THREADS=1 compares one with one.")


if __name__ == "__main__":
    main()
