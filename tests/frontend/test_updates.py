"""`te.update`: tensors that are changed in order, beside loops of NumPy."""

from collections.abc import Callable
from linecache import getline

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.frontend.emit.program import build_program

RNG = np.random.default_rng(0)


def built(outputs, arguments, schedule: Callable = lambda s: None):
    """The function of some tensors under a schedule."""
    outputs = outputs if isinstance(outputs, list) else [outputs]
    s = te.create_schedule([*dict.fromkeys(output.op for output in outputs)])
    schedule(s)
    return teloom.build(s, [*arguments, *outputs])


def result(function, *arrays, like: np.ndarray) -> np.ndarray:
    out = np.zeros_like(like)
    function(*arrays, out)
    return out


def test_histogram_of_data_dependent_subscripts():
    n = te.var("n")
    X, r = te.placeholder((n,), "int32", name="X"), te.reduce_axis((0, n), "r")
    zero = te.compute((10,), lambda i: te.const(0, "int32"), name="zero")
    H = te.update(
        zero, r, lambda H, r: (te.bounded(X[r], 0, 10), H[X[r]] + 1), name="H", reorderable=True
    )

    def backwards(s):
        s[zero].compute_inline()
        _, inner = s[H].split(r, factor=4)
        s[H].reverse(inner)

    for schedule in (backwards, lambda s: s[H].parallel(r)):
        function = built(H, [X], schedule)
        for count in (0, 1, 37):
            x = RNG.integers(0, 10, count).astype("int32")
            want = np.bincount(x, minlength=10).astype("int32")
            np.testing.assert_array_equal(result(function, x, like=want), want)


def test_recurrences_along_the_last_axis_forwards_and_backwards():
    A = te.placeholder((5, 8), name="A")
    i, j = te.reduce_axis((0, 5), "i"), te.reduce_axis((1, 8), "j")
    P = te.update(A, (i, j), lambda P, i, j: ((i, j), P[i, j - 1] + P[i, j]), name="P")
    Q = te.update(P, (i, j), lambda Q, i, j: ((i, 7 - j), Q[i, 8 - j] + Q[i, 7 - j]), name="Q")

    def rows_apart(s):
        s[P].parallel(i)
        s[Q].reorder(j, i)
        s[Q].vectorize(i)

    a = RNG.random((5, 8)).astype("float32")
    want = np.cumsum(np.cumsum(a, 1)[:, ::-1], 1)[:, ::-1]
    np.testing.assert_allclose(
        result(built(Q, [A], rows_apart), a, like=np.ascontiguousarray(want)), want, rtol=1e-6
    )


def test_several_tensors_are_written_under_conditions():
    A = te.placeholder((9,), name="A")
    i = te.reduce_axis((1, 9), "i")
    P, R = te.update(
        [A, A],
        i,
        lambda P, R, i: [
            (i, (P[i - 1], None), P[i] < 0.5),
            (i - 1, (None, R[i] + P[i])),
            (i, (None, A[i + 1]), i < 8),
        ],
        name="PR",
    )
    a = RNG.random(9).astype("float32")
    p, q = a.copy(), a.copy()
    for k in range(1, 9):
        before = p[k], q[k]
        if before[0] < 0.5:
            p[k] = p[k - 1]
        q[k - 1] = before[0] + before[1]
        if k < 8:
            q[k] = a[k + 1]
    found = np.zeros_like(a), np.zeros_like(a)
    built([P, R], [A])(a, *found)
    np.testing.assert_array_equal(found, (p, q))


def shortest(d: np.ndarray) -> np.ndarray:
    d = d.copy()
    for k in range(len(d)):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1])
    return d


def test_floyd_warshall_is_computed_whole_in_a_loop_of_its_reader():
    D = te.placeholder((7, 7), name="D")
    axes = [te.reduce_axis((0, 7), name) for name in "kij"]
    F = te.update(
        D, axes, lambda D, k, i, j: ((i, j), te.min(D[i, j], D[i, k] + D[k, j])), name="F"
    )
    C = te.compute((7, 7), lambda i, j: F[i, j] * 2, name="C")
    d = RNG.random((7, 7)).astype("float32")
    function = built(C, [D], lambda s: s[F].compute_at(s[C], C.op.axis[0]))
    np.testing.assert_allclose(result(function, d, like=d), shortest(d) * 2, rtol=1e-6)


def relaxed(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    for i in range(1, len(a) - 1):
        for j in range(1, len(a[i]) - 1):
            a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i + 1, j] + a[i, j + 1]) * np.float32(0.25)
    return a


def gauss_seidel():
    n = te.var("n")
    A = te.placeholder((n, 9), name="A")
    i, j = te.reduce_axis((1, n - 1), "i"), te.reduce_axis((1, 8), "j")
    G = te.update(
        A,
        (i, j),
        lambda G, i, j: (
            (i, j),
            (G[i - 1, j] + G[i, j - 1] + G[i + 1, j] + G[i, j + 1]) * 0.25,
        ),
        name="G",
    )
    return A, G, i, j


def wavefront(stage, i, j):
    diagonal = stage.skew(j, i, factor=1)
    stage.reorder(diagonal, i)
    stage.parallel(i)


def tiled(stage, i, j):
    i_outer, i_inner = stage.split(i, factor=3)
    j_outer, j_inner = stage.split(j, factor=4)
    stage.reorder(j_outer, i_outer, j_inner, i_inner)


@pytest.mark.parametrize("schedule", [wavefront, tiled, lambda s, i, j: s.fuse(i, j)])
def test_in_place_stencil_in_another_legal_order(schedule):
    A, G, i, j = gauss_seidel()
    function = built(G, [A], lambda s: schedule(s[G], i, j))
    for rows in (1, 2, 3, 9):
        a = RNG.random((rows, 9)).astype("float32")
        want = relaxed(a)
        np.testing.assert_allclose(result(function, a, like=a), want, rtol=1e-6)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (
            lambda s, i, j: s.reverse(j),
            'stage "G" at [1, 2] overwrites G[1, 2], at (i = 1, j.reversed = 5); the equations '
            "read it before, at [1, 1], the schedule at (i = 1, j.reversed = 6), which is later "
            "(here n = 3)",
        ),
        (
            lambda s, i, j: s.parallel(i),
            'stage "G" at [2, 7] overwrites G[2, 7], at (i = 2, j = 7); the equations read it '
            "before, at [1, 7], the schedule at (i = 1, j = 7), and iterations of i, which is "
            "parallel, have no order (here n = 4)",
        ),
    ],
)
def test_an_order_that_dependences_forbid_is_refused_with_two_points(schedule, message):
    A, G, i, j = gauss_seidel()
    with pytest.raises(teloom.Error) as refusal:
        built(G, [A], lambda s: schedule(s[G], i, j))
    assert message in str(refusal.value)


def upwards():
    P = te.placeholder((16, 16), name="P")
    i, j = te.reduce_axis((1, 16), "i"), te.reduce_axis((0, 15), "j")
    U = te.update(P, (i, j), lambda g, i, j: ((i, j), g[i - 1, j + 1] + 1.0), name="U")
    return P, U, i, j


def blamed(s: te.schedule.Schedule, args: list[te.Tensor]) -> str:
    """The line of this file at which a schedule is refused."""
    with pytest.raises(teloom.ScheduleError) as refusal:
        teloom.lower(s, args)
    file, number, *_ = str(refusal.value).split(":")
    assert file == __file__
    return getline(file, int(number)).strip()


def test_the_command_that_changes_the_order_is_blamed_wherever_others_follow():
    P, U, i, j = upwards()
    s = te.create_schedule(U)
    outer, inner = s[U].split(j, factor=4)
    s[U].reorder(outer, i)
    s[U].unroll(inner)
    s[U].split(outer, nparts=2)
    s[U].vectorize(U.op.axis[1])
    s[U].parallel(U.op.axis[0])
    assert blamed(s, [P, U]) == "s[U].reorder(outer, i)"


def test_the_command_that_leaves_iterations_without_an_order_is_blamed():
    P, U, i, j = upwards()
    s = te.create_schedule(U)
    diagonal = s[U].skew(j, i, factor=1)
    s[U].reorder(diagonal, i)
    s[U].parallel(diagonal)
    s[U].vectorize(i)
    s[U].vectorize(U.op.axis[1])
    assert blamed(s, [P, U]) == "s[U].vectorize(i)"


def escape_times(c: np.ndarray, most: int) -> np.ndarray:
    z, times = np.zeros(c.shape, "complex64"), np.zeros(c.shape, "float32")
    for at in np.ndindex(*c.shape):
        for _ in range(most):
            if abs(z[at]) ** 2 > 4:
                break
            z[at] = z[at] ** 2 + c[at]
            times[at] += 1
    return times


def test_mandelbrot_stops_where_a_pixel_has_escaped():
    CR, CI = (te.placeholder((8, 9), name=name) for name in ("cr", "ci"))
    zero = te.compute((8, 9), lambda y, x: te.const(0, "float32"), name="zero")
    axes = y, x, t = [te.reduce_axis((0, n), name) for n, name in ((8, "y"), (9, "x"), (50, "t"))]

    def step(zr, zi, times, y, x, t):
        a, b = zr[y, x], zi[y, x]
        return (y, x), (a * a - b * b + CR[y, x], a * b * 2 + CI[y, x], times[y, x] + 1)

    def escaped(zr, zi, times, y, x, t):
        return zr[y, x] * zr[y, x] + zi[y, x] * zi[y, x] > 4

    M = te.update([zero, zero, zero], axes, step, "M", until=escaped)
    c = np.linspace(-2, 1, 9)[None, :] + 1j * np.linspace(-1.2, 1.2, 8)[:, None]
    c = c.astype("complex64")
    found = [np.zeros((8, 9), "float32") for _ in M]
    parts = np.ascontiguousarray(c.real), np.ascontiguousarray(c.imag)
    built(M, [CR, CI], lambda s: s[M[0]].parallel(y))(*parts, *found)
    np.testing.assert_array_equal(found[2], escape_times(c, 50))
    for schedule, message in (
        (lambda s: s[M[0]].reorder(t, x), "outside of its loop are those of y, x, and no others"),
        (lambda s: s[M[0]].split(t, factor=2), 'axis t of "M" ends early, so its loop has to be'),
    ):
        with pytest.raises(teloom.Error, match="ends early") as refusal:
            built(M, [CR, CI], schedule)
        assert message in str(refusal.value)


def test_what_a_loop_that_ended_early_has_not_computed_is_computed_later():
    W = te.placeholder((6,), name="W")
    weights = te.compute((6,), lambda k: W[k] * 2, name="weights")
    zero = te.compute((3,), lambda i: 0.0, name="zero")
    i, k = te.reduce_axis((0, 3), "i"), te.reduce_axis((0, 6), "k")
    B = te.update(
        zero,
        (i, k),
        lambda h, i, k: (i, h[i] + weights[k]),
        "B",
        until=lambda h, i, k: h[i] > 3 * i,
    )
    found = np.zeros(3, "float32")

    def in_the_inner_loop(s):
        s[weights].compute_at(s[B], k)
        s[weights].store_root()

    built(B, [W], in_the_inner_loop)(np.ones(6, "float32"), found)
    np.testing.assert_array_equal(found, [2, 4, 8])


def test_iterations_run_until_nothing_changes():
    A = te.placeholder((12,), name="A")
    t, i = te.reduce_axis((1, 100), "t"), te.reduce_axis((1, 11), "i")

    # Element 11 is the largest change of the iteration.
    def smooth(H, t, i):
        new = (H[i - 1] + H[i + 1]) / 2
        largest = te.select(i == 1, te.abs(new - H[i]), te.max(H[11], te.abs(new - H[i])))
        return [(i, new), (11, largest)]

    B = te.update(A, (t, i), smooth, "B", until=lambda H, t: H[11] < 0.05)
    a = (RNG.random(12) * 4).astype("float32")
    a[11] = 1
    want, steps = a.copy(), 0
    while want[11] >= 0.05 and steps < 99:
        largest = np.float32(0)
        for k in range(1, 11):
            new = (want[k - 1] + want[k + 1]) / np.float32(2)
            largest = max(largest, abs(new - want[k]))
            want[k] = new
            want[11] = largest
        steps += 1
    assert 1 < steps < 99
    np.testing.assert_allclose(result(built(B, [A]), a, like=a), want, rtol=1e-5)


def test_edit_distance_along_diagonals():
    n, m = te.var("n"), te.var("m")
    A, B = te.placeholder((n,), "int32", name="A"), te.placeholder((m,), "int32", name="B")
    border = te.compute((n + 1, m + 1), lambda i, j: i + j, name="border")
    i, j = te.reduce_axis((1, n + 1), "i"), te.reduce_axis((1, m + 1), "j")

    def step(D, i, j):
        other = te.select(A[i - 1] == B[j - 1], 0, 1)
        return (i, j), te.min(te.min(D[i - 1, j], D[i, j - 1]) + 1, D[i - 1, j - 1] + other)

    D = te.update(border, (i, j), step, name="D")

    def schedule(s):
        s[border].compute_inline()
        wavefront(s[D], i, j)

    function = built(D, [A, B], schedule)
    for rows, columns in ((0, 0), (1, 3), (7, 5)):
        a, b = (RNG.integers(0, 3, count).astype("int32") for count in (rows, columns))
        d = np.add.outer(np.arange(rows + 1), np.arange(columns + 1)).astype("int32")
        for y, x in np.ndindex(rows, columns):
            other = int(a[y] != b[x])
            d[y + 1, x + 1] = min(d[y, x + 1] + 1, d[y + 1, x] + 1, d[y, x] + other)
        np.testing.assert_array_equal(result(function, a, b, like=d), d)


def in_time():
    """A stencil in place, iterated; the loops of time and space."""
    n = te.var("n")
    U = te.placeholder((n,), name="U")
    t, x = te.reduce_axis((0, 10), "t"), te.reduce_axis((1, n - 1), "x")
    S = te.update(U, (t, x), lambda S, t, x: (x, (S[x - 1] + S[x] + S[x + 1]) / 3), name="S")
    return U, S, t, x


def test_tiles_of_time_are_legal_along_the_skewed_axis_alone():
    U, S, t, x = in_time()
    function = built(S, [U], lambda s: tiled(s[S], t, s[S].skew(x, t, factor=1)))
    for count in (1, 2, 3, 30):
        u = RNG.random(count).astype("float32")
        want = u.copy()
        for _ in range(10):
            for k in range(1, count - 1):
                want[k] = (want[k - 1] + want[k] + want[k + 1]) / np.float32(3)
        np.testing.assert_allclose(result(function, u, like=u), want, rtol=1e-5)
    U, S, t, x = in_time()
    with pytest.raises(teloom.Error) as refusal:
        built(S, [U], lambda s: tiled(s[S], t, x))
    assert "the equations read it before, at [" in str(refusal.value)
    assert ", which is later (here n = " in str(refusal.value)


def test_red_points_are_parallel_and_then_black_ones():
    V = te.placeholder((66,), name="V")
    t, colour, x = (te.reduce_axis((0, n), name) for n, name in ((6, "t"), (2, "c"), (32, "x")))
    R = te.update(
        V,
        (t, colour, x),
        lambda R, t, c, x: (x * 2 + c + 1, (R[x * 2 + c] + R[x * 2 + c + 2]) / 2),
        name="R",
    )
    v = RNG.random(66).astype("float32")
    want = v.copy()
    for step in range(12):
        want[1 + step % 2 : 65 : 2] = (want[step % 2 : 64 : 2] + want[2 + step % 2 :: 2]) / 2
    for schedule in (lambda s: s[R].parallel(x), lambda s: s[R].vectorize(x)):
        np.testing.assert_array_equal(result(built(R, [V], schedule), v, like=v), want)


def test_lu_and_a_triangular_solve_have_triangular_domains():
    n = te.var("n")
    A, b = te.placeholder((n, n), "float64", name="A"), te.placeholder((n,), "float64", name="b")
    k = te.reduce_axis((0, n), "k")
    i, j = te.reduce_axis((k + 1, n), "i"), te.reduce_axis((k, n), "j")

    def eliminate(L, k, i, j):
        rest = L[i, j] - L[i, k] * L[k, j]
        return (i, j), te.if_then_else(j == k, L[i, k] / L[k, k], rest)

    L = te.update(A, (k, i, j), eliminate, name="L")
    y = te.reduce_axis((0, n), "y")
    x = te.reduce_axis((0, y), "x")
    F = te.update(b, (y, x), lambda F, y, x: (y, F[y] - L[y, x] * F[x]), name="F")

    def schedule(s):
        s[L].parallel(i)
        s[L].split(j, factor=4)
        s[F].split(x, factor=4)

    function = built([L, F], [A, b], schedule)
    for count in (0, 1, 2, 9):
        a = RNG.random((count, count)) + count * np.eye(count)
        right = RNG.random(count)
        factors, found = np.zeros_like(a), np.zeros_like(right)
        function(a, right, factors, found)
        lower = np.tril(factors, -1) + np.eye(count)
        np.testing.assert_allclose(lower @ np.triu(factors), a)
        np.testing.assert_allclose(lower @ found, right)


def test_columns_of_a_scatter_are_independent_whatever_rows_data_names():
    n, m = te.var("n"), te.var("m")
    P, Y = te.placeholder((m,), "int32", name="P"), te.placeholder((m, 5), name="Y")
    Z = te.placeholder((n, 5), name="Z")
    r, q = te.reduce_axis((0, m), "r"), te.reduce_axis((0, 5), "q")
    W = te.update(
        Z, (r, q), lambda W, r, q: ((te.bounded(P[r], 0, n), q), W[P[r], q] + Y[r, q]), name="W"
    )

    def schedule(s):
        s[W].reorder(q, r)
        s[W].parallel(q)

    z, y = RNG.random((4, 5)).astype("float32"), RNG.random((11, 5)).astype("float32")
    rows = RNG.integers(0, 4, 11).astype("int32")
    want = z.copy()
    np.add.at(want, rows, y)
    function = built(W, [P, Y, Z], schedule)
    np.testing.assert_allclose(result(function, rows, y, z, like=z), want, rtol=1e-6)


@pytest.mark.parametrize(
    "schedule",
    [
        lambda s, P, Q: None,
        lambda s, P, Q: s[P].compute_at(s[Q], s[Q].split(Q.op.axis[0], factor=3)[0]),
        lambda s, P, Q: s[P].vectorize(s[P].split(P.op.axis[0], factor=4)[1]),
        lambda s, P, Q: s.cache_read(P, "local", [Q]),
    ],
    ids=["default", "compute_at", "vectorize", "cache_read"],
)
def test_an_update_begins_where_its_init_does(schedule):
    m, n = te.var("m"), te.var("n")
    A = te.placeholder((n,), name="A")
    start = te.compute(((m, n),), lambda i: A[i], name="start")
    r = te.reduce_axis((m + 1, n), "r")
    P = te.update(start, r, lambda P, r: (r, P[r - 1] + P[r]), name="P")
    k = te.reduce_axis((0, 2), "k")
    Q = te.compute(((m, n),), lambda i: te.sum(P[i] * (k + 1), axis=k), name="Q")
    assert [str(side.min) for side in P.domain] == ["m"]
    a = RNG.random(11).astype("float32")
    s = te.create_schedule(Q)
    schedule(s, P, Q)
    function = teloom.build(s, [m, A, Q])
    for first in (0, 3, 10, 11):
        want = 3 * np.cumsum(a[first:], dtype="float32")
        found = np.zeros(11 - first, "float32")
        function(first, a, found)
        np.testing.assert_allclose(found, want, rtol=1e-6)
        (interpreted,) = interpret(s.module, "main", [a], [11, first])
        np.testing.assert_allclose(interpreted, want, rtol=1e-6)


def test_tensors_have_one_shape_if_it_is_so_for_all_sizes():
    n = te.var("n")
    A, B = te.placeholder((n + 1,), name="A"), te.placeholder((1 + n,), name="B")
    r = te.reduce_axis((0, n + 1), "r")
    swapped = te.update([A, B], r, lambda H, G, r: (r, (G[r], H[r])), name="H")
    a, b = (np.arange(4, dtype="float32") + first for first in (0, 10))
    found = np.zeros_like(a), np.zeros_like(b)
    built(swapped, [A, B])(a, b, *found)
    np.testing.assert_array_equal(found, [b, a])
    other = te.placeholder((te.var("n") + 1,), name="other")
    with pytest.raises(
        teloom.Error, match=r"shapes \[\(n \+ 1\)\] of A and \[\(n \+ 1\)\] of other"
    ):
        te.update([A, other], r, lambda H, G, r: (r, (G[r], H[r])))


def test_tensors_begin_at_one_place_if_it_is_so_for_all_sizes():
    n = te.var("n")
    X = te.placeholder((n,), name="X")
    A, B, later = (
        te.compute([side], lambda i: X[i - 1], name=name)
        for name, side in (("A", (1, n + 1)), ("B", (n - n + 1, n + 1)), ("later", (2, n + 2)))
    )
    r = te.reduce_axis((1, n + 1), "r")
    swapped = te.update([A, B], r, lambda H, G, r: (r, (G[r], H[r] + 1)), name="H")
    x = np.arange(4, dtype="float32")
    found = np.zeros_like(x), np.zeros_like(x)
    built(swapped, [X])(x, *found)
    np.testing.assert_array_equal(found, [x, x + 1])
    with pytest.raises(teloom.Error, match=r"begin at \[1\] in A and at \[2\] in later"):
        te.update([A, later], r, lambda H, G, r: (r, (G[r], H[r])))


def test_a_write_beyond_the_end_of_the_domain_is_refused():
    U, S, _, x = in_time()
    with pytest.raises(teloom.ScheduleError, match="would change elements"):
        built(S, [U], lambda s: s[S].split(x, factor=4, tail="round_up"))


A8 = te.placeholder((8,), name="A8")
LATER = te.compute(((2, 10),), lambda i: A8[i - 2], name="LATER")
EVEN = te.compute((8,), lambda i: A8[i], name="EVEN", domain=lambda i: i % 2 == 0)
R = te.reduce_axis((0, 8), "r")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: te.update(3, R, lambda H, r: (r, 0.0)), "begins as 3, which is no tensor"),
        (lambda: te.update([], R, lambda r: (r, 0.0)), "'update' begins as no tensor"),
        (
            lambda: te.update([A8, LATER], R, lambda H, G, r: (r, (0.0, 0.0)), "H"),
            "the tensors of 'H' begin at [0] in A8 and at [2] in LATER; they must begin at one",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, 0.0), "H", domain=lambda i, j: i < j),
            "the function of 'domain of H' has 2 parameters (i, j) for 1 axes",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, 0.0), "H", domain=lambda i: i * i < 9),
            "((ax0 * ax0) < 9) is no comparison of affine expressions of the axes of 'H'",
        ),
        (
            lambda: te.update(te.compute(None, lambda i: A8[i]), R, lambda H, r: (r, 0.0), "H"),
            "'H' begins as compute, whose shape its readers say; give it one",
        ),
        (
            lambda: te.update([A8, te.placeholder((9,))], R, lambda H, G, r: (r, (0.0, 0.0))),
            "the shapes [8] of A8 and [9] of placeholder; they must be one",
        ),
        (
            lambda: te.update(A8, [], lambda H: (0, 0.0)),
            "the domain of 'update' has no axis, so that nothing says how often it writes; to "
            "write once, make it te.reduce_axis((0, 1))",
        ),
        (lambda: te.update(A8, [R, R], lambda H, r, q: (r, 0.0)), "has axis r twice"),
        (
            lambda: te.update(A8, te.var("n"), lambda H, n: (n, 0.0)),
            "the domain of 'update' is made of te.reduce_axis, got n",
        ),
        (
            lambda: te.update(A8, R, lambda H: (0, 0.0)),
            "fupdate of 'update' gets 1 tensors and the axes r, but its parameters are (H)",
        ),
        (
            lambda: te.update([A8, A8], R, lambda H, r: (r, 0.0)),
            "fupdate of 'update' gets 2 tensors and the axes r, but its parameters are (H, r)",
        ),
        (lambda: te.update(A8, R, 3), "fupdate of 'update' must be a function of tensors and axes"),
        (
            lambda: te.update(A8, R, lambda H, r: (r, 0.0), until=0),
            "until of 'update' must be a function of tensors and axes, as lambda H, i: ",
        ),
        (lambda: te.update(A8, R, lambda H, r: H[r]), "returns (index, value) or"),
        (
            lambda: te.update(A8, R, lambda H, r: ((r, r), 0.0)),
            "writes at 2 subscripts for its 1 axes",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, (0.0, 0.0))),
            "writes 2 values to its 1 tensors",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, H[r].astype("float64"))),
            "which is float64, to a tensor of float32; cast it with astype",
        ),
        (lambda: te.update(A8, R, lambda H, r: (H[r], 0.0)), "is float32, not an integer"),
        (
            lambda: te.update(A8, R, lambda H, r: (r, 0.0), until=lambda H: H[0] > 1),
            "until of 'update' gets 1 tensors and 1 to 1 of the first axes, but has 1 parameters",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, 0.0), until=lambda H, r: H[0]),
            "is float32, not bool",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (te.reduce_axis((0, 8), "q"), 0.0)),
            "uses axis q, which is not one of its axes (r)",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, te.sum(H[r], axis=r)), "H"),
            "sum(H.state[r], axis=[r]) stands inside the update of 'H'; a reduction must be the "
            "whole of an equation: give it its own te.compute and read that",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, te.sum(H[r], axis=r) + 1), "H"),
            "sum(H.state[r], axis=[r]) stands inside the update of 'H'",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (r, 0.0, te.max(H[0], axis=r) > 1), "H"),
            "max(H.state[0], axis=[r]) stands inside the update of 'H'",
        ),
        (
            lambda: te.update(A8, R, lambda H, r: (te.min(r, axis=r), 0.0), "H"),
            "stands inside the update of 'H'",
        ),
        (
            lambda: te.update(
                A8, R, lambda H, r: (r, 0.0), "H", until=lambda H, r: te.max(H[0], axis=r) > 1
            ),
            "max(H.state[0], axis=[r]) stands inside the update of 'H'",
        ),
    ],
)
def test_what_is_no_update_is_refused(make, message):
    with pytest.raises(teloom.Error) as refusal:
        make()
    assert message in str(refusal.value)


def test_maps_say_what_the_points_of_an_update_write():
    _, G, i, j = gauss_seidel()
    s = te.create_schedule(G)
    wavefront(s[G], i, j)
    maps = str(te.explain(s, "maps"))
    assert "writes [n] -> { G[i, j] -> G[i, j] : " in maps
    assert "reads  [n] -> { G[i, j] -> G[i, -1 + j] : " in maps


TO = te.placeholder((8,), "int32", name="TO")


def below(i, j):
    return j <= i


def test_elements_of_a_domain():
    """What is outside keeps what the caller had there; a domain of the init is inherited."""
    n = te.var("n")
    X = te.placeholder((n, n), "int32", name="X")
    k, m = te.reduce_axis((1, n), "k"), te.reduce_axis((0, n), "m")
    low = te.compute((n, n), lambda i, j: X[i, j], name="low", domain=below)
    sums = te.update(low, k, lambda S, k: ((k, 0), S[k, 0] + S[k - 1, 0]), name="sums")
    said = te.update(X, m, lambda S, m: ((m, m), S[m, 0] + 1), name="said", domain=below)
    s = te.create_schedule([sums, said])
    s[low].compute_inline()
    _, inner = s[sums].split(sums.op.axis[1], 4)
    s[sums].vectorize(inner)
    s[said].parallel(said.op.axis[0])
    run = teloom.build(s, [X, sums, said])
    for size in (0, 1, 2, 9):
        x = np.arange(size * size, dtype="int32").reshape(size, size)
        found = [np.full((size, size), -7, "int32") for _ in range(2)]
        run(x, *found)
        wanted = [np.tril(x), np.tril(x)]
        wanted[0][:, :1] = np.cumsum(x[:, :1], axis=0)
        np.fill_diagonal(wanted[1], x[:, :1] + 1)
        for one, other, said_by in zip(found, wanted, interpret_both([sums, said], x), strict=True):
            other[np.triu_indices(size, 1)] = -7
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(np.tril(said_by), np.tril(other))


def test_partial_results_have_no_domain():
    """Threads that fold into all elements of a box would write those outside of the domain."""
    J, Z = te.placeholder((9,), "int32", name="J"), te.placeholder((5, 5), "int32", name="Z")
    r = te.reduce_axis((0, 9), "r")

    def count(H, r):
        at = (4, te.bounded(J[r], 0, 5))
        return at, H[at] + 1

    H = te.update(Z, r, count, name="H", domain=below, reorderable=True)
    s = te.create_schedule(H)
    s[H].parallel(r)
    with pytest.raises(
        teloom.Error, match=r"at \[1\] may touch an element of H that \[0\] touches"
    ):
        teloom.lower(s, [J, Z, H])


def interpret_both(outputs: list[te.Tensor], x: np.ndarray) -> list[np.ndarray]:
    program = build_program([one.op for one in outputs], "f")
    return interpret(program.module, "f", [x], [len(x)])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda X, k: te.update(X, k, lambda S, k: ((0, k), 1.0), "S", domain=below),
            'stage "S" at [1] writes S[0, 1], but S has elements only where ax0 - ax1 >= 0',
        ),
        (
            lambda X, k: te.update(X, k, lambda S, k: ((k, 0), S[0, k]), "S", domain=below),
            'stage "S" at [1] reads S[0, 1], but S has elements only where ax0 - ax1 >= 0',
        ),
        (
            lambda X, k: te.update(
                X, k, lambda S, k: ((te.bounded(TO[k], 0, 8), k), 1.0), "S", domain=below
            ),
            'stage "S" at [1] writes S[?, 1], but S has elements only where ax0 - ax1 >= 0',
        ),
        (
            lambda X, k: te.compute(
                (8, 8),
                lambda i, j, S=te.update(X, k, lambda S, k: ((k, k), 1.0), "S", domain=below): S[
                    i, j
                ],
                name="all",
            ),
            'stage "all" at [0, 7] reads S[0, 7], but S has elements only where ax0 - ax1 >= 0',
        ),
        (
            lambda X, k: te.update(
                te.compute((8, 8), lambda i, j: X[i, j], name="low", domain=below),
                k,
                lambda S, k: ((k, k), 1.0),
                "S",
                domain=lambda i, j: j <= i + 1,
            ),
            'stage "S" at [0, 1] reads low[0, 1], but low has elements only where i - j >= 0',
        ),
    ],
)
def test_refuses_what_is_outside_of_a_domain(make, words: str):
    made = make(te.placeholder((8, 8), name="X"), te.reduce_axis((0, 8), "k"))
    with pytest.raises(teloom.Error) as error:
        te.infer_bounds(te.create_schedule(made))
    assert words in str(error.value)
