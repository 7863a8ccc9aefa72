"""Vectorized axes whose extent ends with parts of a vector."""

import numpy as np
import pytest
from cpus_here import runs_here

import teloom
from teloom import te

MASKED = [name for name in ("x86-64-v3", "x86-64-v4") if runs_here(name)]
"""Targets with masks that this machine can run."""

EXTENTS = 1, 3, 7, 11, 15, 27, 31, 45, 63


@pytest.mark.parametrize("target", MASKED)
@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_elements_of_arguments_are_masked(target: str, extent: int, dtype: str):
    A = te.placeholder((5, extent), dtype, name="A")
    B = te.compute((5, extent), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[B].vectorize(B.op.axis[1])
    a = np.arange(5 * extent).reshape(5, extent).astype(dtype)
    teloom.build(s, [A, B], target)(a, b := np.empty_like(a))
    np.testing.assert_array_equal(b, a * 2)


@pytest.mark.parametrize("target", MASKED)
@pytest.mark.parametrize("extent", EXTENTS)
def test_tiles_of_sums_have_room(target: str, extent: int):
    A = te.placeholder((9, 6), name="A")
    B = te.placeholder((6, extent), name="B")
    k = te.reduce_axis((0, 6), "k")
    C = te.compute((9, extent), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    panel, product = s.cache_read(B, "global", [C]), s.cache_write(C, "global")
    outer, inner = s[C].split(C.op.axis[0], factor=4)
    s[C].unroll(inner)
    s[C].vectorize(C.op.axis[1])
    s[panel].vectorize(panel.op.axis[1])
    s[product].compute_at(s[C], outer)
    i, j = s[product].op.axis
    s[product].reorder(*s[product].op.reduce_axis, i, j)
    s[product].unroll(i)
    s[product].vectorize(j)
    rng = np.random.default_rng(0)
    a = rng.integers(9, size=(9, 6)).astype("float32")
    b = rng.integers(9, size=(6, extent)).astype("float32")
    teloom.build(s, [A, B, C], target)(a, b, c := np.empty((9, extent), "float32"))
    np.testing.assert_array_equal(c, a @ b)


def test_explain_says_how_many_iterations_run():
    A = te.placeholder((63,), name="A")
    B = te.compute((63,), lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    s[B].vectorize(B.op.axis[0])
    said = str(te.explain(s, target="x86-64-v4"))
    assert "i: 64 iterations for 63, of whole vectors" in said
    assert "where the axis has ended, A is not read, B is not written" in said
