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
@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
def test_elements_of_arguments_are_masked(target: str, dtype: str):
    inputs = [te.placeholder((5, extent), dtype, name="A") for extent in EXTENTS]
    outputs = [te.compute(A.shape, lambda i, j, A=A: A[i, j] * 2, name="B") for A in inputs]
    s = te.create_schedule(outputs)
    for B in outputs:
        s[B].vectorize(B.op.axis[1])
    given = [np.arange(5 * extent).reshape(5, extent).astype(dtype) for extent in EXTENTS]
    found = [np.empty_like(a) for a in given]
    teloom.build(s, [*inputs, *outputs], target)(*given, *found)
    for a, b in zip(given, found, strict=True):
        np.testing.assert_array_equal(b, a * 2, err_msg=f"extent {a.shape[1]}")


def tiles_of_a_product(s: te.Schedule, B: te.Tensor, C: te.Tensor) -> None:
    """Tiles of all columns of C, of which each stage computes whole vectors."""
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


@pytest.mark.parametrize("target", MASKED)
@pytest.mark.parametrize("extents", [EXTENTS[0::3], EXTENTS[1::3], EXTENTS[2::3]])
def test_tiles_of_sums_have_room(target: str, extents: tuple[int, ...]):
    A = te.placeholder((9, 6), name="A")
    right = [te.placeholder((6, extent), name="B") for extent in extents]
    products = []
    for B in right:
        k = te.reduce_axis((0, 6), "k")
        products.append(
            te.compute(
                (9, B.shape[1]),
                lambda i, j, B=B, k=k: te.sum(A[i, k] * B[k, j], axis=k),
                name="C",
            )
        )
    s = te.create_schedule(products)
    for B, C in zip(right, products, strict=True):
        tiles_of_a_product(s, B, C)
    rng = np.random.default_rng(0)
    a = rng.integers(9, size=(9, 6)).astype("float32")
    given = [rng.integers(9, size=(6, extent)).astype("float32") for extent in extents]
    found = [np.empty((9, extent), "float32") for extent in extents]
    teloom.build(s, [A, *right, *products], target)(a, *given, *found)
    for b, c in zip(given, found, strict=True):
        np.testing.assert_array_equal(c, a @ b, err_msg=f"{b.shape[1]} columns")


def test_explain_says_how_many_iterations_run():
    A = te.placeholder((63,), name="A")
    B = te.compute((63,), lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    s[B].vectorize(B.op.axis[0])
    said = str(te.explain(s, target="x86-64-v4"))
    assert "i: 64 iterations for 63, of whole vectors" in said
    assert "where the axis has ended, A is not read, B is not written" in said
