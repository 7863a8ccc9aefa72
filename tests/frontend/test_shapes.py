"""The shape of a tensor: integers where it is constant, expressions where it is not."""

from copy import deepcopy

import numpy as np
import pytest

import teloom
from teloom import te

n = te.var("n")
A = te.placeholder((8, 16), name="A")


def test_a_constant_shape_is_integers():
    assert A.shape == (8, 16)
    assert A.shape != (8, 15)
    assert hash(A.shape) == hash((8, 16))
    assert int(A.shape[0]) == A.shape[0].value == 8
    assert isinstance(A.shape[0], int)
    assert np.zeros(A.shape).shape == (8, 16)
    assert deepcopy(A.shape) == (8, 16)
    assert repr(A.shape) == "(8, 16)"
    assert [*range(A.shape[0])] == [*range(8)]


def test_a_symbolic_extent_is_an_expression():
    B = te.placeholder((n, 4, n + 1), name="B")
    assert B.shape[0] is n
    assert B.shape[1] == 4
    assert str(B.shape[2]) == "(n + 1)"
    with pytest.raises(TypeError):
        int(B.shape[0])  # type: ignore


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float16", "float32"])
def test_an_extent_has_a_dtype_in_expressions(dtype: str):
    B = te.placeholder((4,), dtype, name="B")
    extent = te.placeholder((te.const(16, "int64"),), name="C").shape[0]
    for sum in (B[0] + A.shape[1], A.shape[1] + B[0]):
        assert sum.dtype == (B[0] + te.const(16)).dtype
    assert (B[0] * extent).dtype == (B[0] * te.const(16, "int64")).dtype


def test_shapes_make_tensors():
    large = te.placeholder((te.const(2**35, "int64"),), name="L")
    assert te.placeholder(large.shape).shape == (2**35,)
    B = te.compute(A.shape, lambda i, j: A[A.shape[0] - 1 - i, j] / A.shape[1], name="B")
    r = te.reduce_axis((0, A.shape[1]), "r")
    C = te.compute(A.shape[:1], lambda i: te.sum(B[i, r], axis=r), name="C")
    f = teloom.build(te.create_schedule(C), [A, C])
    a, c = np.random.default_rng(0).random(A.shape, dtype="float32"), np.empty(C.shape, "float32")
    f(a, c)
    np.testing.assert_allclose(c, a[::-1].mean(axis=1), rtol=1e-6)


def test_a_buffer_has_a_shape_too():
    buffer = te.decl_buffer((4, n), name="b")
    assert buffer.shape[0] == 4
    assert buffer.shape[1] is n


def test_a_constant_of_a_range_is_a_number():
    B = te.compute(A.shape, lambda i, j: A[i, j], name="B")
    extent = B.op.axis[0].dom.extent
    assert int(extent) == [*range(20)][extent] == 8
    assert float(te.const(1.5, "float32")) == 1.5
    with pytest.raises(TypeError, match=r"1\.5 is a float32, not an integer"):
        range(te.const(1.5, "float32"))  # type: ignore


@pytest.mark.parametrize(
    ("extent", "least"),
    [
        (5, 5),
        (n * 2 + te.var("m") + 3, 3),
        (n // 2 + 4, 4),
        ((n + 7) // 4, 1),
        (n % 4 + 2, 2),
        ((n // 4 - 9) // 3, -3),
        (n - n + 1, 1),
        (8 - n, None),
        (n * n, None),
    ],
)
def test_the_least_that_an_extent_may_be(extent: object, least: int | None):
    assert te.least_over_sizes(extent) == least
