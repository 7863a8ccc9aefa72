"""Gradients through updates, next to differences, and their refusals."""

import numpy as np
import pytest
from differences import Differences, checked

import teloom
from teloom import te, topi
from teloom.frontend.tensor.updates import UpdateOp

F64, I32 = "float64", "int32"


def given(*shape, name: str = "X") -> te.Tensor:
    return te.placeholder(shape, F64, name=name)


def places(*shape, name: str = "at") -> te.Tensor:
    return te.placeholder(shape, I32, name=name)


@pytest.mark.parametrize("fold", [topi.cumsum, topi.cumprod])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [((5, 3), 1), ((1, 1), 1), ((2, 1, 5), 2), ((7,), 0), ((2, 3), None)]
)
def test_of_running_folds(fold, exclusive: bool, shape: tuple[int, ...], axis: int | None):
    A = given(*shape)
    checked(fold(A, axis=axis, exclusive=exclusive), [A])


def test_running_folds_of_any_size():
    m, n = te.var("m"), te.var("n")
    A = given(m, n)
    for fold in (topi.cumsum, topi.cumprod):
        run = Differences([fold(A, axis=1)], [A], [])
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

    checked(te.update(G, (i, j), relaxed, name="relaxed"), [G, W])


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
    checked(a, [X, Z])


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


def refused(point, **options) -> te.Tensor:
    return te.update(X, axis(0, 3), point, name="done", **options)


AT6 = places(6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: refused(lambda x, k: (AT6[k], x[AT6[k]] * 2)),
            "goes through UpdateOp(done), which may write [at[k]] at several points, and does not "
            "only add to it; there are derivatives of updates of one write, which adds to "
            "elements, or writes each at most once, at subscripts that are sums of its axes",
        ),
        (lambda: refused(lambda x, k: (0, x[k])), "which may write [0] at several points"),
        (
            lambda: refused(lambda x, k: [(k, x[k] * 2), (k + 3, x[k])]),
            "which writes 2 elements at a point; there are derivatives of updates of one write",
        ),
        (
            lambda: refused(lambda x, k: (k, x[k] * 2), until=lambda x, k: x[k] > 0),
            "which ends where a condition says it; there are",
        ),
        (
            lambda: refused(lambda x, k: (k, x[k] * 2), domain=lambda i: i < 5),
            "which has a domain; there are",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        te.gradient(make(), [X])
    assert words in str(error.value)
