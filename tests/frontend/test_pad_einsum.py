"""Einsums whose axes are rounded up to multiples."""

import numpy as np
import pytest

import teloom
from teloom import te

N, M, L = te.var("n"), te.var("m"), te.var("l")


def product():
    A, B = te.placeholder((N, L), "int8", name="A"), te.placeholder((L, M), "int8", name="B")
    k = te.reduce_axis((0, L), "k")

    def point(i, j):
        return te.sum(A[i, k].astype("int32") * B[k, j].astype("int32"), axis=k)

    C = te.compute((N, M), point, name="C")
    return te.create_schedule(C), A, B, C, k


def test_whole_tiles_of_any_sizes():
    s, A, B, C, k = product()
    einsum, copied, _ = s.pad_einsum(C, [4, 8, 2])
    i, j = s[einsum].op.axis
    rows, row = s[einsum].split(i, factor=4)
    columns, column = s[einsum].split(j, factor=8)
    outer, inner = s[einsum].split(k, factor=2)
    s[einsum].reorder(rows, columns, outer, row, inner, column)
    s[einsum].vectorize(column)
    s[copied].compute_at(s[einsum], rows)
    s[einsum].compute_at(s[C], C.op.axis[0])
    assert [te.infer_bounds(s)[axis].extent for axis in (row, column, inner)] == [4, 8, 2]
    built = teloom.build(s, [A, B, C])
    for n, m, depth in ((1, 1, 1), (5, 9, 3), (8, 8, 2), (3, 2, 0), (0, 3, 4)):
        a = np.arange(n * depth, dtype="int8").reshape(n, depth) - 3
        b = np.arange(depth * m, dtype="int8").reshape(depth, m)[::-1].copy()
        c = np.zeros((n, m), "int32")
        built(a, b, c)
        np.testing.assert_array_equal(c, a.astype("int32") @ b.astype("int32"))


def test_there_is_a_factor_for_each_axis():
    s, _, _, C, _ = product()
    with pytest.raises(teloom.ScheduleError, match="pad_einsum of C by 2 factors: it has 3 axes"):
        s.pad_einsum(C, [4, 4])


def test_an_axis_beside_one_that_begins_elsewhere():
    A = te.placeholder((6, 5), "int32", name="A")
    B = te.placeholder((5, 7), "int32", name="B")
    moved = te.compute(((-2, 4), 5), lambda i, k: A[i + 2, k], name="moved")
    k = te.reduce_axis((0, 5), "k")
    C = te.compute(((-2, 4), 7), lambda i, j: te.sum(moved[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    s.cache_read(B, "global", [C])
    sums = s.cache_write(C, "global")
    s[sums].pad_einsum(sums.op.axis[1], 4)
    assert "tensor<6x8xi32>" in str(teloom.lower(s, [A, B, C], level="schedule"))
    a, b = np.arange(30, dtype="int32").reshape(6, 5), np.arange(35, dtype="int32").reshape(5, 7)
    teloom.build(s, [A, B, C])(a, b, c := np.zeros((6, 7), "int32"))
    np.testing.assert_array_equal(c, a @ b)
