"""Numbers of programs whose tiles are not whole, by every way to run the last one."""

from itertools import product

import numpy as np
import pytest
from budget import chosen, pairs

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

SIZES = (0, 1, 7, 8, 9, 16, 37)
KNOWN = chosen(SIZES[1:], (1, 8, 37))
TAILS = ("auto", "guard", "cut", "predicate", "round_up", "shift_inwards")


def build_sum_of_neighbours(n, tail: str, kind: str | None):
    """b[i] = a[i] + a[i + 1], in tiles of 8."""
    A = te.placeholder((n + 1,), "int32", name="A")
    B = te.compute((n,), lambda i: A[i] + A[i + 1], name="B")
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.axis[0], factor=8, tail=tail)
    if kind is not None:
        getattr(s[B], kind)(inner)
    return teloom.build(s, [A, B])


def check_sum_of_neighbours(run, n: int):
    a = np.arange(n + 1, dtype="int32") ** 2
    b = np.full(n, -1, "int32")
    run(a, b)
    np.testing.assert_array_equal(b, a[:-1] + a[1:])


@pytest.mark.parametrize("tail", TAILS)
def test_every_tail_of_symbolic_sizes(tail: str):
    for kind in ("vectorize", None):
        run = build_sum_of_neighbours(te.var("n"), tail, kind)
        for n in SIZES:
            check_sum_of_neighbours(run, n)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("n", [5, 8, 37])
def test_every_tail_of_known_sizes(tail: str, n: int):
    check_sum_of_neighbours(build_sum_of_neighbours(n, tail, "vectorize"), n)


def build_in_groups(n, is_in_blocks: bool):
    """b[i] = a[i] ** 2 + 1, in tiles of 8; the squares of three tiles are computed first."""
    A = te.placeholder((n,), "int32", name="A")
    squares = te.compute((n,), lambda i: A[i] * A[i], name="squares")
    B = te.compute((n,), lambda i: squares[i] + 1, name="B")
    s = te.create_schedule(B)
    tiles, inner = s[B].split(B.op.axis[0], factor=8, tail="round_up")
    group, _ = s[B].split(tiles, factor=3)
    s[B].vectorize(inner)
    s[squares].compute_at(s[B], group)
    if is_in_blocks:
        *_, inner = s[squares].transform_layout(lambda i: [i // 4, i % 4])
    else:
        _, inner = s[squares].split(squares.op.axis[0], factor=4)
    s[squares].vectorize(inner)
    return teloom.build(s, [A, B])


@pytest.mark.parametrize("is_in_blocks", [False, True])
def test_what_is_computed_for_groups_of_rounded_tiles(is_in_blocks: bool):
    for_all = build_in_groups(te.var("n"), is_in_blocks)
    for n in SIZES:
        for run in (for_all, build_in_groups(n, is_in_blocks)) if n in KNOWN else (for_all,):
            a = np.arange(n, dtype="int32")
            run(a, b := np.full(n, -1, "int32"))
            np.testing.assert_array_equal(b, a**2 + 1)


def matmul(m, n, k, tail: str):
    """A product in tiles of 4 x 16, whose sums are in a cache of their own."""
    A = te.placeholder((m, k), name="A")
    B = te.placeholder((k, n), name="B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C)
    sums = s.cache_write(C, "local")
    _, j_outer, i_inner, j_inner = s[C].tile(*C.op.axis, 4, 16, tail=tail)
    s[C].unroll(i_inner)
    s[C].vectorize(j_inner)
    s[sums].compute_at(s[C], j_outer)
    i, j = sums.op.axis
    s[sums].reorder(sums.op.reduce_axis[0], i, j)
    s[sums].unroll(i)
    s[sums].vectorize(j)
    return teloom.build(s, [A, B, C])


@pytest.mark.parametrize("tail", TAILS[:-1])
def test_a_product_of_symbolic_sizes(tail: str):
    run = matmul(te.var("m"), te.var("n"), te.var("k"), tail)
    rng = np.random.default_rng(0)
    for m, n, k in ((1, 1, 1), (4, 16, 3), (5, 17, 2), (9, 31, 5), (0, 3, 2), (3, 33, 0)):
        a, b = rng.random((m, k), "float32"), rng.random((k, n), "float32")
        c = np.full((m, n), np.nan, "float32")
        run(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)  # sums of five float32


def test_a_shift_of_a_product_of_symbolic_sizes_is_not_proved():
    n, m = te.var("n"), te.var("m")
    B = te.compute((n, m), lambda i, j: i + j, name="B")
    s = te.create_schedule(B)
    s[B].split(s[B].fuse(*B.op.axis), 8, tail="shift_inwards")
    words = "it is not proved that no element of B is written, and is not asked for, as an extent"
    with pytest.raises(teloom.Error, match=words):
        teloom.lower(s, [B])


@pytest.mark.parametrize("is_of_rows", [False, True])
def test_a_shift_in_each_branch_of_a_specialization(is_of_rows: bool):
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B)
    s[B].specialize((n if is_of_rows else m) % 4 == 0)
    s[B].split(B.op.axis[1], 4, tail="shift_inwards")
    run = teloom.build(s, [A, B])
    for sizes in product((0, 1, 4, 7), (0, 3, 4, 5, 8, 9)):
        a = np.random.default_rng(0).random(sizes, "float32")
        b = np.full_like(a, np.nan)
        run(a, b)
        np.testing.assert_array_equal(b, a + 1)


@pytest.mark.parametrize(
    ("across", "along"),
    chosen(
        list(product(TAILS, TAILS)),
        [
            ("auto", "shift_inwards"),
            ("guard", "predicate"),
            ("cut", "shift_inwards"),
            *product(("predicate", "shift_inwards"), ("predicate", "shift_inwards")),
        ],
    ),
)
def test_tails_of_two_axes_touch_nothing_outside(across: str, along: str):
    if "round_up" in (across, along):
        pytest.skip("the result is an argument, which has no room for more")
    rows, columns = te.var("rows"), te.var("columns")
    A = te.placeholder((rows, columns), "int32", name="A")
    B = te.compute((rows, columns), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B)
    i, j = B.op.axis
    i_outer, i_inner = s[B].split(i, factor=2, tail=across)
    j_outer, j_inner = s[B].split(j, factor=4, tail=along)
    s[B].reorder(i_outer, j_outer, i_inner, j_inner)
    run = teloom.build(s, [A, B])
    for m, n in ((1, 5), (2, 4), (3, 3), (5, 9)):
        around = np.full(m * n + 64, -1, "int32")
        b = around[32:-32].reshape(m, n)
        run(np.arange(m * n, dtype="int32").reshape(m, n), b)
        np.testing.assert_array_equal(b.ravel(), 1 + np.arange(m * n))
        assert {*around[:32], *around[-32:]} == {-1}


def padded(n, is_parallel: bool):
    """a[i - 1] + a[i + 1] where both are there, in tiles of 8 of which the last begins earlier."""
    A = te.placeholder((n,), "int32", name="A")

    def sums(i):
        return te.if_then_else(te.all(i >= 1, i < n - 1), A[i - 1] + A[i + 1], A[i])

    B = te.compute((n,), sums, name="B")
    s = te.create_schedule(B)
    outer, inner = s[B].split(B.op.axis[0], factor=8, tail="shift_inwards")
    s[B].vectorize(inner)
    if is_parallel:
        s[B].parallel(outer)
    return s, [A, B]


@pytest.mark.parametrize("is_parallel", [False, True])
def test_the_last_tile_of_several_that_ask_is_shifted(is_parallel: bool):
    """The first tile asks for the left border: it is apart, and has no tile before it."""
    run = teloom.build(*padded(te.var("n"), is_parallel))
    for n in SIZES:
        a = np.arange(n, dtype="int32") ** 2
        expected = a.copy()
        expected[1:-1] = a[:-2] + a[2:]
        for f in (run, *([teloom.build(*padded(n, is_parallel))] if n in KNOWN else [])):
            f(a, b := np.full(n, -1, "int32"))
            np.testing.assert_array_equal(b, expected)
    if not is_parallel:
        assert "min(8, " not in str(teloom.lower(*padded(37, is_parallel), level="loop"))


def tiles_of_tiles(n, first: int, second: int):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.axis[0], factor=first)
    s[B].split(inner, factor=second, tail="shift_inwards")
    return s, [A, B]


def test_tiles_of_tiles_are_shifted_only_if_the_last_one_is_apart():
    run = teloom.build(*tiles_of_tiles(te.var("n"), 32, 8))
    for n in (0, 5, 8, 33, 100):
        a = np.arange(n, dtype="float32")
        run(a, b := np.zeros(n, "float32"))
        np.testing.assert_array_equal(b, a + 1)
    for n, first, words in (
        (
            100,
            32,
            "where a tile of it ends early depends on axis i.outer as well, so the loop over "
            "i.inner.outer is not divided into whole tiles and a last one",
        ),
        (
            100,
            12,
            "its tiles end at the first of 2 ends, as those of a split of tiles whose length the "
            "factor does not divide",
        ),
    ):
        with pytest.raises(teloom.ScheduleError) as refusal:
            teloom.build(*tiles_of_tiles(n, first, 8))
        said = f'cannot shift axis i.inner.inner inwards: {words}; use tail "predicate", "guard" '
        assert str(refusal.value).endswith(f'{said}or "cut"')


def test_a_tile_that_is_no_last_one_is_not_shifted():
    A = te.placeholder((7, 9, 10), name="A")
    k, m = te.reduce_axis((0, 9), "k"), te.reduce_axis((0, 10), "m")
    C = te.compute((7,), lambda i: te.prod(A[i, k, m], axis=[k, m]), name="C")
    s = te.create_schedule(C)
    *_, inner = s[C].tile(C.op.axis[0], k, 2, 2)
    s[C].split(inner, 2, tail="shift_inwards")
    words = "it ends early where axis k.outer says so, whichever of its tiles it is"
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.build(s, [A, C])


def test_a_tile_of_parts_of_a_symbolic_length_is_not_shifted():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    C = te.compute((n,), lambda i: A[i] * 2, name="C")
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], 2, tail="shift_inwards")
    s[C].split(outer, nparts=2)
    words = r"i\.inner inwards: it ends at min\(2, n\), whichever of its tiles it is; use tail"
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.build(s, [A, C])


@pytest.mark.parametrize("tail", ["shift_inwards", "round_up"])
def test_the_last_tile_begins_earlier_with_what_is_computed_for_it(tail: str):
    for m, n, k in ((4, 16, 3), (5, 17, 2), (12, 33, 1), (13, 16, 0)):
        run = matmul(m, n, k, tail)
        rng = np.random.default_rng(0)
        a, b = rng.random((m, k), "float32"), rng.random((k, n), "float32")
        run(a, b, c := np.full((m, n), np.nan, "float32"))
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)  # sums of five float32


def test_a_tile_with_a_buffer_is_not_shifted_where_there_may_be_none_before_it():
    with pytest.raises(teloom.ScheduleError, match=r"C.local\[\d, \d+\] is there for one tile"):
        matmul(te.var("m"), 31, 5, "shift_inwards")


def in_parallel(n, tail: str, stencil):
    """Twice what `stencil` makes of a[0] to a[n], in tiles of 8 that compute what they read."""
    A = te.placeholder((n + 1,), "int32", name="A")
    B = te.compute((n + 1,), lambda i: A[i] + 1, name="B")
    C = te.compute((n,), lambda i: 2 * stencil(B, i), name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], factor=8, tail=tail)
    s[C].parallel(outer)
    s[C].vectorize(inner)
    s[B].compute_at(s[C], outer)
    return s, [A, C]


STENCILS = {
    "neighbours": lambda b, i: b[i] + b[i + 1],
    "turned": lambda b, i: b[b.shape[0] - 1 - i],
    "weighted": lambda b, i: b[i] * (i // 3) + te.if_then_else(i % 4 < 2, 1, i),
}

UNEVEN = {
    "one of two": lambda b, i: te.if_then_else(i % 4 < 2, b[i], b[i + 1] * (i // 3)),
    "border": lambda b, i: te.if_then_else(i < 3, b[i + 1], b[i - 1] * i),
    "pairs": lambda b, i: b[i // 2] - b[i],
    "remainders": lambda b, i: b[i % 4] + b[i % 3],
    "places": lambda b, i: b[i % 8],
}
"""What these read does not move as the tile does."""


@pytest.mark.parametrize("name", UNEVEN)
def test_tiles_that_begin_elsewhere_for_what_they_read_stay(name: str):
    s, args = in_parallel(9, "round_up", UNEVEN[name])
    a = np.arange(10, dtype="int32") ** 2
    teloom.build(s, args)(a, c := np.zeros(9, "int32"))
    assert "begins earlier" not in str(te.explain(s))
    (expected,) = interpret(s.module, "main", [a])
    np.testing.assert_array_equal(c, expected)


def test_a_region_that_is_a_place_in_its_tile_does_not_move():
    """The copy of A begins at i % 4: the place in the tile, wherever tiles usually begin."""
    A = te.placeholder((9, 75), "int32", name="A")
    k = te.reduce_axis((0, 5), "k")
    B = te.compute((7, 36), lambda i, j: te.sum(A[i % 4 + k, j * 2], axis=k), name="B")
    s = te.create_schedule(B)
    sums = s.cache_write(B, "global")
    i_outer, i_inner = s[B].split(B.op.axis[0], factor=4, tail="round_up")
    j_outer, j_inner = s[B].split(B.op.axis[1], factor=8, tail="round_up")
    s[B].reorder(i_outer, i_inner, j_outer, j_inner)
    s[sums].compute_at(s[B], j_outer)
    s[s.cache_read(A, "global", [sums])].compute_at(s[B], j_outer)
    a = np.arange(9 * 75, dtype="int32").reshape(9, 75)
    teloom.build(s, [A, B])(a, b := np.zeros((7, 36), "int32"))
    rows = [a[i % 4 : i % 4 + 5, : 2 * 36 : 2].sum(axis=0) for i in range(7)]
    np.testing.assert_array_equal(b, rows)


BOUNDS = {
    "a block": (lambda i: (i // 4 * 4, i // 4 * 4 + 4), lambda i, k: True),
    "a place in a block": (lambda i: (0, i % 4 + 1), lambda i, k: True),
    "to the end of a block": (lambda i: (0, i // 4 * 4 + 4), lambda i, k: True),
    "quotients": (lambda i: (0, 4), lambda i, k: k <= i // 4),
    "a triangle": (lambda i: (0, 3), lambda i, k: k <= i - 1),
    "a prefix": (lambda i: (0, i + 1), lambda i, k: True),
    "a window": (lambda i: (i, i + 3), lambda i, k: True),
}


@pytest.mark.parametrize("tail", ["shift_inwards", "round_up"])
@pytest.mark.parametrize("name", BOUNDS)
def test_terms_that_depend_on_where_tiles_usually_begin(name: str, tail: str):
    """Of tiles that begin elsewhere, regions may be larger, and terms others than in usual ones."""
    bounds, holds = BOUNDS[name]

    def program(tail: str):
        A = te.placeholder((60,), "int32", name="A")
        P = te.compute((60,), lambda i: A[i] + 1, name="P")

        def terms(i):
            k = te.reduce_axis(bounds(i), "k")
            where = holds(i, k)
            return te.sum(P[2 * i + 2 * k + 2], axis=k, where=None if where is True else where)

        B = te.compute((9,), terms, name="B")
        C = te.compute((7,), lambda i: B[i] * 2, name="C")
        s = te.create_schedule(C)
        outer, _ = s[C].split(C.op.axis[0], factor=4, tail=tail)
        s[B].compute_at(s[C], outer)
        s[P].compute_at(s[C], outer)
        return s, [A, C]

    try:
        run = teloom.build(*program(tail))
    except teloom.ScheduleError:
        assert tail == "shift_inwards"
        return
    a = (np.arange(60, dtype="int32") + 1) ** 2
    run(a, c := np.full(7, -1, "int32"))
    terms = [[a[2 * i + 2 * k + 2] + 1 for k in range(*bounds(i)) if holds(i, k)] for i in range(7)]
    np.testing.assert_array_equal(c, [2 * sum(one) for one in terms])


@pytest.mark.parametrize("name", STENCILS)
def test_tiles_that_begin_earlier_on_threads_compute_the_same(name: str):
    for n in (8, 9, 21):
        a = np.arange(n + 1, dtype="int32") ** 2
        for tail in ("shift_inwards", "round_up"):
            s, args = in_parallel(n, tail, STENCILS[name])
            (expected,) = interpret(s.module, "main", [a])
            teloom.build(s, args)(a, c := np.zeros(n, "int32"))
            np.testing.assert_array_equal(c, expected)
            assert ("begins earlier" in str(te.explain(s))) == (n % 8 != 0), (n, tail)


def test_the_single_last_tile_of_a_symbolic_size_is_shifted_if_there_is_one_before():
    m = te.size_var("m")
    A = te.placeholder((m * 8 + 5,), name="A")
    B = te.compute(A.shape, lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    s[B].split(B.op.axis[0], factor=8, tail="shift_inwards")
    run = teloom.build(s, [A, B])
    for n in (5, 13, 21):
        a = np.arange(n, dtype="float32")
        run(a, b := np.zeros(n, "float32"))
        np.testing.assert_array_equal(b, a * 2)


def test_where_a_specialization_leaves_no_tile_before_the_last_one_it_stays():
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute(A.shape, lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B)
    s[B].split(B.op.axis[0], factor=8, tail="shift_inwards")
    s[B].specialize(n >= 8)
    run = teloom.build(s, [A, B])
    for size in (1, 7, 8, 9, 16, 21):
        a = np.arange(size, dtype="float32")
        run(a, b := np.zeros(size, "float32"))
        np.testing.assert_array_equal(b, a * 2)


def sums_of_rows(m: object, n: object) -> tuple[te.Schedule, list[te.Tensor]]:
    """Sums of the neighbours of each element in its row, kept for 8 of them at a time."""
    A = te.placeholder((m, n + 2), "int32", name="A")
    k = te.reduce_axis((0, 3), "k")
    B = te.compute((m, n), lambda i, j: te.sum(A[i, j + k], axis=k), name="B")
    s = te.create_schedule(B)
    sums = s.cache_write(B, "global")
    i, j = s[B].op.axis
    outer, inner = s[B].split(j, factor=8)
    s[B].vectorize(inner)
    s[sums].compute_at(s[B], outer)
    i, j = s[sums].op.axis
    (k,) = s[sums].op.reduce_axis
    s[sums].reorder(i, k, j)
    s[sums].vectorize(j)
    return s, [A, B]


def neighbours(a: np.ndarray) -> np.ndarray:
    return a[:, :-2] + a[:, 1:-1] + a[:, 2:]


def test_tiles_of_vectors_begin_earlier_by_themselves():
    s, args = sums_of_rows(5, 23)
    assert "begins earlier" in str(te.explain(s))
    a = np.arange(5 * 25, dtype="int32").reshape(5, 25) ** 2
    teloom.build(s, args)(a, b := np.zeros((5, 23), "int32"))
    np.testing.assert_array_equal(b, neighbours(a))


def test_where_only_the_call_knows_sizes_there_need_not_be_an_earlier_tile():
    s, args = sums_of_rows(te.size_var("m"), te.size_var("n"))
    assert "begins earlier" in str(te.explain(s))
    run = teloom.build(s, args)
    for m in (0, 1, 3):
        for n in (0, 1, 5, 7, 8, 9, 15, 16, 17, 31):
            a = np.arange(m * (n + 2), dtype="int32").reshape(m, n + 2) ** 2
            run(a, b := np.zeros((m, n), "int32"))
            np.testing.assert_array_equal(b, neighbours(a))


def test_no_element_of_a_reduction_is_added_that_is_not_there():
    A = te.placeholder((13,), name="A")
    r = te.reduce_axis((0, 13), "r")
    S = te.compute((1,), lambda i: te.sum(A[r] + 1, axis=r), name="S")
    s = te.create_schedule(S)
    s[S].split(r, factor=4, tail="round_up")
    teloom.build(s, [A, S])(np.zeros(13, "float32"), result := np.zeros(1, "float32"))
    assert result[0] == 13


@pytest.mark.parametrize("rounded", [0, 1])
def test_what_an_extern_reads_stays_as_long_as_it_is(rounded: int):
    shape = (5, 7)
    A = te.placeholder(shape, name="A")
    T = te.compute(shape, lambda i, j: A[i, j] + 1, name="T")

    def double(read: np.ndarray, written: np.ndarray):
        assert (read.shape, read.strides) == (shape, (28, 4))
        written[...] = read * 2

    B = te.extern(
        shape, [T], lambda ins, outs: te.call_packed(double, ins[0], outs[0]), dtype="float32"
    )
    s = te.create_schedule(B.op)
    s[T].split(T.op.axis[rounded], factor=4, tail="round_up")
    a = np.arange(35, dtype="float32").reshape(shape)
    teloom.build(s, [A, B])(a, b := np.zeros_like(a))
    np.testing.assert_array_equal(b, (a + 1) * 2)


@pytest.mark.parametrize("tail", ["predicate", "round_up"])
def test_a_masked_tile_of_a_reduction_says_why_it_has_no_lanes(tail: str):
    A, r = te.placeholder((13,), name="A"), te.reduce_axis((0, 13), "r")
    S = te.compute((1,), lambda i: te.sum(A[r], axis=r), name="S")
    s = te.create_schedule(S)
    s[S].vectorize(s[S].split(r, factor=8, tail=tail)[1])
    words = "axis r.inner is not vectorized: its iterations fold under conditions of their own"
    with pytest.warns(teloom.Remark, match=words):
        run = teloom.build(s, [A, S])
    run(np.ones(13, "float32"), result := np.zeros(1, "float32"))
    assert result[0] == 13


def test_an_unknown_tail_says_which_there_are():
    with pytest.raises(teloom.ScheduleError, match=r"no tail 'gard'; did you mean 'guard'\?"):
        build_sum_of_neighbours(8, "gard", None)


def test_never_and_always_partition():
    def text(command: str | None) -> str:
        A = te.placeholder((37,), name="A")
        B = te.compute((37,), lambda i: A[i] * 2, name="B")
        s = te.create_schedule(B)
        outer, inner = s[B].split(B.op.axis[0], factor=8)
        if command is not None:
            getattr(s[B], command)(outer)
        else:
            s[B].partition(outer, "always")
        if command == "never_partition":
            s[B].vectorize(inner)
        return str(teloom.lower(s, [A, B], level="loop"))

    assert "0 to min(8, " in text("never_partition")
    assert "0 to min(8, " not in text("always_partition")
    assert text(None) == text("always_partition")


def test_a_rounded_tile_reads_nothing_of_its_own_buffers_that_it_has_left_out():
    n, k = te.size_var("n"), te.reduce_axis((0, 5), "k")
    A = te.placeholder((n, 5), name="A")

    def largest(x, y):
        first = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))
        return te.select(first, x[0], y[0]), te.select(first, x[1], y[1])

    argmax = te.comm_reducer(largest, lambda t, u: (te.max_value(t), te.min_value(u)))
    at, most = te.compute((n,), lambda i: argmax((k.astype("int32"), A[i, k]), axis=k), name="most")
    C = te.compute((n,), lambda i: most[i] * 2, name="C")
    s = te.create_schedule(C)
    s[at].split(at.op.axis[0], factor=8, tail="round_up")
    s[at].parallel(k, "dynamic")
    a = np.random.default_rng(0).random((11, 5), "float32")
    teloom.build(s, [A, C])(a, c := np.empty(11, "float32"))
    np.testing.assert_array_equal(c, a.max(1) * 2)


def remainders(at_tile: bool) -> tuple[te.Schedule, list[te.Tensor]]:
    A = te.placeholder((7,), "int64", name="A")
    B = te.compute((7,), lambda i: A[i] * 2, name="B", domain=lambda i: i % 3 == 1)
    C = te.compute((7,), lambda i: te.if_then_else(i % 3 == 1, B[i], 0), name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], factor=3, tail="shift_inwards")
    s[C].vectorize(inner)
    if at_tile:
        s[B].compute_at(s[C], outer)
    return s, [A, C]


def test_a_condition_in_a_tile_that_begins_earlier_is_asked_at_remainders_as_well():
    teloom.build(*remainders(at_tile=False))(np.arange(7), c := np.empty(7, "int64"))
    np.testing.assert_array_equal(c, [0, 2, 0, 0, 8, 0, 0])
    with pytest.raises(teloom.ScheduleError, match=r"B\[4\] is there for one tile, and the tile"):
        teloom.build(*remainders(at_tile=True))


def test_a_rounded_tile_does_not_read_what_the_same_point_of_an_update_writes_behind_it():
    n, k = te.size_var("n") + 1, te.reduce_axis((0, 5), "k")
    A = te.placeholder((6, n), name="A")
    S = te.compute((6, n), lambda i, j: A[i, j] + 1, name="S")
    U = te.update(S, [k], lambda h, k: ((k + 1, 0), h[k + 1, 0] + h[k, 0]), name="U")
    B = te.compute((6, n), lambda i, j: U[i, j] * 2, name="B")
    C = te.compute((6, n), lambda i, j: B[i, j] * 2, name="C")
    s = te.create_schedule(C)
    s[U].compute_at(s[B], s[B].split(B.op.axis[0], factor=4, tail="round_up")[1])
    _, column, _ = s[U].transform_layout(lambda i, j: [i // 4, j, i % 4])
    s[U].split(column, nparts=4)
    a = np.random.default_rng(0).random((6, 7), "float32")
    teloom.build(s, [A, C])(a, c := np.empty((6, 7), "float32"))
    expected = a + 1
    expected[:, 0] = np.cumsum(expected[:, 0])
    np.testing.assert_allclose(c, expected * 4, rtol=1e-6)


def test_a_rounded_tile_does_not_look_for_the_last_iteration_in_a_buffer_of_its_own():
    m = te.size_var("m")
    A = te.placeholder((m, m), name="A")
    B = te.compute((m, m), lambda i, j: A[i, j] * 2, name="B")
    C = te.compute((m, m), lambda i, j: B[i, j] - B[j, i], name="C")
    s = te.create_schedule(C)
    outer, column = s[C].split(C.op.axis[1], factor=3, tail="round_up")
    s[C].reorder(outer, column, C.op.axis[0])
    s[B].compute_at(s[C], column)
    a = np.random.default_rng(0).random((7, 7), "float32")
    teloom.build(s, [A, C])(a, c := np.empty_like(a))
    np.testing.assert_array_equal(c, 2 * a - 2 * a.T)


@pytest.mark.parametrize("tail", ["predicate", "round_up"])
def test_lanes_of_a_triangle_fold_into_no_element_that_is_not_there(tail: str):
    """Of the elements behind the end no reduction is done; nor may a fold of lanes read them."""
    A = te.placeholder((13,), "float32", name="A")
    B = te.compute((13,), lambda i: te.sum(A[r := te.reduce_axis((i, 13), "r")], axis=r), name="B")
    s = te.create_schedule(B)
    s[B].split(B.op.axis[0], factor=4, tail=tail)
    s[B].vectorize(B.op.reduce_axis[0])
    a, b = np.arange(13, dtype="float32"), np.zeros(13, "float32")
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b, a[::-1].cumsum()[::-1])


@pytest.mark.parametrize("tail", TAILS[:-1])
def test_rows_of_a_triangle_that_are_not_there_are_not_read(tail: str):
    A = te.placeholder((5,), "int32", name="A")
    C = te.compute((5,), lambda i: te.sum(A[k := te.reduce_axis((0, i + 1), "k")], k), name="C")
    s = te.create_schedule(C)
    s[C].split(C.op.axis[0], factor=2, tail=tail)
    a, c = np.arange(1, 6, dtype="int32"), np.zeros(5, "int32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a.cumsum())


def test_longer_lanes_read_nothing_of_a_fold_that_is_not_there():
    A, at = te.placeholder((5, 13), "int32", name="A"), te.placeholder((5,), "int32", name="at")
    B = te.compute((5, 13), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((5, 13), lambda i, j: B[at[i], j], name="C")
    s = te.create_schedule(C)
    copy = s.cache_read(B, "local", [C])
    s[copy].compute_at(s[C], s[C].split(C.op.axis[1], factor=2)[0])
    _, row = s[copy].split(copy.op.axis[0], factor=4)
    s[copy].vectorize(copy.op.axis[1])
    s[B].compute_at(s[copy], row)
    s[B].rolling_buffer()
    a, rows = np.arange(65, dtype="int32").reshape(5, 13), np.array([4, 0, 3, 1, 1], "int32")
    teloom.build(s, [A, at, C], sanitize="memory")(a, rows, c := np.empty((5, 13), "int32"))
    np.testing.assert_array_equal(c, a[rows] + 1)


def test_quotients_of_lanes_that_are_not_there_are_what_they_would_be():
    """Of the loop as it is, the quotient is constant; one iteration more reads the next row."""
    A, at = te.placeholder((2, 3), "int32", name="A"), te.placeholder((2,), "int32", name="at")
    i, j = te.reduce_axis((0, 2), "i"), te.reduce_axis((0, 3), "j")
    S = te.update(A, [i, j], lambda h, i, j: ((at[i], j), h[at[i], j] + 10 * i + j), name="S")
    s = te.create_schedule(S)
    s[S].split(s[S].fuse(i, j), factor=4, tail="predicate")
    a = np.arange(6, dtype="int32").reshape(2, 3)
    teloom.build(s, [A, at, S], sanitize="memory")(a, np.array([1, 1], "int32"), b := a.copy())
    np.testing.assert_array_equal(b, a + [[0], [1]] * np.array([10, 12, 14]))


def test_what_a_condition_lets_only_lanes_read_that_are_not_there_is_not_read():
    A = te.placeholder((2, 5), "float32", name="A")
    some = lambda i, j: (i + j) % 2 == 0  # noqa: E731
    B = te.compute((2, 5), lambda i, j: A[i, j] * 2, name="B", domain=some)
    whole = te.compute((2, 5), lambda i, j: te.if_then_else(some(i, j), B[i, j], 0.0), name="W")
    k = te.reduce_axis((0, 5), "k")
    C = te.compute((2,), lambda i: te.sum(whole[i, k], k), name="C")
    s = te.create_schedule(C)
    s[whole].compute_at(s[C], s[C].split(k, factor=2, tail="predicate")[1])
    s[B].compute_at(s[whole], whole.op.axis[1])
    a, c = np.arange(10, dtype="float32").reshape(2, 5), np.empty(2, "float32")
    teloom.build(s, [A, C], sanitize="memory")(a, c)
    np.testing.assert_array_equal(c, [2 * (0 + 2 + 4), 2 * (6 + 8)])


def test_a_shift_that_takes_too_long_to_prove():
    n = te.size_var("n")
    A = te.placeholder((n, n), "uint8", name="A")
    k = te.reduce_axis((0, n), "k")
    B = te.compute((n,), lambda i: te.max(A[i, k], axis=k), name="B")
    C, D = te.compute((n,), lambda i: (B[i] * 2, B[i] + 1), name="C")
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], factor=16)
    outer, _, inner, _ = s[C].tile(outer, inner, 5, 2)
    s[C].split(s[C].skew(outer, inner, 1), factor=8, tail="shift_inwards")
    with pytest.raises(teloom.ScheduleError, match=r"cannot shift axis .* inwards: it takes too"):
        teloom.lower(s, [A, C, D])


def test_a_region_whose_sides_take_too_long_to_prove():
    m = te.size_var("m")
    A = te.placeholder((m,), "int32", name="A")
    B = te.compute((m - 2,), lambda i: A[i + 2] + A[i + 1], name="B")
    s = te.create_schedule(B)
    outer, inner = s[B].split(B.op.axis[0], factor=16)
    moved = s[B].skew(inner, outer, 3)
    s[B].skew(outer, moved, 3)
    tiles, lanes = s[B].split(moved, factor=16, tail="round_up")
    s[B].vectorize(lanes)
    copy = s.cache_read(A, "shared", [B])
    s[copy].compute_at(s[B], tiles)
    s[copy].ring_buffer(3)
    run = teloom.build(s, [A, B])
    for n in (7, 40):
        a = np.arange(n, dtype="int32") ** 2
        run(a, b := np.zeros(n - 2, "int32"))
        np.testing.assert_array_equal(b, a[2:] + a[1:-1])


@pytest.mark.parametrize(
    ("tail", "kinds", "n", "reach"),
    [
        (tail, kinds, *size)
        for tail, kinds, size in pairs(
            TAILS[:-1], ("vu", "v", "u", ""), ((13, 0), (16, 3), (2, 0), (te.var("n"), 1))
        )
    ],
)
def test_tiles_of_an_upper_triangle(tail: str, kinds: str, n, reach: int):
    """They begin late: at the diagonal."""
    A = te.placeholder((n, n), "int32", name="A")
    B = te.compute((n, n), lambda i, j: 2 * A[i, j], name="B", domain=lambda i, j: j >= i + reach)
    s = te.create_schedule(B)
    _, _, row, column = s[B].tile(*B.op.axis, 4, 8, tail=tail)
    if "v" in kinds:
        s[B].vectorize(column)
    if "u" in kinds:
        s[B].unroll(row)
    run = teloom.build(s, [A, B], auto=False)
    for size in (n,) if isinstance(n, int) else (13, 8, 1):
        a = np.arange(size * size, dtype="int32").reshape(size, size) + 1
        run(a, b := np.full_like(a, -1))
        expected = np.where(np.triu(np.ones_like(a), reach), 2 * a, -1)
        np.testing.assert_array_equal(b, expected)


@pytest.mark.parametrize("tail", ["predicate", "round_up"])
def test_rounded_sums_of_an_upper_triangle_stay_in_their_tile(tail: str):
    """All loops over terms are constant; outer tiles below the diagonal do not run."""
    n = 40
    A, r = te.placeholder((n, n), "float64", name="A"), te.reduce_axis((0, n), "r")
    C = te.compute(
        (n, n),
        lambda i, j: te.sum(A[r, i] * A[r, j], axis=r),
        name="C",
        domain=lambda i, j: j >= i,
    )
    s = te.create_schedule(C)
    sums = s.cache_write(C, "local")
    rows, _, row, column = s[C].tile(*C.op.axis, 4, 16, tail=tail)
    s[C].reorder(s[C].leaf_iter_vars[1], rows, row, column)
    s[C].vectorize(column)
    s[sums].compute_at(s[C], rows)
    i, j = sums.op.axis
    s[sums].reorder(sums.op.reduce_axis[0], i, j)
    s[sums].unroll(i)
    s[sums].vectorize(j)
    run = teloom.build(s, [A, C])
    a = np.random.default_rng(0).random((n, n))
    run(a, c := np.zeros((n, n)))
    np.testing.assert_allclose(c, np.triu(a.T @ a))
    if tail == "round_up":
        text = str(teloom.lower(s, [A, C], level="loop"))
        assert "to min(10, %j.outer * 4 + 4) {" in text
        assert "to %j.outer * 16 + 16 vectorized" in text


@pytest.mark.parametrize("is_vectorized", [False, True])
@pytest.mark.parametrize("place", [lambda p, q: p * 12 + q, lambda p, q: p + q])
def test_parts_of_an_axis_that_something_else_tells_apart(place, is_vectorized):
    """The first tile of the last part must not begin in the part before, which has another C."""
    A, C = te.placeholder((24,), name="A"), te.placeholder((2,), name="C")
    T = te.compute((24,), lambda i: A[i] * 2, name="T")
    B = te.compute(
        (2, 12),
        lambda p, q: T[place(p, q)] * C[p],
        name="B",
        domain=lambda p, q: place(p, q) < 13,
    )
    s = te.create_schedule(B)
    outer, inner = s[B].split(B.op.axis[1], factor=4, tail="round_up")
    s[T].compute_at(s[B], outer)
    if is_vectorized:
        s[B].vectorize(inner)
    a, c = np.arange(24, dtype="float32"), np.array([1, 100], "float32")
    teloom.build(s, [A, C, B])(a, c, found := np.full((2, 12), -7, "float32"))
    p, q = np.indices(found.shape)
    at = place(p, q)
    np.testing.assert_array_equal(found, np.where(at < 13, 2 * a[at] * c[p], -7))
