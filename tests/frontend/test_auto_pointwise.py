"""Schedules by rules of equations without reductions: what they read through stages they inline."""

from dataclasses import replace

import numpy as np
import pytest
from budget import each, is_chosen, pairs

import teloom
from teloom import te, topi

V3 = teloom.target("x86-64-v3")


def positive(x):
    return te.compute(x.shape, lambda i, j: te.max(x[i, j], 0.0), name="positive")


def transposed(x):
    n, m = x.shape
    return te.compute((m, n), lambda i, j: x[j, i], name="transposed")


def shifted(x):
    n, m = x.shape
    return te.compute((n, m - 1), lambda i, j: x[i, j + 1], name="shifted")


def padded(x):
    n, m = x.shape

    def value(i, j):
        return te.if_then_else(te.all(i > 0, j > 0), x[i - 1, j - 1], 0.0)

    return te.compute((n + 1, m + 1), value, name="padded")


PROGRAMS = {
    "of a transposed one": (
        lambda x: positive(transposed(x)),
        lambda x: np.maximum(x.T, 0),
        "positive: tiles of 8 x 16 are transposed in registers",
    ),
    "transposed twice": (
        lambda x: positive(transposed(transposed(x))),
        lambda x: np.maximum(x, 0),
        "positive: all elements are one axis of vectors",
    ),
    "of a part that is transposed": (
        lambda x: positive(transposed(shifted(x))),
        lambda x: np.maximum(x[:, 1:].T, 0),
        "positive: tiles of 8 x 16 are transposed in registers",
    ),
    "with a border": (
        lambda x: positive(padded(x)),
        lambda x: np.maximum(np.pad(x, ((1, 0), (1, 0))), 0),
        "positive: vectors along j, which is contiguous",
    ),
}


RUN = [(name, (17, 30)) for name in PROGRAMS]
RUN += zip(PROGRAMS, [(64, 33), (1, 1), (0, 5), (1, 9)], strict=True)


@pytest.mark.parametrize("sizes", [(0, 5), (1, 1), (1, 9), (17, 30), (64, 33)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_places_in_memory_are_those_of_what_is_stored(name, sizes):
    made, expected, reason = PROGRAMS[name]
    A = te.placeholder(sizes, name="A")
    B = made(A)
    s = te.create_schedule(B)
    reasons = te.auto_schedule(s, V3)
    if min(sizes) > 1:
        assert reason in reasons
    if not is_chosen((name, sizes), RUN):
        return
    x = np.random.default_rng(0).random(sizes, "float32") - np.float32(0.5)
    teloom.build(s, [A, B])(x, found := np.empty([int(n) for n in B.shape], "float32"))
    np.testing.assert_array_equal(found, expected(x))


@pytest.mark.parametrize(
    ("target", "dtype", "tile"),
    [
        (V3, "float32", "8 x 16"),
        (V3, "float64", "4 x 8"),
        ("x86-64", "float32", "4 x 16"),
        ("x86-64-v4", "float32", "16 x 16"),
    ],
)
def test_transposed_rows_are_streamed_by_whole_lines(target, dtype, tile):
    s = te.create_schedule(transposed(te.placeholder((4096, 4096), dtype, name="x")))
    tiles, streamed = te.auto_schedule(s, target)[-2:]
    assert tiles.endswith(f"tiles of {tile} are transposed in registers")
    assert streamed.endswith("bytes are stored past the caches")


@pytest.mark.parametrize(
    ("dtype", "columns", "is_copied"),
    [
        ("uint8", 1024, True),
        ("uint8", 1000, False),  # rows begin anywhere in a line
        ("int16", 1024, True),
        ("int16", 96, False),
        ("float32", 1024, False),  # registers hold the 16 rows of a tile
    ],
)
@pytest.mark.parametrize("is_rotated", [False, True])
def test_rows_that_share_lines_of_the_cache_are_copied_first(dtype, columns, is_copied, is_rotated):
    x = te.placeholder((130, columns), dtype, name="x")
    first, step = (columns - 1, -1) if is_rotated else (0, 1)
    y = te.compute((columns, 130), lambda i, j: x[j, first + step * i], name="y")
    s = te.create_schedule(y)
    reasons = te.auto_schedule(s, V3, 1)
    said = "x.global: copied tile by tile, as its rows share a few lines of the cache"
    assert (said in reasons) == is_copied
    given = np.random.default_rng(0).integers(0, 99, x.shape).astype(dtype)
    teloom.build(s, [x, y])(given, found := np.empty((columns, 130), dtype))
    np.testing.assert_array_equal(found, np.rot90(given) if is_rotated else given.T)


def test_what_is_inlined_in_a_transposition_is_read_from_copies():
    A, B = (te.placeholder((130, 1024), "uint8", name=name) for name in "AB")
    C = te.compute(A.shape, lambda i, j: A[i, j] + B[i, j], name="C")
    s = te.create_schedule(y := transposed(C))
    reasons = "".join(te.auto_schedule(s, V3, 1))
    assert "A.global: copied tile by tile" in reasons
    assert "B.global: copied tile by tile" in reasons
    a, b = (np.random.default_rng(k).integers(0, 99, A.shape, "uint8") for k in (0, 1))
    teloom.build(s, [A, B, y])(a, b, found := np.empty((1024, 130), "uint8"))
    np.testing.assert_array_equal(found, (a + b).T)


@pytest.mark.parametrize(("operands", "is_streamed"), [(1, False), (2, True)])
def test_what_is_read_counts_for_what_is_streamed(operands, is_streamed):
    read = [te.placeholder((1024, 1024), name=f"x{number}") for number in range(operands)]
    out = te.compute((1024, 1024), lambda i, j: sum((x[i, j] for x in read), 1.0), name="out")
    s = te.create_schedule(out)
    reasons = te.auto_schedule(s, replace(V3, caches=(32768, 2**19, 2**25)))
    assert reasons[-1].endswith("bytes are stored past the caches") is is_streamed


@pytest.mark.parametrize(
    ("dtype", "shape"),
    each(["float64", "float32", "int16"], [(130, 70), (64, 128), (1, 7), (37, 1)]),
)
def test_transposed_tiles_of_lines(shape, dtype):
    x = te.placeholder(shape, dtype, name="x")
    s = te.create_schedule(y := transposed(x))
    te.auto_schedule(s, replace(teloom.target("native"), caches=(256, 256)))
    given = (np.random.default_rng(0).random(shape) * 99).astype(dtype)
    teloom.build(s, [x, y])(given, found := np.empty(shape[::-1], dtype))
    np.testing.assert_array_equal(found, given.T)


def test_an_axis_that_cancels_out_of_a_subscript():
    A = te.placeholder((40,), "int64", name="A")
    C = te.compute((31,), lambda i: A[i - i + 3] + A[i * 2 - i], name="C")
    a = np.arange(40) ** 2
    teloom.build([A, C])(a, c := np.zeros(31, "int64"))
    np.testing.assert_array_equal(c, a[3] + a[:31])


def test_many_stages_are_inlined_in_one():
    x = te.placeholder((20, 30), name="A")
    for _ in range(1500):
        x = te.compute(x.shape, lambda i, j, x=x: x[i, j] + 1.0)
    s = te.create_schedule(transposed(x))
    assert te.auto_schedule(s, V3)[-1].endswith("tiles of 8 x 16 are transposed in registers")


def test_what_is_read_at_several_clamped_positions_is_computed_once():
    A = te.placeholder((64, 64), name="A")
    B = te.compute((64, 64), lambda i, j: te.exp(A[i, j]), name="B")

    def clamped(j, distance):
        return te.max(te.min(j + distance, 63), 0)

    def made(*distances):
        C = te.compute(
            (64, 64), lambda i, j: sum(B[i, clamped(j, one)] for one in distances), name="C"
        )
        return te.auto_schedule(te.create_schedule(C), V3)

    assert "B: is inlined" in made(1)
    assert "B: is inlined" in made(1, 1)
    assert "B: is inlined" not in made(-1, 0, 1)


def test_a_fold_of_long_terms_from_here_and_there_is_no_copied_code():
    A, I = te.placeholder((64,), name="A"), te.placeholder((8, 32), "int32", name="I")  # noqa: E741
    k = te.reduce_axis((0, 4), "k")

    def made(term):
        B = te.compute((8, 32), lambda i, j: te.sum(term(A[I[i, j] + k]), axis=k), name="B")
        s = te.create_schedule(B)
        te.auto_schedule(s, V3)
        return str(teloom.lower(s, [A, I, B], level="te"))

    assert "schedule.unroll" in made(lambda x: x + 1.0)
    assert "schedule.unroll" not in made(lambda x: te.exp(te.sin(x)))


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_parts_of_rows_are_transposed_in_registers(dtype):
    """Tiles as flat as 4 rows, and as wide as several vectors."""
    for rows, lanes in ((4, 8), (4, 32), (8, 16), (16, 64)):
        A = te.placeholder((70, 40), dtype, name="A")
        B = te.compute((40, 70), lambda i, j, A=A: A[j, i], name="B")
        s = te.create_schedule(B)
        *_, inner, lane = s[B].tile(*B.op.axis, rows, lanes)
        s[B].unroll(inner)
        s[B].vectorize(lane)
        a = np.arange(2800).astype(dtype).reshape(70, 40)
        teloom.build(s, [A, B])(a, b := np.zeros((40, 70), dtype))
        np.testing.assert_array_equal(b, a.T)


def sums_and_differences(n, m):
    A = te.placeholder((2 * n, 2 * m), name="A")

    def element(c, i, j):
        above, below = (A[2 * i + k, 2 * j] + A[2 * i + k, 2 * j + 1] for k in (0, 1))
        return above + te.if_then_else(c == 0, 1.0, -1.0) * below * (c + 1)

    return A, te.compute((2, n, m), element, name="C")


def mixed_channels(n, m):
    A = te.placeholder((n, m, 3), name="A")
    return A, te.compute((n, m, 3), lambda i, j, c: A[i, j, 0] * c + A[i, j, 2], name="C")


def of_pairs(a):
    above, below = (a[k::2, ::2] + a[k::2, 1::2] for k in (0, 1))
    return np.stack([above + below, above - below * 2])


def of_channels(a):
    return a[..., :1] * np.arange(3, dtype="float32") + a[..., 2:]


@pytest.mark.parametrize(("n", "m"), [(5, 64), (7, 131), (1, 40)])
@pytest.mark.parametrize(
    ("program", "expected"),
    [(sums_and_differences, of_pairs), (mixed_channels, of_channels)],
    ids=["first", "last"],
)
def test_a_short_axis_is_unrolled_around_vectors_along_another(program, expected, n, m):
    A, C = program(n, m)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, replace(V3, caches=(256, 2048, 8192)), num_threads=2)
    assert "C: vectors along j, for each of which c is unrolled" in reasons
    shape = [int(one) for one in A.shape]
    a = np.random.default_rng(0).integers(0, 9, shape).astype("float32")
    c = np.empty([int(one) for one in C.shape], "float32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, expected(a))


def test_a_short_axis_that_only_moves_elements_is_no_reason_for_other_vectors():
    A = te.placeholder((64, 64, 3), name="A")
    C = te.compute((128, 128, 3), lambda i, j, c: A[i // 2, j // 2, c], name="C")
    reasons = te.auto_schedule(te.create_schedule(C), V3)
    assert not any("unrolled" in one for one in reasons)


@pytest.mark.parametrize("sizes", [(0, 3), (1, 1), (3, 5), (7, 20), (2, 64)])
def test_conditions_on_the_parity_of_the_last_axis(sizes):
    """Rotations of pairs: what both of a pair read is read by whole vectors."""
    n, pairs = sizes
    A, W = te.placeholder((n, 2 * pairs), name="A"), te.placeholder((n, pairs), name="W")

    def rotated(i, k):
        first = A[i, k] * W[i, k // 2] - A[i, k + 1]
        second = A[i, k] * W[i, k // 2] + A[i, k - 1]
        return te.if_then_else(k % 2 == 0, first, second)

    B = te.compute((n, 2 * pairs), rotated, name="B")
    s = te.create_schedule(B)
    te.auto_schedule(s, V3)
    rng = np.random.default_rng(0)
    a, w = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, W))
    teloom.build(s, [A, W, B], target=V3)(a, w, found := np.empty_like(a))
    even, odd = a[:, ::2], a[:, 1::2]
    np.testing.assert_array_equal(found[:, ::2], even * w - odd)
    np.testing.assert_array_equal(found[:, 1::2], odd * w + even)


@pytest.mark.parametrize(
    ("dtype", "parts", "n"),
    pairs(["uint8", "int16", "float32", "float64"], [2, 3, 4, 5], [1, 16, 133]),
)
def test_neighbours_that_an_unrolled_loop_stores(dtype, parts, n):
    A = te.placeholder((n, parts), dtype, name="A")
    B = te.compute(
        (n, parts),
        lambda i, c: te.if_then_else(c == 0, A[i, 0] + A[i, 1], A[i, c] - A[i, parts - 1 - c]),
        name="B",
    )
    s = te.create_schedule(B)
    i, c = B.op.axis
    outer, inner = s[B].split(i, factor=16)
    s[B].reorder(outer, c, inner)
    s[B].unroll(c)
    s[B].vectorize(inner)
    a = np.random.default_rng(0).integers(0, 9, (n, parts)).astype(dtype)
    teloom.build(s, [A, B], target=V3)(a, found := np.empty_like(a))
    expected = a - a[:, ::-1]
    expected[:, 0] = a[:, 0] + a[:, 1]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("columns", "times", "parts"), [(50, 9, 50), (7, 20, None), (9, 1, None)])
def test_what_is_repeated_is_read_in_vectors(columns, times, parts, threads):
    A = te.placeholder((33, columns), name="A")
    B = topi.tile(A, (4, times))
    s = te.create_schedule(B)
    reasons = te.auto_schedule(s, V3, num_threads=threads)
    words = f"tile: vectors along i1, of which parts of {parts} read the same"
    assert (words in reasons) == (parts is not None)
    a = np.random.default_rng(0).random((33, columns), "float32")
    teloom.build(s, [A, B], num_threads=threads)(a, b := np.empty((132, columns * times), "f4"))
    np.testing.assert_array_equal(b, np.tile(a, (4, times)))


def test_the_shortest_part_of_which_vectors_are_full_is_taken():
    A, B = te.placeholder((24,), name="A"), te.placeholder((96,), name="B")
    C = te.compute((5, 192), lambda i, j: A[j % 24] + B[j % 96] * A[j % 4] + i, name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert "C: vectors along j, of which parts of 24 read the same" in reasons
    a, b = (np.random.default_rng(0).integers(0, 9, n).astype("f4") for n in (24, 96))
    teloom.build(s, [A, B, C])(a, b, found := np.empty((5, 192), "f4"))
    expected = np.tile(a, 8) + np.tile(b, 2) * np.tile(a[:4], 48) + np.arange(5)[:, None]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("rows", "columns"), [(9, 50), (1, 8), (5, 3)])
@pytest.mark.parametrize(("down", "across"), [(2, 17), (0, 1), (4, -3)])
def test_what_wraps_around_is_read_in_vectors(rows, columns, down, across):
    A = te.placeholder((rows, columns), name="A")
    shape = (rows, columns + 2)

    def at(i, j):
        return A[(i + down) % rows, (j + across + 5 * columns) % columns]

    B = te.compute(shape, at, name="B")
    s = te.create_schedule(B)
    te.auto_schedule(s, V3, num_threads=1)
    a = np.random.default_rng(0).random((rows, columns), "float32")
    teloom.build(s, [A, B])(a, b := np.empty(shape, "f4"))
    expected = np.roll(a, (-down, -across), (0, 1))
    np.testing.assert_array_equal(b, np.take(expected, range(columns + 2), 1, mode="wrap"))
