"""Producers computed in loops of symbolic fusions and parts: numbers at many sizes."""

import numpy as np
import pytest

from teloom import build, te

SIZES = [(0, 3), (1, 1), (5, 7), (4, 0), (3, 8), (17, 2)]


def smoothed():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n + 1, m + 2), name="A")
    B = te.compute((n + 1, m + 2), lambda x, y: A[x, y] * 2, name="B")
    C = te.compute((n, m + 1), lambda i, j: B[i, j] + B[i + 1, j + 1], name="C")
    D = te.compute((n, m), lambda u, v: C[u, v] + C[u, v + 1], name="D")
    return A, B, C, D


def at_fused(s, B, C, D):
    s[C].compute_at(s[D], s[D].fuse(*D.op.axis))
    s[B].compute_at(s[C], C.op.axis[1])


def at_inner_of_fused(s, B, C, D):
    _outer, inner = s[D].split(s[D].fuse(*D.op.axis), factor=4)
    s[C].compute_at(s[D], inner)
    s[B].compute_at(s[D], inner)


def at_outer_of_fused(s, B, C, D):
    outer, _inner = s[D].split(s[D].fuse(*D.op.axis), factor=4)
    s[C].compute_at(s[D], outer)
    s[B].compute_at(s[C], s[C].fuse(*C.op.axis))


def at_parts(s, B, C, D):
    outer, inner = s[D].split(D.op.axis[0], nparts=3)
    s[C].compute_at(s[D], inner)
    s[B].compute_at(s[D], outer)


def two_fusions(s, B, C, D):
    s[C].compute_at(s[D], s[D].fuse(*D.op.axis))
    s[B].compute_at(s[C], s[C].fuse(*C.op.axis))


@pytest.mark.parametrize(
    "schedule", [at_fused, at_inner_of_fused, at_outer_of_fused, at_parts, two_fusions]
)
def test_agrees_with_numpy(schedule):
    A, B, C, D = smoothed()
    s = te.create_schedule(D)
    schedule(s, B, C, D)
    kernel = build(s, [A, D])
    for n, m in SIZES:
        a = np.arange((n + 1) * (m + 2), dtype="float32").reshape(n + 1, m + 2)
        d = np.full((n, m), np.nan, "float32")
        kernel(a, d)
        b = a * 2
        c = b[:-1, :-1] + b[1:, 1:]
        np.testing.assert_array_equal(d, c[:, :-1] + c[:, 1:])
