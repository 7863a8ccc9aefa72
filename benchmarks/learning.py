"""Programs of learning: statistics of rows, products of many terms and of narrow numbers, pairs."""

import numpy as np
from polybench.kernel import Kernel, Program, prange
from signals import grid, singles

from teloom import te, topi


def covariance(rows: int, columns: int) -> Program:
    """The products of all pairs of columns of a tall matrix."""
    A = te.placeholder((rows, columns), name="A")
    r = te.reduce_axis((0, rows), "r")
    C = te.compute(
        (columns, columns), lambda i, j: te.sum(A[r, i] * A[r, j], axis=r), name="products"
    )
    return [A], [C]


def covariance_loops(A, out):
    for i in prange(A.shape[1]):
        for r in range(A.shape[0]):
            for j in range(A.shape[1]):
                out[i, j] += A[r, i] * A[r, j]


def moments(rows: int, columns: int) -> Program:
    """The sum, the sum of squares and the maximum of each row."""
    A = te.placeholder((rows, columns), name="A")
    first, second, third = (te.reduce_axis((0, columns), name) for name in "jkl")
    return [A], [
        te.compute((rows,), lambda i: te.sum(A[i, first], axis=first), name="total"),
        te.compute(
            (rows,), lambda i: te.sum(A[i, second] * A[i, second], axis=second), name="squares"
        ),
        te.compute((rows,), lambda i: te.max(A[i, third], axis=third), name="most"),
    ]


def moments_loops(A, total, squares, most):
    for i in prange(A.shape[0]):
        one = two = np.float32(0)
        greatest = A[i, 0]
        for j in range(A.shape[1]):
            one += A[i, j]
            two += A[i, j] * A[i, j]
            greatest = max(greatest, A[i, j])
        total[i], squares[i], most[i] = one, two, greatest


def moments_numpy(A):
    return A.sum(1), np.einsum("ij,ij->i", A, A), A.max(1)


def cosines(rows: int, columns: int) -> Program:
    """The cosine of the angle between each row of one matrix and that of another."""
    A, B = (te.placeholder((rows, columns), name=name) for name in "AB")

    def dots(X, Y, name):
        k = te.reduce_axis((0, columns), "k")
        return te.compute((rows,), lambda i: te.sum(X[i, k] * Y[i, k], axis=k), name=name)

    both, first, second = dots(A, B, "both"), dots(A, A, "first"), dots(B, B, "second")
    found = te.compute((rows,), lambda i: both[i] * te.rsqrt(first[i] * second[i]), name="cosines")
    return [A, B], [found]


def cosines_loops(A, B, out):
    for i in prange(A.shape[0]):
        both = first = second = np.float32(0)
        for k in range(A.shape[1]):
            both += A[i, k] * B[i, k]
            first += A[i, k] * A[i, k]
            second += B[i, k] * B[i, k]
        out[i] = both / np.sqrt(first * second)


def rotations(rows: int, pairs: int) -> Program:
    """Pairs of neighbours in each row, turned by the angles of the row, as positions are."""
    A = te.placeholder((rows, 2 * pairs), name="A")
    cos, sin = (te.placeholder((rows, pairs), name=name) for name in ("cos", "sin"))

    def element(i, k):
        along, across = A[i, k] * cos[i, k // 2], sin[i, k // 2]
        return te.if_then_else(
            k % 2 == 0, along - A[i, k + 1] * across, along + A[i, k - 1] * across
        )

    return [A, cos, sin], [te.compute((rows, 2 * pairs), element, name="rotated")]


def rotations_loops(A, cos, sin, out):
    for i in prange(A.shape[0]):
        for k in range(cos.shape[1]):
            first, second = A[i, 2 * k], A[i, 2 * k + 1]
            out[i, 2 * k] = first * cos[i, k] - second * sin[i, k]
            out[i, 2 * k + 1] = second * cos[i, k] + first * sin[i, k]


def byte_product(rows: int, columns: int, terms: int) -> Program:
    """A product of a matrix by one of bytes, which stand for floats, as weights do."""
    A = te.placeholder((rows, terms), name="A")
    W = te.placeholder((terms, columns), "int8", name="W")
    k = te.reduce_axis((0, terms), "k")
    C = te.compute(
        (rows, columns),
        lambda i, j: te.sum(A[i, k] * W[k, j].astype("float32"), axis=k),
        name="C",
    )
    return [A, W], [C]


def byte_product_loops(A, W, out):
    for i in prange(A.shape[0]):
        for k in range(A.shape[1]):
            for j in range(W.shape[1]):
                out[i, j] += A[i, k] * np.float32(W[k, j])


def with_bytes(rng: np.random.Generator, rows: int, columns: int, terms: int) -> list[np.ndarray]:
    bytes = rng.integers(-128, 128, (terms, columns), "int8")
    return [rng.random((rows, terms), "float32"), bytes]


GROUPS = 4


def grouped(channels: int, size: int) -> Program:
    """A convolution of 3 x 3 taps of each of some groups of channels."""
    A = te.placeholder((1, channels, size, size), name="A")
    W = te.placeholder((channels, channels // GROUPS, 3, 3), name="W")
    return [A, W], [topi.nn.group_conv2d_nchw(A, W, 1, 0, 1, GROUPS, "float32")]


def grouped_loops(A, W, out):
    inside = W.shape[1]
    for c in prange(W.shape[0]):
        first = c // (W.shape[0] // GROUPS) * inside
        for y in range(out.shape[2]):
            for k in range(inside):
                for r in range(3):
                    for s in range(3):
                        for x in range(out.shape[3]):
                            out[0, c, y, x] += A[0, first + k, y + r, x + s] * W[c, k, r, s]


KERNELS = {
    "covariance": Kernel(
        covariance,
        singles(grid),
        covariance_loops,
        (50_000, 64),
        (301, 17),
        lambda A: A.T @ A,
        1e-4,
    ),
    "moments": Kernel(
        moments, singles(grid), moments_loops, (4096, 4096), (12, 17), moments_numpy, 1e-5
    ),
    "cosines": Kernel(
        cosines, singles(grid, grid), cosines_loops, (32_768, 256), (12, 17), None, 1e-4
    ),
    "rotations": Kernel(
        rotations,
        singles(lambda n, m: (n, 2 * m), grid, grid),
        rotations_loops,
        (4096, 256),
        (5, 17),
        None,
        1e-5,
    ),
    "bytes": Kernel(
        byte_product,
        with_bytes,
        byte_product_loops,
        (256, 512, 512),
        (70, 90, 41),
        lambda A, W: A @ W.astype("float32"),
        1e-5,
    ),
    "groups": Kernel(
        grouped,
        singles(lambda c, n: (1, c, n, n), lambda c, n: (c, c // GROUPS, 3, 3)),
        grouped_loops,
        (64, 58),
        (8, 9),
        None,
        1e-5,
    ),
}
