"""Schedules by rules of reductions that lanes fold: which share loops, and how rows are read."""

from dataclasses import replace

import numpy as np
import pytest
from budget import each, is_chosen

import teloom
from teloom import te, topi

V3 = teloom.target("x86-64-v3")
FOLDS = {
    "sum": (lambda value, k: te.sum(value, axis=k), lambda a: a.sum(-1)),
    "squares": (lambda value, k: te.sum(value * value, axis=k), lambda a: (a * a).sum(-1)),
    "max": (lambda value, k: te.max(value, axis=k), lambda a: a.max(-1)),
    "min": (lambda value, k: te.min(value, axis=k), lambda a: a.min(-1)),
    "sizes": (lambda value, k: te.sum(te.abs(value), axis=k), lambda a: abs(a).sum(-1)),
}


def folded(A: te.Tensor, name: str, axis: int = 1) -> te.Tensor:
    """A fold of the rows of a matrix, or of all of a vector."""
    k = te.reduce_axis((0, A.shape[axis]), "k")
    return te.compute(A.shape[:axis], lambda *at: FOLDS[name][0](A(*at, k), k), name=name)


def joined(reasons: list[str]) -> dict[str, str]:
    """The stages that are folded in the loops of others."""
    words = ": folded in the loops of "
    found = (one.removesuffix(", which reads the same").split(words) for one in reasons)
    return {pair[0]: pair[1] for pair in found if len(pair) == 2}


def check(s: te.Schedule, A: te.Tensor, outputs: list[te.Tensor], shape, threads: int = 1) -> None:
    """Builds the folds `outputs`, and compares them, by their names, with NumPy."""
    compare(teloom.build(s, [A, *outputs], target=V3, num_threads=threads), outputs, shape)


def compare(run, outputs: list[te.Tensor], shape) -> None:
    """Compares the folds that `run` computes with NumPy."""
    a = np.random.default_rng(0).integers(-4, 5, shape).astype("float32")
    found = [np.empty(shape[:-1], "float32") for _ in outputs]
    run(a, *found)
    for output, one in zip(outputs, found, strict=True):
        np.testing.assert_array_equal(one, FOLDS[output.name][1](a))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(9, 100), (1, 33), (700, 301)])
def test_folds_of_the_same_rows_share_loops(shape, threads):
    A = te.placeholder(shape, name="A")
    outputs = [folded(A, name) for name in ("sum", "squares", "max")]
    s = te.create_schedule([one.op for one in outputs])
    reasons = te.auto_schedule(s, V3, num_threads=threads)
    assert joined(reasons) == {"squares": "max", "sum": "max"}
    if is_chosen((shape, threads), [((9, 100), 1), ((1, 33), 2), ((700, 301), 2)]):
        check(s, A, outputs, shape, threads)


def test_folds_of_rows_of_any_number_share_loops():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    outputs = [folded(A, name) for name in ("sum", "max")]
    s = te.create_schedule([one.op for one in outputs])
    assert joined(te.auto_schedule(s, V3)) == {"sum": "max"}
    run = teloom.build(s, [A, *outputs], target=V3, num_threads=1)
    for shape in [(0, 5), (1, 1), (5, 16), (6, 70)]:
        compare(run, outputs, shape)


def test_no_more_share_loops_than_registers_hold():
    A = te.placeholder((40, 64), name="A")
    outputs = [folded(A, name) for name in FOLDS]
    s = te.create_schedule([one.op for one in outputs])
    found = joined(te.auto_schedule(s, V3))
    assert found == {"min": "sizes", "max": "sizes", "sum": "squares"}
    check(s, A, outputs, (40, 64))


@pytest.mark.parametrize("threads", [1, 2])
def test_folds_of_everything_share_their_parts(threads):
    A = te.placeholder((70001,), name="A")
    outputs = [folded(A, name, 0) for name in ("max", "min")]
    s = te.create_schedule([one.op for one in outputs])
    assert joined(te.auto_schedule(s, V3, num_threads=threads)) == {"max.rf": "min.rf"}
    check(s, A, outputs, (70001,), threads)


def test_a_fold_that_reads_another_one_does_not_share_its_loops():
    A = te.placeholder((40, 64), name="A")
    largest = folded(A, "max")
    k = te.reduce_axis((0, 64), "k")
    below = te.compute((40,), lambda i: te.sum(A[i, k] - largest[i], axis=k), name="below")
    s = te.create_schedule([largest.op, below.op])
    assert not joined(te.auto_schedule(s, V3))
    a = np.arange(40 * 64, dtype="float32").reshape(40, 64) % 7
    found = [np.empty(40, "float32") for _ in range(2)]
    teloom.build(s, [A, largest, below], target=V3)(a, *found)
    np.testing.assert_array_equal(found[1], (a - 6).sum(1))


@pytest.mark.parametrize(
    "other",
    [
        lambda A, B: folded(B, "max"),  # other elements
        lambda A, B: topi.max(A, 0),  # columns
        lambda A, B: topi.max(topi.reshape(A, (20, 128)), 1),  # rows of another length
    ],
)
def test_folds_of_other_elements_have_loops_of_their_own(other):
    A, B = te.placeholder((40, 64), name="A"), te.placeholder((40, 64), name="B")
    outputs = [folded(A, "sum"), other(A, B)]
    s = te.create_schedule([one.op for one in outputs])
    assert not joined(te.auto_schedule(s, V3))


def test_folds_meet_where_a_third_one_reads_what_each_of_them_reads():
    A, B = te.placeholder((90, 40), name="A"), te.placeholder((90, 40), name="B")
    pairs = {"ab": (A, B), "aa": (A, A), "bb": (B, B)}
    terms = {name: te.reduce_axis((0, 40), "k") for name in pairs}
    ab, aa, bb = (
        te.compute(
            (90,),
            lambda i, x=x, y=y, k=terms[name]: te.sum(x[i, k] * y[i, k], axis=k),
            name=name,
        )
        for name, (x, y) in pairs.items()
    )
    C = te.compute((90,), lambda i: ab[i] * te.rsqrt(aa[i] * bb[i] + 1.0), name="C")
    s = te.create_schedule(C)
    assert joined(te.auto_schedule(s, V3)) == {"ab": "bb", "aa": "bb"}
    rng = np.random.default_rng(0)
    a, b = (rng.random((90, 40), dtype="float32") for _ in range(2))
    teloom.build(s, [A, B, C], target=V3)(a, b, c := np.empty(90, "float32"))
    expected = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1)
    np.testing.assert_allclose(c, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((33, 256), "row by row"),
        ((33, 250), "row by row"),
        ((33, 63), "4 rows at once"),  # too short
        ((9, 1024), "row by row"),
        ((2, 256), "4 rows at once"),  # in the cache
    ],
)
def test_rows_are_read_from_memory_one_after_the_other(shape, words: str):
    A = te.placeholder(shape, name="A")
    outputs = [folded(A, "sum"), folded(A, "max")]
    s = te.create_schedule([one.op for one in outputs])
    reasons = te.auto_schedule(s, replace(V3, caches=(1024, 4096, 2**20)))
    assert sum(one.endswith(words) for one in reasons) == 2
    if is_chosen(shape, [(33, 256), (33, 250), (33, 63)]):
        check(s, A, outputs, shape)


def test_folds_of_rows_that_data_names_share_loops():
    X, at = te.placeholder((50, 300), name="X"), te.placeholder((9,), "int32", name="at")

    def of_rows(fold, name: str) -> te.Tensor:
        r = te.reduce_axis((0, 300), "r")
        return te.compute((9,), lambda i: fold(X[at[i], r], axis=r), name=name)

    total, most = of_rows(te.sum, "total"), of_rows(te.max, "most")
    s = te.create_schedule([total.op, most.op])
    reasons = te.auto_schedule(s, V3)
    assert "total: folded in the loops of most, which reads the same" in reasons
    x, rows = np.random.default_rng(0).random((50, 300), "float32"), np.arange(9, 0, -1, "int32")
    results = [np.empty(9, "float32") for _ in range(2)]
    teloom.build(s, [X, at, total, most])(x, rows, *results)
    np.testing.assert_allclose(results[0], x[rows].sum(1), rtol=1e-5)
    np.testing.assert_array_equal(results[1], x[rows].max(1))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((33, 256), "row by row of i"),
        ((33, 63), "strips of 4 of i"),
        ((3, 256), "strips of 4 of i"),
    ],
)
def test_folds_of_rows_from_memory_are_computed_at_each_row(shape, words: str, threads: int):
    X = te.placeholder(shape, name="X")
    n, k = shape
    q, r = te.reduce_axis((0, k), "q"), te.reduce_axis((0, k), "r")
    total = te.compute((n,), lambda i: te.sum(X[i, q], axis=q), name="total")
    far = te.compute((n,), lambda i: te.max(X[i, r] - total[i] / k, axis=r), name="far")
    Y = te.compute(shape, lambda i, j: (X[i, j] - total[i] / k) / far[i], name="Y")
    s = te.create_schedule(Y)
    target = replace(V3, caches=(1024, 4096, 2**20))
    reasons = te.auto_schedule(s, target, num_threads=threads)
    assert f"Y: {words}, with what they read in their loops" in reasons
    x = np.random.default_rng(0).random(shape, "float32")
    teloom.build(s, [X, Y], num_threads=threads)(x, y := np.empty_like(x))
    centred = x - x.mean(1, keepdims=True)
    np.testing.assert_allclose(y, centred / centred.max(1, keepdims=True), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [300, 40_000])
def test_what_reads_a_fold_of_everything_is_not_folded_beside_it(n: int, threads: int):
    X = te.placeholder((n,), "float64", name="X")
    a, b = te.reduce_axis((0, n), "a"), te.reduce_axis((0, n), "b")
    total = te.compute((), lambda: te.sum(X[a], axis=a), name="total")

    def square():
        d = X[b] - total() / n
        return te.sum(d * d, axis=b)

    spread = te.compute((), square, name="spread")
    s = te.create_schedule(spread)
    te.auto_schedule(s, num_threads=threads)
    x = np.random.default_rng(0).random(n)
    teloom.build(s, [X, spread], num_threads=threads)(x, found := np.empty(()))
    np.testing.assert_allclose(found, ((x - x.mean()) ** 2).sum())


@pytest.mark.parametrize(("threads", "shape"), each([1, 2], [(37, 700), (300, 33), (5, 4000)]))
def test_rows_are_folded_while_a_cache_has_them(shape, threads):
    A = te.placeholder(shape, "float64", name="A")
    rows, columns = shape
    k, r = (te.reduce_axis((0, columns), name) for name in "kr")
    most = te.compute((rows,), lambda i: te.max(A[i, k], axis=k), name="most")
    total = te.compute((rows,), lambda i: te.sum(te.exp(A[i, r] - most[i]), axis=r), name="total")
    small = replace(V3, caches=(4096, 16384, 2**20))
    for target, is_at_rows in ((small, True), (V3, False)):
        s = te.create_schedule(total)
        reasons = te.auto_schedule(s, target, num_threads=threads)
        words = "most: at the rows of total, which reads them again"
        assert (words in reasons) == is_at_rows
        a = np.random.default_rng(0).random(shape)
        teloom.build(s, [A, total], target=V3, num_threads=threads)(a, found := np.empty(rows))
        np.testing.assert_allclose(found, np.exp(a - a.max(1, keepdims=True)).sum(1))


HALVES = {
    "neighbours": lambda W, j, k: (W[j, k // 2] >> (k % 2 * 4).astype("uint8")) & 15,
    "two parts": lambda W, j, k: te.if_then_else(
        k % 32 < 16, W[j, k // 32 * 16 + k % 16] & 15, W[j, k // 32 * 16 + k % 16] >> 4
    ),
}


@pytest.mark.parametrize(("name", "sizes"), each([*HALVES], [(7, 96), (1, 32), (100, 64), (5, 0)]))
def test_a_vector_times_a_matrix_of_halves_of_bytes(name, sizes):
    columns, terms = sizes
    """Numbers of 4 bits, of which 32 have a factor together."""
    x, k = te.placeholder((1, terms), name="x"), te.reduce_axis((0, terms), "k")
    W = te.placeholder((columns, terms // 2), "uint8", name="W")
    scales = te.placeholder((columns, terms // 32), name="scales")

    def number(j, k):
        return (HALVES[name](W, j, k).astype("float32") - 8.0) * scales[j, k // 32]

    C = te.compute((1, columns), lambda i, j: te.sum(x[i, k] * number(j, k), axis=k), name="C")
    rng = np.random.default_rng(terms)
    w = rng.integers(0, 256, (columns, terms // 2), "uint8")
    a, s = (rng.integers(-4, 5, one).astype("float32") for one in ((1, terms), scales.shape))
    low, high = w & 15, w >> 4
    if name == "neighbours":
        numbers = np.stack([low, high], -1)
    else:
        numbers = np.stack([one.reshape(columns, -1, 16) for one in (low, high)], 2)
    numbers = numbers.reshape(columns, terms).astype("float32") - 8
    expected = a @ (numbers * np.repeat(s, 32, 1)).T
    for target in ("native", V3):
        run = teloom.build([x, W, scales, C], target=target)
        run(a, w, s, found := np.ones((1, columns), "float32"))
        np.testing.assert_array_equal(found, expected)


def test_lanes_fold_neighbours_that_share_bytes():
    W, x = te.placeholder((8, 64), "uint8", name="W"), te.placeholder((128,), name="x")
    k = te.reduce_axis((0, 128), "k")
    half = HALVES["neighbours"]
    C = te.compute((8,), lambda j: te.sum(x[k] * half(W, j, k).astype("float32"), axis=k), name="C")
    assert te.auto_schedule(te.create_schedule(C), V3, 1) == [
        "C: lanes fold k, which is contiguous, in 4 rows at once"
    ]


def test_lanes_fold_as_many_narrow_numbers_as_there_are_sums():
    G = te.placeholder((32, 64), "uint8", name="G")
    y, x = te.reduce_axis((0, 16), "y"), te.reduce_axis((0, 16), "x")
    C = te.compute(
        (2, 4),
        lambda i, j: te.sum(G[16 * i + y, 16 * j + x].astype("int32"), axis=[y, x]),
        name="C",
    )
    s = te.create_schedule(C)
    assert te.auto_schedule(s, "x86-64-v4", 1) == [
        "C: lanes fold x, which is contiguous, in 4 rows at once"
    ]
    g = np.random.default_rng(0).integers(0, 256, (32, 64), "uint8")
    teloom.build(s, [G, C])(g, found := np.ones((2, 4), "int32"))
    np.testing.assert_array_equal(found, g.reshape(2, 16, 4, 16).sum((1, 3)))
