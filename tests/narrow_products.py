"""Products and convolutions of numbers that are converted to the type of their sums."""

import numpy as np

from teloom import te, topi

GROUPED = "of which an instruction adds to a lane"
"""What rules say where an instruction of the target adds several products at once."""

IN_TILES = "stay in registers for tiles"
"""What they say where its instructions multiply tiles."""


def matmul(dtypes, n, m, k, transposed, sums="int32"):
    """The tensors of a product of n x k elements by k x m, which may be `transposed`."""
    A = te.placeholder((n, k), dtypes[0], name="A")
    B = te.placeholder((m, k) if transposed else (k, m), dtypes[1], name="B")
    r = te.reduce_axis((0, k), "r")

    def term(i, j):
        other = B[j, r] if transposed else B[r, j]
        return te.sum(A[i, r].astype(sums) * other.astype(sums), axis=r)

    return A, B, te.compute((n, m), term, name="C")


def convolution(layout, data, weights, padding, is_read, sums="int32"):
    """A program, its arguments and what it computes of them, which are given in order NCHW."""
    around = np.pad(data.astype(sums), [(0, 0), (0, 0), *[(padding, padding)] * 2])
    windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3), (2, 3))
    expected = np.einsum("nchwrs,fcrs->nfhw", windows, weights.astype(sums))
    if layout == "NHWC":
        data, weights = data.transpose(0, 2, 3, 1).copy(), weights.transpose(2, 3, 1, 0).copy()
        expected = expected.transpose(0, 2, 3, 1)
    D = te.placeholder(data.shape, data.dtype.name, name="D")
    W = te.placeholder(weights.shape, weights.dtype.name, name="W")
    conv = topi.nn.conv2d_nchw if layout == "NCHW" else topi.nn.conv2d_nhwc
    C = conv(D, W, 1, padding, 1, sums)
    if is_read:
        C, expected = topi.nn.relu(C), np.maximum(expected, 0)
    return [D, W, C], [data, weights], expected
