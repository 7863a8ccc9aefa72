"""`te.update`: tensors that are changed in order, beside loops of NumPy."""

from collections.abc import Callable

import numpy as np
import pytest

import teloom
from teloom import te

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

    function = built(H, [X], backwards)
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
            "[1, 1] reads G[1, 2], which [1, 2] overwrites when n = 3; its order is i, j",
        ),
        (lambda s, i, j: s.parallel(i), "[1, 7] reads G[2, 7], which [2, 7] overwrites"),
    ],
)
def test_an_order_that_dependences_forbid_is_refused_with_two_points(schedule, message):
    A, G, i, j = gauss_seidel()
    with pytest.raises(teloom.Error) as refusal:
        built(G, [A], lambda s: schedule(s[G], i, j))
    assert message in str(refusal.value)


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
