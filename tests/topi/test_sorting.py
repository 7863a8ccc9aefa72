"""Sorting, and what is made of it."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_sort(dtype, both):
    a = RNG.integers(0, 6, (2, 7, 3)).astype(dtype)
    A = te.placeholder(a.shape, dtype, "A")
    wanted = []
    for axis in (1,) if dtype == "uint16" else (1, -1):
        order = a.argsort(axis, kind="stable")
        back = (a.max() - a).argsort(axis, kind="stable")
        wanted.append((topi.sort(A, axis, 0), np.take_along_axis(a, back, axis)))
        wanted.append((topi.argsort(A, None, axis, dtype="int32"), order))
        if axis == 1:
            wanted.append((topi.sort(A, axis), np.sort(a, axis)))
            wanted.append((topi.argsort(A, None, axis, is_ascend=False, dtype="int64"), back))
    both({A: a}, wanted)


UP, DOWN = "bool int32 uint16 float64".split(), "int8 float32 uint64 float16".split()
"""Orders are of the same unsigned keys: each kind and each width is sorted both ways by both."""


@pytest.mark.parametrize("dtype", [*UP, *DOWN])
def test_every_dtype_by_counting_and_by_digits(both, dtype):
    """Each side of the number of elements up to which each is compared with each."""
    bits = 8 * np.dtype(dtype).itemsize
    given, wanted = {}, []
    for extent, ascending in ((2 * bits, dtype in DOWN), (2 * bits + 1, dtype in UP)):
        a = extremes(dtype, (2, extent))
        A = te.placeholder(a.shape, dtype, "A")
        given[A] = a
        order = a.argsort(1, kind="stable") if ascending else descending(a, 1)
        wanted.append((topi.argsort(A, is_ascend=ascending, dtype="int32"), order))
    both(given, wanted)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_threads_share_lines(axis):
    a = extremes("float32", (5, 90, 80))
    A = te.placeholder(a.shape, name="A")
    order = topi.argsort(A, None, axis, dtype="int32")
    first, positions = topi.topk(A, 3, axis, dtype="int32")
    args = [A, order, first, positions]
    call = teloom.build(topi.schedule(args[1:]), args)
    assert call.source("loop").count("parallel") >= 4
    results = [np.empty(tuple(one.shape), one.dtype) for one in args[1:]]
    for threads in (1, 2, 7):
        with teloom.num_threads(threads):
            call(a, *results)
        np.testing.assert_array_equal(results[0], a.argsort(axis, kind="stable"))
        np.testing.assert_array_equal(results[1], np.take_along_axis(a, results[2], axis))
        back = descending(a, axis)[(slice(None),) * axis + (slice(3),)]
        np.testing.assert_array_equal(results[2], back)


def descending(a: np.ndarray, axis: int) -> np.ndarray:
    """The positions from the greatest element to the least, of equals the first one first."""
    turned = np.flip(a, axis).argsort(axis, kind="stable")
    return np.flip(a.shape[axis] - 1 - turned, axis)


def extremes(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers with many bits, and equal ones among them."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return RNG.integers(0, 2, shape).astype(dtype)
    if kind == "f":
        some = np.array([-np.inf, -1.5, -0.0, 0.0, 2.0, np.inf, np.nan, -np.nan], dtype)
        a = (RNG.standard_normal(shape) * 10.0 ** RNG.integers(-4, 4, shape)).astype(dtype)
        return np.where(RNG.random(shape) < 0.5, RNG.choice(some, shape), a)
    info = np.iinfo(dtype)
    a = RNG.integers(info.min, info.max, shape, dtype, endpoint=True)
    return np.where(RNG.random(shape) < 0.3, RNG.choice(a.ravel()[:5], shape), a)


def test_long_lines(both):
    a = RNG.integers(-700, 700, (2, 199)).astype("int32")
    A, columns = te.placeholder(a.shape, "int32", "A"), te.placeholder((80, 3), name="columns")
    c = RNG.standard_normal((80, 3)).astype("float32")
    counts = np.array([100, 0], "int32")
    N = te.placeholder((2,), "int32", "N")
    part = np.concatenate([a[0, :100].argsort(kind="stable"), np.arange(100, 199)])
    wanted = [
        (topi.sort(columns, 0), np.sort(c, 0)),
        (topi.argsort(A, N, dtype="int32"), np.stack([part, np.arange(199)])),
        (topi.topk(A, 50, 1, "values"), -np.sort(-a)[:, :50]),
    ]
    both({A: a, columns: c, N: counts}, wanted)


def test_nan_is_last(both):
    a = np.array([3, np.nan, -np.inf, 0, np.nan, np.inf, -2], "float32")
    A = te.placeholder(a.shape, name="A")
    order = a.argsort(kind="stable")
    both({A: a}, [(topi.sort(A), np.sort(a)), (topi.argsort(A), order.astype("float32"))])


@settings(max_examples=10)
@given(st.lists(st.integers(-3, 3), max_size=40))
def test_every_length(values):
    f = sorter()
    a = np.array(values, "int8")
    f(a, order := np.empty(a.shape, "int32"))
    np.testing.assert_array_equal(order, a.argsort(kind="stable"))


def sorter(made=[]):
    """One program for all lengths."""
    if not made:
        A = te.placeholder((te.var("n"),), "int8", "A")
        order = topi.argsort(A, dtype="int32")
        made.append(teloom.build(te.create_schedule(order), [A, order]))
    return made[0]


def test_few_elements(both):
    E, O = te.placeholder((0,), name="E"), te.placeholder((1, 2, 1), name="O")  # noqa: E741
    e, o = np.zeros(0, "float32"), np.array([[[3], [4]]], "float32")
    F, f = te.placeholder((0, 3, 2), name="F"), np.zeros((0, 3, 2), "float32")
    wanted = [(topi.sort(E), e), (topi.sort(O), o), (topi.argsort(O, axis=0), np.zeros_like(o))]
    empty = [e, e.astype(int), e.astype(int), [0]]
    wanted.append((topi.sort(topi.add(F, 1.0), 1), f))
    both({E: e, O: o, F: f}, [*wanted, *zip(topi.unique(E), empty, strict=True)])


def test_valid_count(both):
    a = np.array([[5, 3, 4, 1], [9, 8, 7, 6], [4, 3, 2, 1]], "float32")
    counts = np.array([3, 9, 0], "int32")
    A, N = te.placeholder(a.shape, name="A"), te.placeholder((3,), "int32", name="N")
    order = np.array([[1, 2, 0, 3], [3, 2, 1, 0], [0, 1, 2, 3]])
    both({A: a, N: counts}, [(topi.argsort(A, N, dtype="int32"), order)])


def test_topk(both):
    a = RNG.permutation(24).reshape(4, 6).astype("float32")
    A = te.placeholder(a.shape, name="A")
    order = (-a).argsort(1, kind="stable")
    greatest, at = topi.topk(A, 2)
    wanted = [
        (greatest, np.take_along_axis(a, order, 1)[:, :2]),
        (at, order[:, :2]),
        (topi.topk(A, 3, 0, "values", True), np.sort(a, 0)[:3]),
        (topi.topk(A, 0, ret_type="indices", dtype="int32"), order),
    ]
    assert at.dtype == "int64"
    both({A: a}, wanted)


def test_topk_of_symbolic_extents(compile_once):
    n = te.var("n")
    A, B = te.placeholder((n + 3,), name="A"), te.placeholder((n,), name="B")
    few = topi.topk(B, 3, ret_type="values")
    padded = te.compute((n,), lambda i: te.if_then_else(i < 3, few[te.min(i, 2)], B[i]))
    run = compile_once([A, B], [topi.topk(A, 3, ret_type="values"), padded])
    for size in (0, 2, 5):
        a, b = (RNG.random(size + more, "float32") for more in (3, 0))
        found = run([a, b], [(3,), (size,)])
        np.testing.assert_array_equal(found[0], -np.sort(-a)[:3])
        np.testing.assert_array_equal(found[1], [*-np.sort(-b)[:3], *b[3:]])


@pytest.mark.parametrize("ascending", [False, True])
def test_topk_of_equals_and_nan(both, ascending):
    """Few are kept while others pass; of more than that, all are sorted: with the same result."""
    a = RNG.integers(0, 9, (3, 100)).astype("float32")
    a[0, [3, 50]] = np.nan
    A = te.placeholder(a.shape, name="A")
    # NumPy puts NaN behind all numbers.
    order = np.lexsort((a if ascending else -a, np.isnan(a) == ascending), axis=1)
    few, many = (topi.topk(A, k, 1, "indices", ascending, "int32") for k in (5, 70))
    both({A: a}, [(few, order[:, :5]), (many, order[:, :70])])


def test_searchsorted(both):
    s = np.array([1, 3, 3, 3, 8, 9, 12], "int32")
    v = np.array([[0, 1, 3], [4, 12, 13]], "int32")
    S, V = te.placeholder(s.shape, "int32", "S"), te.placeholder(v.shape, "int32", "V")
    E = te.placeholder((0,), "int32", "E")
    rows = np.sort(RNG.integers(0, 9, (2, 5)), 1).astype("int32")
    R = te.placeholder(rows.shape, "int32", "R")
    wanted = [
        (topi.searchsorted(S, V), s.searchsorted(v)),
        (topi.searchsorted(S, V, True, "int32"), s.searchsorted(v, "right")),
        (topi.searchsorted(E, V), np.zeros_like(v)),
        (topi.searchsorted(R, V), np.stack([rows[k].searchsorted(v[k]) for k in (0, 1)])),
    ]
    both({S: s, V: v, E: np.zeros(0, "int32"), R: rows}, wanted)


def padded(values, length):
    return np.pad(values, (0, length - len(values)))


def test_unique(both):
    a = np.array([4, 2, 4, 4, 7, 2, 1], "int32")
    A = te.placeholder(a.shape, "int32", "A")
    values, first, which, counts = np.unique(a, True, True, True)
    expected = [padded(values, 7), padded(first, 7), which, [4], padded(counts, 7)]
    wanted = [*zip(topi.unique(A, return_counts=True), expected, strict=True)]
    order = first.argsort()
    found = topi.unique(A, is_sorted=False, return_counts=True)
    rank = order.argsort()
    expected = [padded(values[order], 7), padded(first[order], 7), rank[which], [4]]
    wanted += zip(found, [*expected, padded(counts[order], 7)], strict=True)
    wanted += zip(topi.unique(A), [padded(values, 7), padded(first, 7), which, [4]], strict=True)
    both({A: a}, wanted)


A = te.placeholder((8, 4), name="A")
SIZE = te.var("n")
ROW = te.placeholder((SIZE,), name="R")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: topi.sort(A, 2), "topi.sort: axis is 2, outside of -2..1"),
        (
            lambda: topi.argsort(A, A),
            "topi.argsort: valid_count is A of shape (8, 4) and dtype float32",
        ),
        (
            lambda: topi.argsort(A, dtype="int33"),
            "topi.argsort: dtype is 'int33': unknown dtype 'int33'",
        ),
        (lambda: topi.topk(A, 1, dtype="foo"), "topi.topk: dtype is 'foo': unknown dtype 'foo'"),
        (
            lambda: topi.searchsorted(A, A, out_dtype=None),
            "topi.searchsorted: out_dtype is None, which is",
        ),
        (lambda: topi.topk(A, 5), "topi.topk: k is 5, more than the extent of axis 1 of A"),
        (
            lambda: topi.topk(ROW, SIZE * 2 + 1),
            "topi.topk: k is ((n * 2) + 1), more than the extent of axis 0 of R",
        ),
        (
            lambda: topi.topk(A, 2, ret_type="all"),
            "ret_type is 'all'; known are 'both', 'values', ",
        ),
        (
            lambda: topi.searchsorted(A, topi.cast(A, "int8")),
            "topi.searchsorted: values is cast of",
        ),
        (
            lambda: topi.unique(A),
            "topi.unique: data is A of shape (8, 4) and dtype float32, but must",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)


@pytest.mark.parametrize("shape", [(1, 70000), (1, 40, 1000), (2, 70000)])
def test_long_and_single_lines_are_sorted_by_one_thread_if_each_needs_memory(shape):
    A = te.placeholder(shape, name="A")
    order = topi.argsort(A, None, -1, dtype="int32")
    s = topi.schedule(order, num_threads=2)
    text = str(teloom.lower(s, [A, order], level="loop"))
    shared = [extent for extent in re.findall(r"0 to (\d+) parallel", text) if extent != "1"]
    assert len(shared) == (2 if shape[-1] <= 2**16 else 1)  # with a copy of all positions


@pytest.mark.parametrize(
    "make",
    [
        lambda A: topi.argsort(A, dtype="bool"),
        lambda A: topi.topk(A, 1, dtype=np.bool_),
        lambda A: topi.searchsorted(A, A, out_dtype="bool"),
    ],
)
def test_positions_are_numbers(refuses, make):
    refuses(lambda: make(te.placeholder((4,), name="A")), "is 'bool', but must be a dtype of")
