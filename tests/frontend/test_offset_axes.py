"""Data axes that start below 0, or above, beside NumPy and beside the interpreter."""

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import InterpretError, interpret

n, m = te.var("n"), te.var("m")
A = te.placeholder((n, m), name="A")


def stages():
    """A border, a sum of neighbours, and a sum over three columns, each in its own coordinates."""

    def padded(i, j):
        return te.if_then_else(te.all(i >= 0, i < n, j >= 0, j < m), A[i, j], 0.0)

    P = te.compute(((-1, n + 1), (-2, m + 2)), padded, name="P")
    B = te.compute((n, (-1, m + 1)), lambda i, j: P[i - 1, j] * 2 + P[i + 1, j], name="B")
    k = te.reduce_axis((-1, 2), "k")
    C = te.compute(((3, n + 3), m), lambda i, j: te.sum(B[i - 3, j + k], axis=k), name="C")
    return P, B, C


def tiled():
    P, B, C = stages()
    s = te.create_schedule(C)
    _, xo, _, xi = s[C].tile(*C.op.axis, 4, 8)
    s[C].vectorize(xi)
    s[B].compute_at(s[C], xo)
    s[P].compute_at(s[B], B.op.axis[0])
    s[P].rolling_buffer()
    return s, [C]


def cached():
    P, B, C = stages()
    s = te.create_schedule([C, B])
    copy = s.cache_read(P, "local", [B])
    s[copy].compute_at(s[B], B.op.axis[0])
    s[P].transform_layout(lambda i, j: [j, i])
    s[C].parallel(C.op.axis[0])
    return s, [C, B]


@pytest.mark.parametrize("make", [tiled, cached])
def test_numbers(make):
    s, outputs = make()
    f = teloom.build(s, [A, *outputs], name="stages")
    for rows, columns in [(5, 7), (0, 3), (1, 1), (9, 16)]:
        a = np.random.default_rng(rows).integers(0, 9, (rows, columns)).astype("float32")
        results = [np.full((rows, columns), np.nan, "float32")]
        if len(outputs) > 1:
            results.append(np.full((rows, columns + 2), np.nan, "float32"))
        f(a, *results)
        p = np.pad(a, ((1, 1), (2, 2)))
        b = p[:-2, 1:-1] * 2 + p[2:, 1:-1]
        expected = [b[:, :-2] + b[:, 1:-1] + b[:, 2:], b]
        references = interpret(s.module, "main", [a], [rows, columns])
        for result, reference, wanted in zip(results, references, expected, strict=False):
            np.testing.assert_array_equal(result, wanted)
            np.testing.assert_array_equal(reference, wanted)


def test_a_whole_tensor_begins_where_its_axes_do():
    P, _, _ = stages()
    assert [(str(side.min), str(side.end)) for side in P[:, :0].extents and P.domain] == [
        ("-1", "(n + 1)"),
        ("-2", "(m + 2)"),
    ]
    assert str(P[:, :0]) == "P[-1 : ((n + 1) - -1), -2 : 2]"


def test_refusals():
    P, _, _ = stages()
    C = te.compute((n,), lambda i: P[i - 2, i], name="C")
    with pytest.raises(teloom.Error, match=r"reads P\[-2, 0\], but axis 0 of P runs from -1 to"):
        teloom.lower(te.create_schedule(C), [A, C])
    module = te.create_schedule(C).module
    with pytest.raises(InterpretError, match=r"subscript 0 of %P is -2, outside of -1 to 2, in"):
        interpret(module, "main", [np.zeros((2, 2), "float32")], [2, 2])
    with pytest.raises(teloom.Error, match=r"axis 0 of 'B' wants a pair \(begin, end\)"):
        te.compute(((1, 2, 3),), lambda i: i, name="B")
    with pytest.raises(teloom.Error, match="axis B runs from 3 to 1: that is never an iteration"):
        te.compute(((3, 1),), lambda i: i, name="B")


def test_a_padding_that_begins_below_zero_is_decomposed():
    A = te.placeholder((4,), "int32", name="A")
    P = te.compute(
        ((-3, 3),), lambda i: te.if_then_else(te.all(i >= -2, i < 2), A[i + 2], 0), name="P"
    )
    s = te.create_schedule(P)
    s[P].decompose_padding()
    a, p = np.arange(1, 5, dtype="int32"), np.full(6, -1, "int32")
    teloom.build(s, [A, P])(a, p)
    np.testing.assert_array_equal(p, np.pad(a, 1))


def test_a_size_that_only_an_output_begins_at_is_passed():
    n = te.var("n")
    B = te.compute(((n, n + 4),), lambda i: i * 1.0, name="B")
    with pytest.raises(teloom.Error, match="the size n stands in no argument's shape; list it"):
        teloom.build([B])
    teloom.build([B], [n, B])(3, found := np.empty(4, "float32"))
    np.testing.assert_array_equal(found, [3, 4, 5, 6])
