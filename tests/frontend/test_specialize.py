"""Loops of their own for some sizes: which, and that numbers stay."""

import numpy as np
import pytest

import teloom
from teloom import te

N, M = te.size_var("n"), te.size_var("m")


def blurred():
    """A sum of neighbours in tiles, with the stage that it reads computed in them."""
    A = te.placeholder((N + 1, M), name="A")
    B = te.compute((N + 1, M), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((N, M), lambda i, j: B[i, j] + B[i + 1, j], name="C")
    s = te.create_schedule(C)
    i_outer, j_outer, _, j_inner = s[C].tile(*C.op.axis, 4, 8)
    s[C].parallel(i_outer)
    s[C].vectorize(j_inner)
    s[B].compute_at(s[C], j_outer)
    return s, A, B, C


def check(run, *sizes: tuple[int, int]):
    for n, m in sizes:
        a = np.random.default_rng(0).random((n + 1, m), "float32")
        run(a, c := np.full((n, m), np.nan, "float32"))
        np.testing.assert_allclose(c, 2 * a[:-1] + 2 * a[1:], rtol=1e-6)  # one rounding


def test_every_version_computes_the_same():
    s, A, B, C = blurred()
    s[C].specialize(te.all(N % 4 == 0, M % 8 == 0))
    s[C].specialize(M == 8)
    s[C].specialize(te.all(5 <= N, N < 7, M > 3))
    s[B].specialize(M >= 2 * N)
    run = teloom.build(s, [A, C])
    check(run, (8, 16), (7, 8), (5, 4), (6, 3), (1, 1), (0, 8), (4, 0), (3, 9), (13, 17))
    text = str(teloom.lower(s, [A, C], level="loop"))
    assert text.count("loop.if (%n mod 4 == 0, %m mod 8 == 0)") == 1


def test_a_condition_is_of_sizes():
    s, A, _, C = blurred()
    for wrong, said in (
        (N * M > 3, r"\(n \* m\) > 3\) is no comparison of affine expressions of the sizes"),
        (te.any(N > 3, M > 3), "give one condition after the other in place of te.any"),
        (A[0, 0] > 0, "is no comparison of affine expressions of the sizes"),
        (N % 4, "is int32, not bool"),
        (te.all(N > 3, te.var("q") > 3), r"q in .* is no size of the program \(sizes: n, m\)$"),
        (N * M > 3, r"of the sizes \(n, m\)$"),
    ):
        with pytest.raises(teloom.ScheduleError, match=said):
            s[C].specialize(wrong)
