"""Gradients through scans, next to differences, and their refusals."""

import numpy as np
import pytest
from budget import chosen, few, pairs
from differences import Differences, checked

import teloom
from teloom import te, topi
from teloom.frontend.tensor.tensors import ScanOp

F64 = "float64"


def given(*shape, name: str = "X") -> te.Tensor:
    return te.placeholder(shape, F64, name=name)


def rnn(times, n) -> tuple[te.Tensor, list[te.Tensor]]:
    """A recurrent network, and what it is made of."""
    W, X, h0 = given(n, n, name="W"), given(times, n), given(n, name="h0")
    state, k = given(times, n, name="state"), te.reduce_axis((0, n), "k")
    first = te.compute((1, n), lambda t, i: h0[i], name="first")
    product = te.compute(
        (times, n), lambda t, i: te.sum(W[i, k] * state[t - 1, k], axis=k), name="product"
    )
    cell = te.compute((times, n), lambda t, i: te.tanh(product[t, i] + X[t, i]), name="cell")
    return te.scan(first, cell, state, name="h"), [W, X, h0]


@pytest.mark.parametrize(("times", "n"), chosen([(1, 1), (2, 4), (7, 5)], [(1, 1), (7, 5)]))
def test_of_a_recurrent_network(times: int, n: int):
    checked(*rnn(times, n), auto=times == 7)


def test_of_any_size():
    times, n = te.var("times"), te.var("n")
    run = Differences([(network := rnn(times, n))[0]], network[1], [], auto=False)
    for t, i in [(1, 1), (2, 4), (4, 3), (0, 3), (3, 0)]:
        rng = np.random.default_rng(0)
        run.check([rng.random(shape) for shape in [(i, i), (t, i), (i,)]], shape=(t, i))


def test_its_parts():
    """What goes back is one scan; the gradient of the weights is one reduction."""
    h, (W, X, _) = rnn(9, 4)
    dW, dX = te.gradient(h, [W, X], head=given(9, 4, name="H"))
    (scan,) = (one.op for one in dW.op.input_tensors if isinstance(one.op, ScanOp))
    assert scan.num_outputs == 2
    assert str(dW.op.body[0]) == "sum((h.grad.v0[r, i0] * h.reversed[(r + 1), i1]), axis=[r])"
    assert str(dX.op.body[0]).startswith("if_then_else")


@pytest.mark.parametrize("times", [3, 4, 9])
def test_several_initial_steps_and_a_window(times: int):
    X, w = given(times), given(3, name="w")
    state, k = given(times, name="state"), te.reduce_axis((0, 3), "k")
    first = te.compute((3,), lambda t: X[t] * 2, name="first")
    total = te.compute((times,), lambda t: te.sum(w[k] * state[t - 1 - k], axis=k), name="total")
    step = te.compute(
        (times,), lambda t: te.sin(total[t]) + X[times - 1 - t] * state[t - 2], name="step"
    )
    checked(te.scan(first, step, state, name="y"), [w, X], auto=times == 9)


@pytest.mark.parametrize(
    ("times", "n", "k"), chosen([(1, 1, 1), (5, 3, 4), (4, 2, 3)], [(1, 1, 1), (5, 3, 4)])
)
def test_states_of_different_shapes(times: int, n: int, k: int):
    X, C0 = given(times, n), given(n, k, name="C0")
    h, c, z = given(times, n, name="h"), given(times, n, k, name="c"), given(times, name="z")
    first = [
        te.compute((1, n), lambda t, i: X[t, i]),
        te.compute((1, n, k), lambda t, i, j: C0[i, j]),
        te.compute((1,), lambda t: te.const(0.5, F64)),
    ]
    r, q = te.reduce_axis((0, k), "r"), te.reduce_axis((0, n), "q")
    total = te.compute((times, n), lambda t, i: te.sum(c[t - 1, i, r], axis=r), name="total")
    row = te.compute(
        (times, n), lambda t, i: te.sin(total[t, i]) * 0.1 + X[t, i] * z[t - 1], name="row"
    )
    grid = te.compute(
        (times, n, k),
        lambda t, i, j: c[t - 1, i, j] / 2 + h[t - 1, i] * c[t - 1, i, k - 1 - j],
        name="grid",
    )
    one = te.compute((times,), lambda t: te.max(h[t - 1, q], axis=q), name="one")
    H, C, Z = te.scan(first, [row, grid, one], [h, c, z], name="S")
    made = te.compute((times, n), lambda t, i: H[t, i] * Z[t] + C[t, i, 0], name="made")
    checked(made, [X, C0], auto=times == 5)


LSTMS = [
    ((1, 1, 1, 1), {}),
    ((3, 2, 3, 2), {}),
    ((3, 1, 2, 3), {"reverse": True}),
    ((3, 2, 2, 3), {"proj": given(2, 3, name="proj")}),
]


@pytest.mark.parametrize(("sizes", "options"), few(LSTMS, 2))
def test_of_an_lstm(sizes: tuple[int, int, int, int], options: dict):
    times, batch, n, hidden = sizes
    columns = options["proj"].shape[0] if "proj" in options else hidden
    shapes = {
        "Xs": (times, batch, n),
        "Wi": (4 * hidden, n),
        "Wh": (4 * hidden, columns),
        "Bi": (4 * hidden,),
        "h_init": (batch, columns),
        "c_init": (batch, hidden),
        "p_f": (batch, hidden),
        "p_o": (batch, hidden),
    }
    parts = {name: given(*shape, name=name) for name, shape in shapes.items()}
    H, C = topi.nn.lstm(**parts, **options)
    made = te.compute(H.shape, lambda t, b, i: H[t, b, i] + C[t, b, 0], name="made")
    inputs = [*parts.values(), *(one for one in options.values() if one is not True)]
    checked(made, inputs, auto=False)


@pytest.mark.parametrize(
    ("fold", "exclusive", "shape"),
    pairs((topi.cumsum, topi.cumprod), (False, True), ((5, 3), (2, 3, 2))),
)
def test_of_folds_along_the_first_axis(fold, exclusive: bool, shape: tuple[int, ...]):
    A = given(*shape)
    folded = fold(A, axis=0, exclusive=exclusive)
    assert isinstance(folded.op, ScanOp)
    checked(folded, [A], auto=not exclusive)


def guarded(times: int) -> tuple[te.Tensor, te.Tensor]:
    """A scan that looks further back than it has initial steps, where there is something."""
    A, state = given(times, 2, name="A"), given(times, 2, name="state")
    step = te.compute(
        (times, 2),
        lambda t, i: (
            te.if_then_else(t > 1, state[t - 2, 1 - i] * A[t, i], A[t, i]) + state[t - 1, i]
        ),
        name="step",
    )
    first = te.compute((1, 2), lambda t, i: A[t, i], name="first")
    return te.scan(first, step, state, name="y"), A


def test_steps_under_conditions():
    for times in (1, 2, 5):
        y, A = guarded(times)
        checked(y, [A], auto=times == 5)


@pytest.mark.parametrize(("times", "count"), [(1, 1), (2, 3), (6, 4)])
def test_of_neighbours_that_data_tells(times: int, count: int):
    """The init takes part in the first step alone, also where every step reads at such places."""
    weights, z = given(times, count, name="weights"), given(1, count, name="z")
    at = te.placeholder((count,), "int32", name="at")
    state = given(times, count, name="state")
    first = te.compute((1, count), lambda t, i: te.sin(z[t, i]), name="first")
    step = te.compute(
        (times, count),
        lambda t, i: te.sin(state[t - 1, te.bounded(at[i], 0, count)] * weights[t, i]),
        name="step",
    )
    output = te.scan(first, step, state, name="h")
    places = (np.arange(count)[::-1] // 2).astype("int32")
    checked(output, [weights, z], data={at: places}, auto=times == 6)


def test_the_jacobian():
    y, A = guarded(4)
    H = given(4, 2, name="H")
    (whole,), (row,) = te.gradient(y, [A]), te.gradient(y, [A], head=H)
    a, jacobian = np.random.default_rng(0).random((4, 2)), np.empty((4, 2, 4, 2))
    teloom.build([A, whole])(a, jacobian)
    run, found = teloom.build([A, H, row]), np.empty((4, 2))
    for at in np.ndindex(4, 2):
        h = np.zeros((4, 2))
        h[at] = 1
        run(a, h, found)
        np.testing.assert_allclose(found, jacobian[at])


def test_a_scan_of_a_scan_with_a_count():
    """States that are no floats have no derivative; that of one scan goes on in the other."""
    times = 4
    first, A = rnn(times, 3)
    s, n = given(times, 3, name="s"), te.placeholder((times,), "int32", name="n")
    count = te.compute((times,), lambda t: n[t - 1] + 2, name="count")
    step = te.compute(
        (times, 3), lambda t, i: s[t - 1, i] * first[t, i] * n[t - 1] + first[t - 1, i], name="step"
    )
    starts = [
        te.compute((1, 3), lambda t, i: first[t, i] * 2),
        te.compute((1,), lambda t: te.const(1, "int32")),
    ]
    second, _ = te.scan(starts, [step, count], [s, n], name="second")
    checked(second, A, auto=False)


def test_scheduled():
    h, ins = rnn(6, 8)
    H = given(6, 8, name="H")
    grads = te.gradient(h, ins, head=H)
    s = te.create_schedule([one.op for one in grads])
    for stage in s.stages:
        if stage.name in ("h.reversed", "cell.again"):
            stage.compute_inline()
        if stage.name == "W.grad":
            stage.parallel(stage.op.axis[0])
    rng = np.random.default_rng(0)
    arrays = [rng.random(one.shape) for one in (*ins, H)]
    plain, found = ([np.empty(one.shape) for one in grads] for _ in range(2))
    teloom.build([*ins, H, *grads], auto=False)(*arrays, *plain)
    teloom.build(s, [*ins, H, *grads])(*arrays, *found)
    for one, other in zip(plain, found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def refused(step, extents=(6, 3)) -> te.Tensor:
    state = given(*extents, name="state")
    first = te.compute((1, *extents[1:]), lambda *at: A[at], name="first")
    following = te.compute(extents, lambda t, i: step(state, t, i), name="following")
    return te.scan(first, following, state, name="steps")


A = given(6, 3, name="A")
AT = te.placeholder((6,), "int32", name="at")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: te.gradient(refused(lambda s, t, i: s[te.bounded(AT[t], 0, t), i]), [A]),
            "goes through ScanOp(steps), whose step 'following' reads state[bounded(at[t], 0, t), "
            "i]; it may read a state a known number of steps before, as [t - 1]",
        ),
        (
            lambda: te.gradient(refused(lambda s, t, i: s[t // 2, i]), [A]),
            "reads state[(t // 2), i]; it may read a state a known number",
        ),
        (
            lambda: te.gradient(h := refused(lambda s, t, i: s[t - 1, i] * 2), [h.op.updates[0]]),
            "following is inside of the scan steps; there are derivatives by what the scan reads "
            "and by its results",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)
