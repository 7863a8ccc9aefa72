"""Divisions in branches of a loop that LLVM makes vectors of."""

import numpy as np

import teloom
from teloom import te


def test_lanes_of_which_the_first_is_in_no_branch():
    """Rows of fused axes are quotients; LLVM 22 has them only where the first lane is inside."""
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m, m), "float32", name="A")
    C = te.compute((n, m, m), lambda i, j, k: A[n - 1 - i, j, k], name="C")
    s = te.create_schedule(C.op)
    rows = s[C].fuse(C.op.axis[0], C.op.axis[1])
    s[C].skew(C.op.axis[2], rows, -2)
    outer, _ = s[C].split(rows, nparts=5)
    outermost, _ = s[C].split(outer, nparts=4, tail="guard")
    s[C].unroll(outermost)
    a, c = np.arange(845, dtype="float32").reshape(5, 13, 13), np.zeros((5, 13, 13), "float32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a[::-1])
