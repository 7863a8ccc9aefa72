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


MANY = 3_000_000_000


def test_extents_above_int32():
    X = te.placeholder((MANY,), "int8", name="X")
    assert X.shape == (MANY,)
    assert X.shape[0].dtype == "int64"
    assert te.compute((MANY,), lambda i: X[i], name="Y").shape == (MANY,)
    assert str(X[MANY - 10 :]) == "X[2999999990 : 10]"
    axis = te.reduce_axis((2_000_000_000, 4_000_000_000), "k")
    assert axis.dom is not None
    assert axis.dom.end.value == 4_000_000_000


@pytest.mark.parametrize(
    ("subscript", "found"),
    [
        (lambda i: i + (MANY - 10), [0, 1, 2, 3]),
        (lambda i: MANY - 1 - i, [9, 8, 7, 6]),
        (lambda i: i + te.const(MANY - 4, "int64"), [6, 7, 8, 9]),
        (lambda i: MANY - 4, [6] * 4),
        (lambda i: te.if_then_else(i > MANY, 0, MANY - 1), [9] * 4),
    ],
)
def test_reads_above_int32(subscript, found: list[int]):
    X = te.placeholder((MANY,), "int8", name="X")
    Y = te.compute((4,), lambda i: X[subscript(i)], name="Y")
    x = np.zeros(MANY, "int8")  # of which the pages that are written are all that takes memory
    x[-10:] = np.arange(10)
    y = np.full(4, -1, "int8")
    teloom.build(te.create_schedule(Y), [X, Y])(x, y)
    assert y.tolist() == found


@pytest.mark.parametrize("is_split", [False, True])
def test_axes_above_int32(is_split: bool):
    """An axis from 2^31 on is one of 64 bits, also where it is compared and split."""
    first = 2**31 + 5
    k = te.reduce_axis((first, first + 100), "k")
    count = te.compute(
        (1,), lambda i: te.sum(te.if_then_else(k >= first + 93, 1, 0), axis=k), name="count"
    )
    s = te.create_schedule(count)
    if is_split:
        s[count].split(k, 8)
    teloom.build(s, [count])(found := np.zeros(1, "int32"))
    assert found[0] == 7


def test_a_read_outside_above_int32_is_refused():
    X = te.placeholder((MANY,), "int8", name="X")
    Y = te.compute((4,), lambda i: X[i + (MANY - 3)], name="Y")
    words = r"reads X\[3000000000\], but axis 0 of X runs from 0 to 2999999999"
    with pytest.raises(teloom.Error, match=words):
        teloom.lower(te.create_schedule(Y), [X, Y])
