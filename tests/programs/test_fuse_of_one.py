"""A fusion of a single axis gives an axis that runs as that one does."""

import numpy as np
import pytest
from programs.sizes import extents, known

from teloom import build, te

SIZES = [(0,), (1,), (8,), (20,)]


@pytest.mark.parametrize("sizes", [*known(SIZES), SIZES])
def test_agrees_with_numpy(sizes):
    (n,) = extents(sizes, "n")
    A = te.placeholder((n, 16), name="A")
    k = te.reduce_axis((2, 16), "k")
    B = te.compute((n, 16), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((n,), lambda y: te.sum(B[y, k], axis=k), name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(s[C].fuse(C.op.axis[0]), factor=8)
    s[C].unroll(s[C].fuse(k))
    s[B].compute_at(s[C], outer)
    s[B].fuse(B.op.axis[1])
    kernel = build(s, [A, C])
    for (rows,) in sizes:
        a = np.arange(rows * 16, dtype="float32").reshape(rows, 16)
        c = np.full(rows, np.nan, "float32")
        kernel(a, c)
        np.testing.assert_array_equal(c, a[:, 2:].sum(1) * 2)
