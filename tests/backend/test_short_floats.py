"""Programs in bfloat16 and float16, in memory with other bytes around it."""

import ml_dtypes
import numpy as np
import pytest
from budget import each, pairs
from programs.sizes import extents, known

import teloom
from teloom import te

SHORT = [np.dtype(ml_dtypes.bfloat16), np.dtype("float16")]
SIZES = [(n,) for n in (0, 1, 2, 3, 5, 7, 9, 13, 15, 17, 33)]


def between(count: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """An array, and the memory of which it is the middle."""
    memory = np.full(count + 64, 7, "int16")
    return memory[32 : 32 + count].view(dtype), memory


def assert_as_rounded(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal; in f16, where a product and a sum may be one operation, nearly so."""
    if expected.dtype == np.float16:
        np.testing.assert_allclose(actual, expected, rtol=2e-3, atol=1e-3)
    else:
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(
    ("sizes", "dtype"), [*each(known(SIZES), SHORT), *((SIZES, dtype) for dtype in SHORT)]
)
def test_every_operation_rounds_and_nothing_else_is_written(sizes, dtype):
    (size,) = extents(sizes, "n")
    A = te.placeholder((size,), dtype, name="A")
    B = te.compute((size,), lambda i: A[i] * 3 * 3 + 1, name="B")
    f = teloom.build(te.create_schedule(B), [A, B])
    three, one = dtype.type(3), dtype.type(1)
    for (n,) in sizes:
        a = (np.arange(n) * 0.37 - 2).astype(dtype)
        b, memory = between(n, dtype)
        f(a, b)
        assert_as_rounded(b, a * three * three + one)
        np.testing.assert_array_equal(np.delete(memory, slice(32, 32 + n)), 7)


@pytest.mark.parametrize(("dtype", "steps", "width"), pairs(SHORT, [1, 2, 5, 9], [1, 5, 8]))
def test_a_scan_keeps_its_state_in_short_floats(dtype, steps, width):
    X = te.placeholder((width, steps), dtype, name="X")
    S = te.placeholder((steps, width), dtype, name="S")
    first = te.compute((1, width), lambda _, i: X[i, 0], name="first")
    next = te.compute(
        (steps, width), lambda t, i: S[t - 1, i] * te.const(0.5, dtype) + X[i, t], name="next"
    )
    scan = te.scan(first, next, S, inputs=[X], name="scan")
    f = teloom.build(te.create_schedule(scan), [X, scan])
    x = np.random.default_rng(0).standard_normal((width, steps)).astype(dtype)
    f(x, s := np.zeros((steps, width), dtype))
    expected = np.zeros((steps, width), dtype)
    expected[0] = x[:, 0]
    for t in range(1, steps):
        expected[t] = expected[t - 1] * dtype.type(0.5) + x[:, t]
    assert_as_rounded(s, expected)


KINDS = {
    "select": (
        lambda x, y: te.if_then_else(x < y, x, -y),
        lambda x, y: np.where(x < y, x, -y),
    ),
    "smallest": (te.min, np.minimum),
    "largest": (te.max, np.maximum),
    "integer": (
        lambda x, y: (x.astype("int32") * 3).astype(x.dtype),
        lambda x, y: (x.astype("int32") * 3).astype(x.dtype),
    ),
    "wide": (
        lambda x, y: (x.astype("float64") * y).astype(x.dtype),
        lambda x, y: (x.astype("float64") * y.astype("float64")).astype(x.dtype),
    ),
}


@pytest.mark.parametrize(
    ("kind", "dtype", "vectorized", "n"), pairs([*KINDS], SHORT, [False, True], [5, 37])
)
def test_what_is_not_arithmetic(dtype, kind, vectorized, n):
    ours, numpys = KINDS[kind]
    A = te.placeholder((n,), dtype, name="A")
    B = te.placeholder((n,), dtype, name="B")
    C = te.compute((n,), lambda i: ours(A[i], B[i]), name="C")
    s = te.create_schedule(C)
    if vectorized:
        s[C].vectorize(s[C].split(C.op.axis[0], factor=16)[1])
    f = teloom.build(s, [A, B, C])
    a, b = (np.random.default_rng(k).standard_normal(n).astype(dtype) * 4 for k in (0, 1))
    a, b = a.astype(dtype), b.astype(dtype)
    c, memory = between(n, dtype)
    f(a, b, c)
    np.testing.assert_array_equal(c, numpys(a, b))
    np.testing.assert_array_equal(np.delete(memory, slice(32, 32 + n)), 7)


@pytest.mark.parametrize("dtype", SHORT, ids=str)
@pytest.mark.parametrize("n", [1, 9, 40])
def test_sums_are_rounded_at_each_step(dtype, n):
    A = te.placeholder((3, n), dtype, name="A")
    r = te.reduce_axis((0, n), "r")
    C = te.compute((3,), lambda i: te.sum(A[i, r], axis=r), name="C")
    f = teloom.build(te.create_schedule(C), [A, C])
    a = np.random.default_rng(0).standard_normal((3, n)).astype(dtype)
    f(a, c := np.zeros(3, dtype))
    expected = np.zeros(3, dtype)
    for k in range(n):
        expected = (expected + a[:, k]).astype(dtype)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 1e-40, 3.39e38])
def test_what_is_special_stays_so(value):
    A = te.placeholder((5,), "bfloat16", name="A")
    C = te.compute((5,), lambda i: A[i] * te.const(1, "bfloat16"), name="C")
    f = teloom.build(te.create_schedule(C), [A, C])
    a = np.full(5, value, SHORT[0])
    f(a, c := np.zeros(5, SHORT[0]))
    same = np.isnan(c.astype("float32")) if value != value else c.view("int16") == a.view("int16")
    assert same.all()


def test_llvm_sees_no_bfloat():
    A = te.placeholder((40,), "bfloat16", name="A")
    C = te.compute((40,), lambda i: te.max(A[i] * A[i], -A[i]), name="C")
    f = teloom.build(te.create_schedule(C), [A, C])
    assert "bfloat" not in f.source("llvm-ir")


def test_copies_of_a_chain_of_both_kinds_of_short_floats():
    """LLVM 22 ends the process where it joins such chains, in copies of a loop, to vectors."""
    A, B = (
        te.placeholder((9, 33), dtype, name)
        for dtype, name in (("float16", "A"), ("bfloat16", "B"))
    )
    k = te.reduce_axis((0, 33), "k")

    def term(i):
        inside = te.max(A[i, k], A[i, k] * 0.0)
        inside = te.max(te.min(inside, te.const(100.0, "float16")), te.const(0.0, "float16"))
        above = (B[i, k] <= 2.0).astype("float32") <= te.const(0.0, "float32")
        return inside.astype("int32").astype("bfloat16") * above.astype("int32").astype("bfloat16")

    C = te.compute((9,), lambda i: te.min(term(i), axis=k), name="C")
    s = te.create_schedule(C)
    cached = s.cache_write(C, "global")
    s[cached].reorder(*s[cached].op.reduce_axis, *s[cached].op.axis)
    a = np.arange(9 * 33, dtype="float16").reshape(9, 33) - 40
    b = np.full((9, 33), 3, ml_dtypes.bfloat16)
    teloom.build(s, [A, B, C])(a, b, c := np.zeros(9, ml_dtypes.bfloat16))
    np.testing.assert_array_equal(c, np.clip(a, 0, 100).min(axis=1).astype(ml_dtypes.bfloat16))
