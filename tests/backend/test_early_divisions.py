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


def test_a_branch_that_makes_a_division_the_same_in_all_lanes():
    """Of what a test makes equal LLVM 22 divides once for all lanes, if the first is inside."""
    m = te.size_var("m")
    A = te.placeholder((2, m, m), "float32", name="A")
    B = te.placeholder((2,), "int32", name="B")
    S = te.compute(((-1, 1), (0, m), (-3, m - 3)), lambda i, j, k: A[B[i + 1], j, k + 3], name="S")
    twice, once = te.compute(
        (2, m, m), lambda i, j, k: (S[i - 1, j, k - 3] * 2, S[i - 1, j, k - 3]), name="C"
    )
    s = te.create_schedule([twice.op])
    outer, inner = s[twice].split(twice.op.axis[2], factor=4)
    s[twice].fuse(outer, inner)
    planes = s[twice].skew(twice.op.axis[0], twice.op.axis[1], 1)
    _, inner = s[twice].split(planes, factor=5, tail="cut")
    s[twice].partition(inner, "always")
    cached = s.cache_write(S, "local")
    s[S].compute_at(s[twice], inner)
    outer, inner = s[S].split(S.op.axis[0], factor=8)
    columns = s[S].fuse(S.op.axis[1], S.op.axis[2])
    s[S].skew(outer, columns, 1)
    s[S].split(columns, nparts=2, tail="shift_inwards")
    s[S].unroll(inner)
    s[cached].compute_root()
    blocks, plane, rows, _ = s[cached].transform_layout(
        lambda i, j, k: [k // 8, i, te.AXIS_SEPARATOR, j, k % 8]
    )
    s[cached].skew(rows, s[cached].fuse(blocks, plane), 1)
    run = teloom.build(s, [m, A, B, twice, once])
    b = np.array([1, 0], "int32")
    for size in (13, 1, 0, 5):
        a = np.random.default_rng(0).random((2, size, size), dtype="float32")
        c, d = np.zeros_like(a), np.zeros_like(a)
        run(size, a, b, c, d)
        np.testing.assert_array_equal(d, a[b])
        np.testing.assert_array_equal(c, a[b] * 2)
