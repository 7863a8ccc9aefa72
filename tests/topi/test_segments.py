"""Folds over segments, sparse tensors as lists, and slices at places that are data."""

import numpy as np
import pytest

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)
FOLDS = {
    "segment_sum": (np.add, 0),
    "segment_prod": (np.multiply, 1),
    "segment_max": (np.maximum, -np.inf),
    "segment_min": (np.minimum, np.inf),
}


def tensor(array, name):
    return te.placeholder(array.shape, str(array.dtype), name)


def folded(name, data, at, count):
    function, identity = FOLDS[name]
    if data.dtype.kind == "i" and name in ("segment_max", "segment_min"):
        identity = getattr(np.iinfo(data.dtype), "min" if name == "segment_max" else "max")
    found = np.full((count, *data.shape[1:]), identity, data.dtype)
    for segment, row in zip(at, data, strict=True):
        if 0 <= segment < count:
            found[segment] = function(found[segment], row)
    return found


def test_segments(both):
    x = RNG.normal(size=(7, 2)).astype("float32")
    x[2, 1] = np.nan
    y, at = RNG.integers(-9, 9, 7).astype("int16"), np.array([3, 0, 3, -1, 0, 9, 5])
    X, Y, I = tensor(x, "X"), tensor(y, "Y"), tensor(at, "I")  # noqa: E741
    wanted = [(getattr(topi, name)(X, I, 6), folded(name, x, at, 6)) for name in FOLDS]
    wanted += [(getattr(topi, name)(Y, I, 5), folded(name, y, at, 5)) for name in FOLDS]
    counts = folded("segment_sum", np.ones_like(y), at, 6)[:, None]
    mean = folded("segment_sum", x, at, 6) / np.maximum(counts, 1)
    wanted += [(topi.segment_mean(X, I, 6), mean)]
    wanted += [(topi.segment_sum(X, I, 0), np.zeros((0, 2), "float32"))]
    both({X: x, Y: y, I: at}, wanted)


def test_a_mean_of_many_short_floats(both):
    x, at = np.ones(2500, "float16"), np.zeros(2500, "int32")
    X, I = tensor(x, "X"), tensor(at, "I")  # noqa: E741
    both({X: x, I: at}, [(topi.segment_mean(X, I, 1), np.ones(1, "float16"))])


def test_segments_of_symbolic_sizes():
    n, m = te.var("n"), te.var("m")
    X, I = te.placeholder((n, 3), name="X"), te.placeholder((n,), "int32", name="I")  # noqa: E741
    total = topi.segment_sum(X, I, m)
    f = teloom.build(te.create_schedule(total), [X, I, total])
    for rows, count in ((9, 4), (0, 2), (5, 1)):
        x, at = RNG.normal(size=(rows, 3)).astype("float32"), RNG.integers(0, count, rows)
        f(x, at.astype("int32"), found := np.full((count, 3), 9, "float32"))
        np.testing.assert_allclose(found, folded("segment_sum", x, at, count), atol=1e-5)


def test_sparse_reshape(both):
    at = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]])
    old, new = np.array([2, 3, 6]), np.array([9, -1], "int32")
    A, O, N = tensor(at, "A"), tensor(old, "O"), tensor(new, "N")  # noqa: E741
    flat = np.ravel_multi_index(tuple(at.T), tuple(old))
    expected = np.stack(np.unravel_index(flat, (9, 4)), 1)
    found = topi.sparse_reshape(A, O, N, (5, 2), (2,))
    E = te.placeholder((0, 3), "int64", name="E")
    none = topi.sparse_reshape(E, O, N, (0, 2), (2,))[0]
    wanted = [*zip(found, (expected, np.array([9, 4], "int32")), strict=True)]
    empty = np.zeros((0, 3), "int64")
    both({A: at, O: old, N: new, E: empty}, [*wanted, (none, empty[:, :2])])


def test_sparse_fill_empty_rows(both):
    at = np.array([[3, 1], [0, 1], [3, 0], [1, 2]])
    values, shape = np.array([5, 6, 7, 8], "int32"), np.array([6, 3])
    default = np.array([-1], "int32")
    A, V, S, D = (tensor(one, name) for one, name in zip((at, values, shape, default), "AVSD"))
    full = topi.sparse_fill_empty_rows(A, V, S, D, (8, 2), (8,), (6,))
    rows = np.array([[0, 1], [1, 2], [2, 0], [3, 1], [3, 0], [4, 0], [5, 0], [0, 0]])
    is_empty = np.array([0, 0, 1, 0, 1, 1], bool)
    short = topi.sparse_fill_empty_rows(A, V, S, 9, (2, 2), (2,), (6,))
    N, W = te.placeholder((0, 2), "int64", "N"), te.placeholder((0,), "int32", name="W")
    none = topi.sparse_fill_empty_rows(N, W, S, 9, (6, 2), (6,), (6,))
    wanted = [
        *zip(full, (rows, np.array([6, 8, -1, 5, 7, -1, -1, 0]), is_empty), strict=True),
        *zip(short[:2], (rows[:2], np.array([6, 8])), strict=True),
        (none[1], np.full(6, 9)),
    ]
    empty = np.zeros((0, 2), "int64"), np.zeros(0, "int32")
    both({A: at, V: values, S: shape, D: default, N: empty[0], W: empty[1]}, wanted)


def test_dynamic_strided_slice(both):
    x = np.arange(42).reshape(6, 7)
    begin, end, strides = np.array([-1, 2], "int32"), np.array([0, 99]), np.array([-2, 3])
    X, B, E, S = (tensor(one, name) for one, name in zip((x, begin, end, strides), "XBES"))
    first = [topi.strided_slice(one, [0], [1]) for one in (E, B, S)]
    wanted = [
        (topi.dynamic_strided_slice(X, B, E, S, (3, 2)), x[-1:0:-2, 2:99:3]),
        (topi.dynamic_strided_slice(X, first[0], first[1], first[2], (1, 7)), x[:1]),
    ]
    both({X: x, B: begin, E: end, S: strides}, wanted)


def test_a_place_that_no_signed_number_is(both):
    a, v = np.zeros(5, "float32"), np.ones(5, "float32")
    begin, end, steps = (np.array([one], "uint64") for one in (2**63, 2**64 - 1, 1))
    A, V, B, E, S = (tensor(one, name) for one, name in zip((a, v, begin, end, steps), "AVBES"))
    given = {A: a, V: v, B: begin, E: end, S: steps}
    both(given, [(topi.strided_set(A, V, B, E, S), a)])


def test_places_of_a_slice_as_data():
    """The array of the result says how many elements it has."""
    x = np.arange(42).reshape(6, 7)
    X, B, E, S = (tensor(one, name) for one, name in zip((x, *[np.zeros(2, int)] * 3), "XBES"))
    Y, Z = topi.strided_slice(X, B, E, S), topi.strided_slice(X, B, E)
    run = teloom.build([X, B, E, S, Y, Z])
    for begin, end, strides in (((-1, 2), (0, 99), (-2, 3)), ((1, 0), (5, 7), (2, 1))):
        wanted = x[tuple(map(slice, begin, end, strides))], x[tuple(map(slice, begin, end))]
        found = [np.zeros(one.shape, int) for one in wanted]
        run(x, *map(np.array, (begin, end, strides)), *found)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


A, I = te.placeholder((5, 2), "int64", name="A"), te.placeholder((5,), "int32", name="I")  # noqa: E741
V, S = te.placeholder((4,), name="V"), te.placeholder((2,), "int64", name="S")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: topi.strided_slice(A, S, S, axes=[0, 1]),
            "topi.strided_slice: begin is S of shape (2,) and dtype int64, data; with it there are",
        ),
        (
            lambda: topi.strided_slice(A, I, I),
            "topi.strided_slice: begin is I of shape (5,) and dtype int32, more places than axes",
        ),
        (lambda: topi.segment_sum(A, V, 3), "topi.segment_sum: segment_ids is V of shape (4,) and"),
        (lambda: topi.segment_max(A, S, 3), "topi.segment_max: segment_ids is S of shape (2,) and"),
        (lambda: topi.segment_mean(A, I, 3), "topi.segment_mean: data is A of shape (5, 2) and dt"),
        (lambda: topi.segment_sum(A, I, -1), "num_segments is [-1], whose extent 0 is negative"),
        (
            lambda: topi.sparse_reshape(A, I, S, (5, 2), (2,)),
            "topi.sparse_reshape: prev_shape is I of shape (5,) and dtype int32, but sparse",
        ),
        (
            lambda: topi.sparse_reshape(A, S, S, (5, 3), (2,)),
            "new_sparse_indices_shape is (5, 3), but that result has (5, 2)",
        ),
        (
            lambda: topi.sparse_fill_empty_rows(A, V, S, 0, (9, 2), (9,), (4,)),
            "topi.sparse_fill_empty_rows: sparse_values is V of shape (4,) and dtype float32, but",
        ),
        (
            lambda: topi.sparse_fill_empty_rows(A, I, S, 0, (9, 3), (9,), (4,)),
            "new_sparse_indices_shape is [9, 3], but must be (n, 2)",
        ),
        (lambda: topi.sparse_fill_empty_rows(A, I, S, 0.5, (9, 2), (9,), (4,)), "default_value is"),
        (
            lambda: topi.dynamic_strided_slice(A, S, S, S, (3,)),
            "topi.dynamic_strided_slice: output_shape is [3], which no slice of A of shape (5, 2)",
        ),
        (
            lambda: topi.dynamic_strided_slice(A, S, S, I, (3, 2)),
            "strides has the extent 5 on",
        ),
        (lambda: topi.dynamic_strided_slice(A, I, I, I, (3, 2)), "more places than axes of A of"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
