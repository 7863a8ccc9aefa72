"""Schedules by rules of what depends on its own elements: scans, and updates."""

from dataclasses import replace

import numpy as np
import pytest

import teloom
from teloom import te, topi
from teloom.frontend.schedule import applied

V3 = teloom.target("x86-64-v3")
TINY = replace(V3, caches=(256, 2048, 8192))


def heat(steps, n, m, is_kept=False):
    A = te.placeholder((n, m), name="A")
    S = te.placeholder((steps, n, m), name="S")
    first = te.compute((1, n, m), lambda t, i, j: A[i, j], name="first")

    def element(t, i, j):
        inside = te.all(i > 0, i < n - 1, j > 0, j < m - 1)
        mean = (S[t - 1, i - 1, j] + S[t - 1, i + 1, j] + S[t - 1, i, j + 1]) * 0.25
        return te.if_then_else(inside, mean, S[t - 1, i, j])

    following = te.compute((steps, n, m), element, name="following")
    grid = te.scan(first, following, S, name="grid")
    last = te.compute((n, m), lambda i, j: grid[steps - 1, i, j] + 1.0, name="last")
    return (A, grid) if is_kept else (A, last)


def expected_heat(steps, a):
    for _ in range(steps - 1):
        inside = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, 2:]) * np.float32(0.25)
        a = a.copy()
        a[1:-1, 1:-1] = inside
    return a + 1


def reasons_of(output, target=V3):
    s = te.create_schedule(output)
    return te.auto_schedule(s, target), s


def test_only_the_last_times_of_a_scan_are_stored():
    _, last = heat(9, 6, 7)
    reasons, s = reasons_of(last)
    assert reasons[1:] == [
        "first: is inlined in grid",
        "following: is inlined in grid",
        "grid: only the times that are needed at once are stored",
        "grid: vectors along i2 in each step",
    ]
    (grid,) = [stage for stage in te.explain(s) if stage.name == "grid"]
    assert grid.stored == 2 * 6 * 7 * 4


def test_all_times_of_an_output_are_stored():
    _, grid = heat(9, 6, 7, is_kept=True)
    reasons, _ = reasons_of(grid)
    assert not any("stored" in reason for reason in reasons)


@pytest.mark.parametrize(("steps", "n", "m"), [(2, 60, 9), (40, 41, 17)])
def test_grids_that_no_cache_holds_are_tiled_along_time(steps, n, m):
    A, last = heat(steps, n, m)
    reasons, s = reasons_of(last, TINY)
    assert any("skewed by 1, stay in the caches" in reason for reason in reasons)
    (grid,) = [stage for stage in te.explain(s) if stage.name == "grid"]
    assert grid.stored == 2 * n * m * 4
    a = np.random.default_rng(0).random((n, m), dtype="float32")
    teloom.build(s, [A, last])(a, found := np.empty((n, m), "float32"))
    np.testing.assert_allclose(found, expected_heat(steps, a), rtol=1e-6)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1, r'cannot say which elements of "grid" .*: its loops need more than 1 times at once'),
        (2, None),
    ],
)
def test_folds_of_tiles_are_proved(factor, words):
    A, last = heat(12, 20, 8)
    s = te.create_schedule(last)
    grid = next(stage for stage in s.stages if stage.name == "grid")
    for one in ("first", "following"):
        next(stage for stage in s.stages if stage.name == one).compute_inline()
    time, row, column = grid.op.axis
    grid.fold_storage(time, factor)
    times, time = grid.split(time, factor=4)
    rows, row = grid.split(row, factor=32)
    grid.reorder(times, rows, time, row, column)
    if words is not None:
        with pytest.raises(teloom.ScheduleError, match=words):
            teloom.lower(s, [A, last])
        return
    a = np.random.default_rng(0).random((20, 8), dtype="float32")
    teloom.build(s, [A, last])(a, found := np.empty((20, 8), "float32"))
    np.testing.assert_allclose(found, expected_heat(12, a), rtol=1e-6)


@pytest.mark.parametrize(("columns", "threads"), [(19, 1), (20, 2), (19, 2)])
def test_steps_that_are_read_in_a_window_slide_with_the_results(columns, threads, monkeypatch):
    """The last column of a row is read later than the others, but computed with them."""
    monkeypatch.setattr("teloom.frontend.auto.rules.is_large", lambda work: True)
    A = te.placeholder((30, 20), name="A")
    S = te.placeholder((5, 30, 20), name="S")
    first = te.compute((1, 30, 20), lambda t, i, j: A[i, j], name="first")
    shape = (5, 30, 20)
    root = te.compute(shape, lambda t, i, j: te.sqrt(S[t - 1, i, j] + 1.0), name="root")

    def element(t, i, j):
        both = root[t, i, j] + root[t, i + 1, j]
        return te.if_then_else(te.all(i < 29, j < columns), both, root[t, i, j])

    following = te.compute(shape, element, name="following")
    G = te.scan(first, following, S, name="G")
    C = te.compute((30, 20), lambda i, j: G[4, i, j], name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, num_threads=threads)
    slides, around = ("i1", "idx") if threads == 1 else ("i1.inner", "i1.outer")
    assert f"root: its rows slide along {slides}: each is computed once in {around}" in reasons
    text = str(teloom.lower(s, [A, C], level="loop"))
    assert f"folded axis 0 factor {threads} " in text
    a = np.random.default_rng(0).random((30, 20), dtype="float32")
    teloom.build(s, [A, C])(a, found := np.empty((30, 20), "float32"))
    for _ in range(4):
        root = np.sqrt(a + 1)
        a = root + np.pad(root[1:, :columns], [(0, 1), (0, 20 - columns)])
    np.testing.assert_allclose(found, a, rtol=1e-5)


def test_reductions_of_steps_are_folded_by_lanes_or_kept_in_registers():
    n = te.var("n")
    L, b = te.placeholder((n, n), name="L"), te.placeholder((n,), name="b")
    S = te.placeholder((n,), name="S")
    first = te.compute((1,), lambda i: b[i], name="first")

    def known(i):
        k = te.reduce_axis((0, i), "k")
        return te.sum(L[i, k] * S[k], axis=k)

    before = te.compute((n,), known, name="before")
    x = te.scan(first, te.compute((n,), lambda i: b[i] - before[i], name="next"), S, name="x")
    reasons, s = reasons_of(x)
    assert reasons[-1] == "before: lanes fold k"
    solve = teloom.build(s, [L, b, x])
    for size in (1, 2, 19):
        low = np.tril(np.random.default_rng(0).random((size, size), dtype="float32"), -1)
        right = np.ones(size, "float32")
        solve(low, right, found := np.empty(size, "float32"))
        np.testing.assert_allclose(low @ found + found, right, rtol=1e-3, atol=1e-4)


def update(shape, axes, point, **options):
    A = te.placeholder(shape, name="A")
    return A, te.update(A, axes, point, name="U", **options)


def elimination(n):
    k = te.reduce_axis((0, n), "k")
    i, j = te.reduce_axis((k + 1, n), "i"), te.reduce_axis((k + 1, n), "j")
    return update(
        (n, n),
        (k, i, j),
        lambda e, k, i, j: ((i, j), e[i, j] - e[i, k] / e[k, k] * e[k, j]),
    )


def elimination_from_the_next_row(n):
    k = te.reduce_axis((0, n), "k")
    i, j = te.reduce_axis((k, n - 1), "i"), te.reduce_axis((k + 1, n), "j")
    return update(
        (n, n),
        (k, i, j),
        lambda e, k, i, j: ((i + 1, j), e[i + 1, j] - e[i + 1, k] / e[k, k] * e[k, j]),
    )


def relaxation(n):
    i, j = te.reduce_axis((1, n - 1), "i"), te.reduce_axis((1, n - 1), "j")
    return update(
        (n, n), (i, j), lambda g, i, j: ((i, j), (g[i - 1, j + 1] + g[i, j - 1] + g[i + 1, j]) / 3)
    )


def eliminated(a):
    for k in range(len(a)):
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k + 1 :])
    return a


def relaxed(a):
    for i in range(1, len(a) - 1):
        for j in range(1, len(a) - 1):
            a[i, j] = (a[i - 1, j + 1] + a[i, j - 1] + a[i + 1, j]) / 3
    return a


@pytest.mark.parametrize(
    ("program", "expected", "reason"),
    [
        (elimination, eliminated, "U: tiles of 2 x 40 elements stay in registers for 40 steps"),
        (elimination_from_the_next_row, eliminated, "U: 32 steps of 8 rows of i at a time"),
        (relaxation, relaxed, "U: 8 of i go on at once, each 2 behind the other"),
    ],
)
def test_updates_change_their_loops_and_no_result(program, expected, reason):
    for n in (2, 43, 163):
        A, U = program(n)
        reasons, s = reasons_of(U)
        assert reason in reasons or n < 163
        a = np.random.default_rng(0).random((n, n), dtype="float32") + n * np.eye(
            n, dtype="float32"
        )
        teloom.build(s, [A, U])(a, found := np.empty_like(a))
        np.testing.assert_allclose(found, expected(a.copy()), rtol=1e-4, atol=1e-4)


def relaxed_again(a, steps, far):
    for _ in range(steps):
        for i in range(far, len(a) - far):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j + 1] + a[i, j - 1] + a[i + far, j]) / 3
    return a


@pytest.mark.parametrize(
    ("far", "reason"),
    [
        (1, "U: each of t is two blocks of 8 of i behind the other"),
        (9, "U: 8 of i go on at once, each 2 behind the other"),
    ],
)
def test_steps_of_a_relaxation_are_waves_of_blocks_of_rows(far, reason):
    """A row reads one of the step before that is in the next block, or in that behind it."""
    for steps, n, m in (2, 90, 514), (3, 87, 600), (2, 19, 5):
        t = te.reduce_axis((0, steps), "t")
        i, j = te.reduce_axis((far, n - far), "i"), te.reduce_axis((1, m - 1), "j")
        A, U = update(
            (n, m),
            (t, i, j),
            lambda g, t, i, j: ((i, j), (g[i - 1, j + 1] + g[i, j - 1] + g[i + far, j]) / 3),
        )
        reasons, s = reasons_of(U)
        assert reason in reasons or n < 80
        assert ("schedule.parallel" in str(s.module)) == (n > 80 and far == 1)
        a = np.random.default_rng(0).random((n, m), dtype="float32")
        with teloom.num_threads(2):
            teloom.build(s, [A, U])(a, found := np.empty_like(a))
        np.testing.assert_allclose(found, relaxed_again(a.copy(), steps, far), rtol=1e-5)


def test_an_elimination_of_any_size_runs_in_tiles():
    n = te.var("n")
    A, U = elimination(n)
    s = te.create_schedule(U)
    te.auto_schedule(s, V3)
    eliminate = teloom.build(s, [A, U], V3)
    for size in (0, 1, 2, 23, 24, 25, 26, 71, 97):
        a = np.random.default_rng(size).random((size, size)) + size * np.eye(size)
        eliminate(a := a.astype("float32"), found := np.empty_like(a))
        np.testing.assert_allclose(found, eliminated(a.copy()), rtol=1e-4, atol=1e-4)


def test_cases_of_an_update_have_loops_of_their_own():
    case, i = te.reduce_axis((0, 2), "case"), te.reduce_axis((1, 20), "i")

    def point(u, case, i):
        return [((i,), u[i] * 2.0, te.all(case < 1)), ((i,), u[i - 1] + u[i], te.all(case > 0))]

    A, U = update((20,), (case, i), point)
    reasons, s = reasons_of(U)
    assert "U: each case of case has loops of its own" in reasons
    a = np.ones(20, "float32")
    teloom.build(s, [A, U])(a, found := np.empty_like(a))
    np.testing.assert_array_equal(found, np.cumsum([1.0] + [2.0] * 19))


def test_vectors_of_an_update_have_no_cases():
    i = te.reduce_axis((0, 3), "i")
    A, U = update((6,), (i,), lambda u, i: ((2 * i + 1,), u[2 * i] * 2.0, i > 0))
    _, s = reasons_of(U)
    a = np.arange(6, dtype="float32")
    teloom.build(s, [A, U])(a, found := np.empty_like(a))
    np.testing.assert_array_equal(found, [0, 1, 2, 4, 4, 8])


def test_rows_beside_the_results_have_no_reader_elsewhere():
    """What a product of a step reads is a step, too, although the results also read it."""
    times, k = 3, te.reduce_axis((0, 8), "k")
    W, S = te.placeholder((8, 8), name="W"), te.placeholder((times, 4, 8), name="S")
    before = te.compute((times, 4, 8), lambda t, i, j: te.exp(S[t - 1, i, 7 - j]), name="before")
    product = te.compute(
        (times, 4, 8), lambda t, i, j: te.sum(before[t, i, k] * W[k, j], axis=k), name="product"
    )
    step = te.compute(
        (times, 4, 8), lambda t, i, j: product[t, i, j] - before[t, i, j], name="step"
    )
    start = te.compute((1, 4, 8), lambda *_: 0.0, name="start")
    results = te.scan(start, step, S, name="results")
    _, s = reasons_of(results)
    w, found = np.eye(8, dtype="float32"), np.empty((3, 4, 8), "float32")
    teloom.build(s, [W, results])(w, found)
    np.testing.assert_array_equal(found, np.zeros((3, 4, 8)))


def test_updates_that_end_early_or_come_in_any_order_keep_their_loops():
    i = te.reduce_axis((0, 9), "i")
    for options in ({"until": lambda u, i: u[i] > 5}, {"reorderable": True}):
        _, U = update((9,), (i,), lambda u, i: ((i,), u[i] + 1.0), **options)
        assert reasons_of(U)[0] == []


def test_a_triangle_has_tiles_whose_rows_divide_their_columns():
    A, k = te.placeholder((50, 9), name="A"), te.reduce_axis((0, 9), "k")
    C = te.compute(
        (50, 50),
        lambda i, j: te.sum(A[i, k] * A[j, k], axis=k),
        name="C",
        domain=lambda i, j: j <= i,
    )
    reasons, s = reasons_of(C)
    assert reasons[:2] == [
        "C.global: tiles of 4 x 16 elements of C stay in registers for all terms",
        "A.global: panels of 16 are in the order in which tiles read them",
    ]
    a = np.random.default_rng(0).random((50, 9), dtype="float32")
    teloom.build(s, [A, C])(a, found := np.zeros((50, 50), "float32"))
    np.testing.assert_allclose(found, np.tril(a @ a.T), rtol=1e-5)


def test_a_scan_of_which_a_step_is_scheduled_keeps_its_order():
    A, last = heat(12, 60, 9)
    s = te.create_schedule(last)
    following = next(stage for stage in s.stages if stage.name == "following")
    following.unroll(following.op.axis[2])
    reasons = te.auto_schedule(s, TINY)
    assert not any("grid" in reason and "caches" in reason for reason in reasons)
    a = np.random.default_rng(0).random((60, 9), dtype="float32")
    teloom.build(s, [A, last])(a, found := np.empty((60, 9), "float32"))
    np.testing.assert_allclose(found, expected_heat(12, a), rtol=1e-6)


def folded_rows():
    """A scan of three steps: a sum, and two that read it."""
    X, S = te.placeholder((6, 8, 4), name="X"), te.placeholder((6, 8), name="S")
    k = te.reduce_axis((0, 4), "k")
    first = te.compute((1, 8), lambda t, j: X[t, j, 0], name="first")
    total = te.compute((6, 8), lambda t, j: te.sum(S[t - 1, j] * X[t, j, k], axis=k), name="total")
    half = te.compute((6, 8), lambda t, j: total[t, j] * 0.5, name="half")
    following = te.compute((6, 8), lambda t, j: total[t, j] * half[t, j], name="following")
    return X, k, total, half, te.scan(first, following, S, inputs=[X], name="grid")


def cached(s, X, k, total, half):
    s.cache_write(total, "local")


def with_read(s, X, k, total, half):
    s.cache_read(X, "local", [total])


def cloned(s, X, k, total, half):
    s.clone_in(total, [half])


def factored(s, X, k, total, half):
    s.rfactor(total, s[total].split(k, factor=2)[1])


@pytest.mark.parametrize("command", [cached, with_read, cloned, factored])
def test_stages_that_commands_add_to_a_scan_are_parts_of_it(command):
    *parts, grid = folded_rows()
    s = te.create_schedule(grid)
    command(s, *parts)
    te.auto_schedule(s)
    x = np.random.default_rng(0).random((6, 8, 4), "float32")
    result = np.empty((6, 8), "float32")
    teloom.build(s, [parts[0], grid])(x, result)
    expected = np.empty_like(result)
    expected[0] = x[0, :, 0]
    for t in range(1, 6):
        expected[t] = (expected[t - 1, :, None] * x[t]).sum(1) ** 2 * np.float32(0.5)
    np.testing.assert_allclose(result, expected, 1e-4)


def running_maxima(lines, times, reader):
    A = te.placeholder((lines, times), name="A")
    state = te.placeholder((times, lines), name="state")
    first = te.compute((1, lines), lambda t, i: A[i, 0], name="first")
    step = te.compute((times, lines), lambda t, i: te.max(state[t - 1, i], A[i, t]), name="step")
    S = te.scan(first, step, state, name="S")
    return A, te.compute((lines, times), lambda i, t: reader(S, i, t), name="C")


@pytest.mark.parametrize(("lines", "times"), [(16, 4096), (61, 257), (9, 2000), (1, 9000)])
def test_lines_along_time_are_turned_in_registers(lines, times):
    A, C = running_maxima(lines, times, lambda S, i, t: S[t, i] * 2)
    reasons, s = reasons_of(C, TINY)
    together = 4 if times == 4096 else 8  # lines that are pages apart share a set of a cache
    assert (f"S: {together} lines at a time, for all times" in reasons) == (lines > 1)
    turned = [f"{name}: tiles of {together} x {together} are" for name in ("C", "A.global")]
    assert all(any(one.startswith(words) for one in reasons) == (lines > 1) for words in turned)
    a = np.random.default_rng(0).random((lines, times), "float32")
    teloom.build(s, [A, C])(a, c := np.empty_like(a))
    np.testing.assert_array_equal(c, np.maximum.accumulate(a, 1) * 2)


def test_lines_of_what_is_read_across_as_well_are_not_copied():
    A = te.placeholder((40, 40), "float64", name="A")
    state = te.placeholder((40, 40), "float64", name="state")
    first = te.compute((1, 40), lambda t, i: A[i, 0], name="first")
    step = te.compute((40, 40), lambda t, i: state[t - 1, i] + A[i, t] * A[t, i], name="step")
    S = te.scan(first, step, state, name="S")
    C = te.compute((40, 40), lambda i, t: S[t, i], name="C")
    reasons, s = reasons_of(C, TINY)
    assert any(one.startswith("S: 4 lines at a time") for one in reasons)
    assert not any(one.startswith("A.global") for one in reasons)
    a = np.random.default_rng(0).random((40, 40))
    teloom.build(s, [A, C])(a, c := np.empty((40, 40)))
    terms = np.concatenate([a[:, :1], (a * a.T)[:, 1:]], 1)
    np.testing.assert_allclose(c, terms.cumsum(1), 1e-12)


@pytest.mark.parametrize(
    ("line", "time", "is_copied"), [(0, 1, True), (0, 2, True), (1, 0, True), (0, 60, False)]
)
def test_lines_that_are_read_at_two_times_are_turned_together(line, time, is_copied):
    A = te.placeholder((20, 400), "float64", name="A")
    state = te.placeholder((300, 18), "float64", name="state")
    first = te.compute((1, 18), lambda t, i: A[i, 0], name="first")

    def next_one(t, i):
        return state[t - 1, i] * 0.5 + A[i, t] - A[i + line, t + time]

    step = te.compute((300, 18), next_one, name="step")
    S = te.scan(first, step, state, name="S")
    C = te.compute((18, 300), lambda i, t: S[t, i], name="C")
    reasons, s = reasons_of(C, TINY)
    assert any(one.startswith("S: 4 lines at a time") for one in reasons)
    assert any(one.startswith("A.global: tiles of 4 x 4") for one in reasons) == is_copied
    a = np.random.default_rng(0).random((20, 400))
    teloom.build(s, [A, C])(a, c := np.empty((18, 300)))
    expected = [a[:18, 0]]
    for t in range(1, 300):
        expected.append(expected[-1] * 0.5 + a[:18, t] - a[line : line + 18, t + time])
    np.testing.assert_allclose(c, np.stack(expected, 1), 1e-12)


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (lambda S, i, t: S[t, i] + S[t, 0], lambda most: most + most[:1]),
        (lambda S, i, t: S[256 - t, i], lambda most: most[:, ::-1]),
        (lambda S, i, t: S[256, i], lambda most: np.repeat(most[:, -1:], 257, 1)),
    ],
    ids=["twice", "backwards", "last"],
)
def test_lines_that_are_read_otherwise_are_stored(reader, expected):
    A, C = running_maxima(61, 257, reader)
    reasons, s = reasons_of(C, TINY)
    assert "S: 8 lines at a time, for all times" not in reasons
    a = np.random.default_rng(0).random((61, 257), "float32")
    teloom.build(s, [A, C])(a, c := np.empty_like(a))
    np.testing.assert_array_equal(c, expected(np.maximum.accumulate(a, 1)))


@pytest.mark.parametrize("shape", [(70, 300), (3, 5), (1, 1), (8, 64, 9)])
def test_what_an_update_begins_as_is_computed_where_it_is_read(shape):
    A = te.placeholder(shape, name="A")
    begin = te.compute(shape, lambda *at: A[at] + 1, name="begin")
    axes = [te.reduce_axis((int(k == len(shape) - 1), n), f"k{k}") for k, n in enumerate(shape)]
    sums = te.update(
        begin, axes, lambda S, *at: (at, S[(*at[:-1], at[-1] - 1)] + S[at]), name="sums"
    )
    reasons, s = reasons_of(sums)
    assert "begin: is inlined" in reasons
    text = str(teloom.lower(s, [A, sums], level="loop"))
    assert "loop.realize" not in text
    a = np.random.default_rng(0).integers(0, 9, shape).astype("float32")
    teloom.build(s, [A, sums])(a, c := np.empty_like(a))
    np.testing.assert_array_equal(c, np.cumsum(a + 1, -1))


def test_lines_of_any_number_and_length_are_turned():
    n, m = te.size_var("n"), te.size_var("m")
    A, C = running_maxima(n, m, lambda S, i, t: S[t, i])
    reasons, s = reasons_of(C, TINY)
    assert "S: 4 lines at a time, for all times" in reasons
    run = teloom.build(s, [A, C])
    for shape in ((1, 1), (3, 20), (17, 9), (8, 64)):
        a = np.random.default_rng(0).random(shape, "float32")
        run(a, c := np.empty_like(a))
        np.testing.assert_array_equal(c, np.maximum.accumulate(a, 1))


def test_lines_that_nothing_reads_are_stored():
    A, C = running_maxima(61, 257, lambda S, i, t: S[t, i])
    (S,) = C.op.input_tensors
    a = np.random.default_rng(0).random((61, 257), "float32")
    reasons, s = reasons_of(S, TINY)
    assert "S: vectors along i1 in each step" in reasons
    teloom.build(s, [A, S])(a, found := np.empty((257, 61), "float32"))
    np.testing.assert_array_equal(found, np.maximum.accumulate(a, 1).T)


@pytest.mark.parametrize("is_output", [False, True])
def test_lines_that_a_user_schedules_or_wants_are_stored(is_output):
    A, C = running_maxima(61, 257, lambda S, i, t: S[t, i])
    (S,) = C.op.input_tensors
    s = te.create_schedule([S.op, C.op] if is_output else C.op)
    if not is_output:
        s[S].vectorize(s[S].op.axis[1])
    reasons = te.auto_schedule(s, TINY)
    assert "S: 8 lines at a time, for all times" not in reasons
    assert any(one.startswith("C: ") for one in reasons)
    a = np.random.default_rng(0).random((61, 257), "float32")
    found = [np.empty((257, 61), "float32"), np.empty_like(a)][not is_output :]
    teloom.build(s, [A, S, C] if is_output else [A, C])(a, *found)
    np.testing.assert_array_equal(found[-1], np.maximum.accumulate(a, 1))


def test_commands_are_carried_out_once_for_all_updates(monkeypatch):
    calls = []
    carry_out = applied.applied
    monkeypatch.setattr(
        applied, "applied", lambda *of, **how: calls.append(of) or carry_out(*of, **how)
    )
    sums = te.placeholder((30, 40), name="A")
    for _ in range(3):
        sums = topi.cumsum(sums, 1)
    reasons, _ = reasons_of(sums)
    assert len([one for one in reasons if one.endswith("behind the other")]) == 3
    assert len(calls) == 1
