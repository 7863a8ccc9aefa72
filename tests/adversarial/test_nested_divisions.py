"""Regions that only nested divisions describe: isl knows them by integers that exist."""

import numpy as np
import pytest

from teloom import te
from teloom.frontend.call.build import build

SIZES = (0, 1, 2, 3, 8, 19)


@pytest.mark.parametrize("n", SIZES)
def test_reads_of_half_an_axis_that_has_half_a_size(n):
    size = te.var("n")
    source = te.compute((3 * size, (size + 1) // 2), lambda i, j: 10 * i + j, name="source")

    def inside(i, j):
        within = (i < 3 * size) & (j < (size + 1) // 2)
        return te.if_then_else(within, source[i, j], 3)

    result = te.compute((17,), lambda i: inside(i, i) + inside(i + 1, i // 2), name="result")
    found = np.full(17, -1, "int32")
    build(te.create_schedule(result), [size, result])(n, found)

    def expected(i, j):
        return 10 * i + j if i < 3 * n and j < (n + 1) // 2 else 3

    assert found.tolist() == [expected(i, i) + expected(i + 1, i // 2) for i in range(17)]


@pytest.mark.parametrize("n", SIZES)
def test_even_rows_of_a_tensor_computed_in_tiles(n):
    size = te.var("n")
    A = te.placeholder((size + 1,), "int32", name="A")
    source = te.compute((size + 1, size, size + 3), lambda i, j, k: A[i] + j - k, name="source")
    result = te.compute(
        (size + 1,),
        lambda i: te.if_then_else((i * 2 < size + 1) & (i < size), source[i * 2, i, i], 1),
        name="result",
    )
    s = te.create_schedule(result)
    i, j, k = source.op.axis
    s[source].tile(j, k, 8, 8)
    s[source].split(i, 3)

    a = np.arange(n + 1, dtype="int32")
    found = np.full(n + 1, -1, "int32")
    build(s, [A, result])(a, found)
    assert found.tolist() == [a[2 * i] if 2 * i < n + 1 and i < n else 1 for i in range(n + 1)]
