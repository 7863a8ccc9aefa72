"""Gradients through updates, next to differences, and their refusals."""

import numpy as np
import pytest
from budget import pairs
from differences import Differences, checked

import teloom
from teloom import te, topi
from teloom.frontend.tensor.updates import UpdateOp

F64, I32 = "float64", "int32"


def given(*shape, name: str = "X") -> te.Tensor:
    return te.placeholder(shape, F64, name=name)


def places(*shape, name: str = "at") -> te.Tensor:
    return te.placeholder(shape, I32, name=name)


@pytest.mark.parametrize(
    ("fold", "exclusive", "place"),
    pairs(
        (topi.cumsum, topi.cumprod),
        (False, True),
        (((5, 3), 1), ((1, 1), 1), ((2, 1, 5), 2), ((7,), 0), ((2, 3), None)),
    ),
)
def test_of_running_folds(fold, exclusive: bool, place: tuple[tuple[int, ...], int | None]):
    shape, axis = place
    A = given(*shape)
    checked(fold(A, axis=axis, exclusive=exclusive), [A], auto=shape == (5, 3))


def test_running_folds_of_any_size():
    m, n = te.var("m"), te.var("n")
    A = given(m, n)
    for fold in (topi.cumsum, topi.cumprod):
        run = Differences([fold(A, axis=1)], [A], [], auto=fold is topi.cumprod)
        for shape in [(1, 1), (3, 7), (0, 3), (2, 0)]:
            run.check([np.random.default_rng(0).random(shape)], shape=shape)


def test_a_running_sum_is_taken_back_by_one():
    A = given(9)
    (dA,) = te.gradient(topi.cumsum(A, axis=0), [A], head=given(9, name="H"))
    (back,) = (one.op for one in dA.op.input_tensors if isinstance(one.op, UpdateOp))
    (write,) = back.definition.writes
    assert [str(one) for one in write.values] == [
        "(cumsum.grad.0.state[((9 - k0) - 1)] + cumsum.grad.0.state[(9 - k0)])"
    ]


AT = np.array([[0, 1, 2, 4], [0, 3, -1, 4], [2, 1, 0, 0]], I32)
IDS = np.array([0, 2, 0, -1, 3, 9], I32)


def test_of_scattered_sums():
    A, at, B = given(5, 4, name="A"), places(3, 4), given(3, 4, name="B")
    checked(topi.scatter_elements(A, at, B, 0, "add"), [A, B], data={at: AT})
    rows = places(1, 3, name="rows")
    checked(topi.scatter_nd(A, rows, B, "add"), [A, B], data={rows: np.array([[4, 0, 4]], I32)})
    (dB,) = te.gradient(topi.scatter_nd(A, rows, B, "add"), [B], head=given(5, 4, name="H"))
    assert not dB.op.reduce_axis


def test_of_segments():
    D, ids = given(6, 3, name="D"), places(6, name="ids")
    for fold in (topi.segment_sum, topi.segment_mean):
        checked(fold(D, ids, 4), [D], data={ids: IDS})


def test_gathers_are_taken_back_by_scattered_sums():
    """Each point adds to one element; none is looked for."""
    table, at = given(5, 3, name="table"), places(7)
    C = te.compute((7, 3), lambda i, j: table[at[i], j] * table[0, j], name="C")
    checked(C, [table], data={at: np.array([0, 3, 3, 1, 4, 0, 2], I32)})
    (by_table,) = te.gradient(
        te.compute((7, 3), lambda i, j: table[at[i], j], name="rows"),
        [table],
        head=given(2, 7, 3, name="H"),
    )
    assert isinstance(by_table.op, UpdateOp)
    assert by_table.shape == (2, 5, 3)


@pytest.mark.parametrize(("n", "m"), [(5, 4), (3, 3)])
def test_of_a_relaxation(n: int, m: int):
    """Elements as they were before, and as they are now, in one value."""
    G, W = given(n, m, name="G"), given(n, m, name="W")
    i, j = te.reduce_axis((1, n - 1), "i"), te.reduce_axis((1, m - 1), "j")

    def relaxed(g, i, j):
        near = g[i - 1, j] * W[i, j] + g[i, j - 1] + g[i + 1, j] * g[i, j + 1]
        return (i, j), te.sin(near) * g[i, j]

    checked(te.update(G, (i, j), relaxed, name="relaxed"), [G, W], auto=n == 5)


X, Y, Z = given(6), given(3, name="Y"), given(6, name="Z")


def axis(begin, end, name="k") -> te.IterVar:
    return te.reduce_axis((begin, end), name)


UPDATES = {
    "overwritten": (axis(0, 3), lambda x, k: (2 * k + 1, Y[k] * Y[k])),
    "scaled": (axis(0, 6), lambda x, k: (5 - k, x[5 - k] * Z[k])),
    "under a condition": (
        axis(0, 3),
        lambda x, k: (2 * k + 1, Y[k] * x[2 * k] * x[2 * k + 1], k > 0),
    ),
    "where it was positive": (axis(1, 6), lambda x, k: (k, x[k - 1] * Z[k] + 1, x[k] > Z[k])),
    "mirrored": (axis(0, 6), lambda x, k: (k, x[5 - k] * x[k])),
    "guarded": (
        axis(0, 6),
        lambda x, k: (k, te.if_then_else(k > 1, x[k - 2] * x[k], x[k]) + Z[5 - k]),
    ),
    "added, under conditions": (
        axis(0, 3),
        lambda x, k: (2 * k, te.if_then_else(k > 0, Y[k - 1] + x[2 * k], x[2 * k] - Y[k]), k < 2),
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_of_updates(name: str):
    over, point = UPDATES[name]
    checked(te.update(X, over, point, name="update"), [X, Y, Z])


def test_elements_that_data_tells():
    """Whether two reads of a point are of one element is known when it runs."""
    at, k = places(6), axis(0, 6)
    U = te.update(X, k, lambda x, k: (k, x[at[k]] * x[k] + x[5 - k]), name="U")
    checked(U, [X], data={at: np.array([0, 0, 3, 2, 5, 4], I32)})


def test_of_several_tensors():
    k = axis(1, 6)
    a, b = te.update(
        [X, Z],
        k,
        lambda x, z, k: (k, (x[k - 1] * z[k], te.sin(x[k]) + z[k - 1] * x[k - 1])),
        name="two",
    )
    checked(te.compute((6,), lambda i: a[i] * b[i] + b[5 - i], name="both"), [X, Z])
    checked(a, [X, Z], auto=False)


def test_beside_a_count():
    """A tensor of integers has no derivative, and tells what is written."""
    zero = te.compute((6,), lambda i: te.const(0, I32), name="zero")
    k = axis(1, 6)
    a, _ = te.update(
        [X, zero],
        k,
        lambda x, n, k: (k, (x[k - 1] * x[k] * (n[k - 1] + 1), n[k - 1] + 1)),
        name="counted",
    )
    checked(a, [X])


def test_of_a_triangle():
    T, i = given(4, 4, name="T"), axis(0, 4, "i")
    j = te.reduce_axis((0, i + 1), "j")

    def point(t, i, j):
        left = te.if_then_else(j > 0, t[i, te.max(j - 1, 0)], 1.0)
        return (i, j), t[j, i] * t[i, j] + left

    checked(te.update(T, (i, j), point, name="triangle"), [T])


def test_the_jacobian():
    (whole,) = te.gradient(topi.cumprod(X), [X])
    (row,) = te.gradient(topi.cumprod(X), [X], head=(H := given(6, name="H")))
    x, jacobian, found = np.random.default_rng(0).random(6), np.empty((6, 6)), np.empty(6)
    teloom.build([X, whole])(x, jacobian)
    run = teloom.build([X, H, row])
    for at, h in enumerate(np.eye(6)):
        run(x, h, found)
        np.testing.assert_allclose(found, jacobian[at])


@pytest.mark.parametrize("mode", ["update", "mul", "min", "max", "mean"])
def test_of_scatters(mode: str):
    """A place is written several times: the last one stays, or it folds them."""
    A, at, B = given(5, 4, name="A"), places(3, 4), given(3, 4, name="B")
    checked(
        topi.scatter_elements(A, at, B, 0, mode),
        [A, B],
        data={at: AT},
        auto=mode in ("update", "mul"),
    )


def test_of_scatters_of_any_size():
    m, n = te.var("m"), te.var("n")
    A, at, B = given(m, name="A"), places(n), given(n, name="B")
    run = Differences([topi.scatter_elements(A, at, B, 0, "mul")], [A, B], [at])
    for a, b in [(3, 5), (1, 1), (4, 0), (2, 9)]:
        rng = np.random.default_rng(0)
        arrays = [rng.uniform(-2, 2, a), rng.uniform(-2, 2, b)]
        run.check(arrays, [rng.integers(0, a, b).astype(I32)], shape=(a,))


@pytest.mark.parametrize("fold", [topi.segment_prod, topi.segment_max, topi.segment_min])
def test_of_folds_over_segments(fold):
    D, ids = given(6, 3, name="D"), places(6, name="ids")
    folded = fold(D, ids, 3)
    checked(
        folded, [D], data={ids: np.array([0, 2, 0, 1, 1, 9], I32)}, auto=fold is topi.segment_prod
    )


def test_of_a_factorization():
    """Elements are written many times, and their derivative is that of what is there at last."""
    n = 4
    S, k = given(n, n, name="S"), axis(0, n)
    i = te.reduce_axis((k, n), "i")
    j = te.reduce_axis((k, i + 1), "j")

    def eliminated(e, k, i, j):
        root = te.if_then_else(i == k, te.sqrt(e[k, k]), e[i, k] / e[k, k])
        return (i, j), te.if_then_else(j == k, root, e[i, j] - e[i, k] * e[j, k])

    run = Differences([te.update(S, (k, i, j), eliminated, name="factor")], [S], [])
    m = np.random.default_rng(0).random((n, n))
    run.check([m @ m.T + 4 * np.eye(n)])


@pytest.mark.parametrize("back", [-2, -1, 1])
def test_a_branch_on_what_is_read_beside_a_point(back: int):
    """Its condition is read only where there is a point."""
    A, B = given(7, name="A"), given(7, name="B")
    k = axis(max(0, -back), 7 - max(0, back))

    def point(g, k):
        return k, te.if_then_else(g[k + back] > 0.1, B[k] * 0.5, g[k] - B[k])

    checked(te.update(A, (k,), point, name="branched"), [A, B], auto=back == -2)


def test_of_several_sweeps():
    G, W = given(4, 4, name="G"), given(4, 4, name="W")
    axes = axis(0, 3, "t"), axis(1, 3, "i"), axis(1, 3, "j")

    def relaxed(g, t, i, j):
        near = g[i - 1, j] * W[i, j] + g[i, j - 1] + g[i + 1, j] * g[i, j + 1]
        return (i, j), te.sin(near) * g[i, j]

    checked(te.update(G, axes, relaxed, name="sweeps"), [G, W])


@pytest.mark.parametrize("to", [0, 1])
def test_of_several_writes(to: int):
    """All are of what was there before the point; of two at one place the last one stays."""
    U = te.update(
        X,
        axis(0, 5),
        lambda x, k: [(k, x[k + 1] * x[k]), (k + to, x[k] * 3.0 + Z[k], k > 1)],
        name="U",
    )
    checked(U, [X, Z])


@pytest.mark.parametrize("until", [lambda g, i, j: g[i, j - 1] > 1.0, lambda g, i: g[i, 0] < 0.0])
def test_of_what_ends_early(until):
    G = given(4, 4, name="G")

    def point(g, i, j):
        return (i, j), g[i, j - 1] * g[i, j] + g[te.max(i - 1, 0), j]

    checked(te.update(G, (axis(0, 4, "i"), axis(1, 4, "j")), point, until=until, name="U"), [G])


def test_a_batch_of_heads_with_a_log():
    product = topi.scatter_elements(X, INDEX, Y, 0, "mul")
    (whole,) = te.gradient(product, [X])
    (row,) = te.gradient(product, [X], head=(H := given(6, name="H")))
    at, x, y = np.array([3, 3, 1], I32), *(np.random.default_rng(0).random(n) for n in (6, 3))
    jacobian, found = np.empty((6, 6)), np.empty(6)
    teloom.build([X, INDEX, Y, whole])(x, at, y, jacobian)
    run = teloom.build([X, INDEX, Y, H, row])
    for number, h in enumerate(np.eye(6)):
        run(x, at, y, h, found)
        np.testing.assert_allclose(found, jacobian[number])


INDEX = places(3)


def refused(point, start=X, **options) -> te.Tensor:
    return te.update(start, axis(2, 4), point, name="done", **options)


SHIFTED = te.compute(((2, 6),), lambda i: X[i], name="shifted")
COUNTS = te.compute((6,), lambda i: te.const(1, I32), name="counts")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: refused(lambda x, k: (k, x[k] * 2), domain=lambda i: i < 5),
            "goes through UpdateOp(done), which has a domain",
        ),
        (
            lambda: refused(lambda x, k: (0, x[k] * 2, x[k] > 1)),
            "which writes where (done.state[k] > 1.0) says it, which it changes",
        ),
        (
            lambda: refused(
                lambda x, n, k: (te.bounded(n[k], 0, 6), (x[k] * 2, n[k])), [X, COUNTS]
            )[0],
            "which writes where bounded(done.1.state[k], 0, 6) says it, which it changes",
        ),
        (
            lambda: refused(lambda x, k: (3, x[k] * 2), SHIFTED),
            "which begins at 2",
        ),
        (
            lambda: refused(lambda x, k: (0, te.call_pure_extern("float64", "sin", x[k]))),
            "the gradient of sin(done.state[k]), in 'done', is not known",
        ),
        (
            lambda: refused(lambda x, k: (0, x[k] * te.call_pure_extern("float64", "sin", Z[k]))),
            "which calls sin(Z[k])",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        te.gradient(make(), [X])
    assert words in str(error.value)
