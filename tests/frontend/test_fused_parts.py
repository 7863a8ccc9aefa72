"""Stages in loops that are made of parts of an axis and of another axis."""

import numpy as np
import pytest

import teloom
from teloom import te


@pytest.mark.parametrize("rows", [0, 1, 3, 5])
@pytest.mark.parametrize("factor", [1, 2, 4])
@pytest.mark.parametrize("inner_first", [True, False])
def test_a_row_is_there_for_each_part(rows: int, factor: int, inner_first: bool):
    A = te.placeholder((rows,), "int32", name="A")
    B = te.compute((rows,), lambda i: A[i] * 2, name="B")
    C = te.compute((rows, 3), lambda i, j: B[i] + j, name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    outer, inner = s[C].split(i, factor=factor)
    fused = s[C].fuse(inner, j)
    s[C].reorder(*((fused, outer) if inner_first else (outer, fused)))
    s[B].compute_at(s[C], fused)
    a = np.arange(rows, dtype="int32")
    c = np.zeros((rows, 3), "int32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a[:, None] * 2 + np.arange(3))
