"""What is carried from step to step, against loops over the steps."""

from typing import Any

import numpy as np
import pytest
from layers_by_hand import Arrays, normal

import teloom
from teloom import te
from teloom.topi import nn


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def steps(x, wi, wh, bias, h, c, order="IFGO", project=lambda h: h, peep=(0, 0, 0), act=np.tanh):
    """The hidden and the cell state after each step."""
    hidden, cells, width = [], [], len(wi) // 4
    for element in x:
        gates = element @ wi.T + h @ wh.T + bias
        i, f, g, o = (gates[:, order.index(k) * width :][:, :width] for k in "IFGO")
        old = c
        c = sigmoid(f + peep[1] * old) * old + sigmoid(i + peep[0] * old) * np.tanh(g)
        h = project(sigmoid(o + peep[2] * c) * act(c))
        hidden.append(h)
        cells.append(c)
    return np.array(hidden), np.array(cells)


def test_lstm_of_all_parts(both):
    given = Arrays()
    x, wi, wh = normal(3, 2, 4), normal(12, 4), normal(12, 2)
    biases, peep = normal(2, 12), normal(3, 2, 3)
    h, c, proj = normal(2, 2), normal(2, 3), normal(2, 3)
    names = "Xs Wi Wh Bi Bh h_init c_init proj p_i p_f p_o".split()
    arrays = x, wi, wh, *biases, h, c, proj, *peep
    tensors: dict[str, Any] = dict(zip(names, map(given, arrays), strict=True))
    order = "IOFG"
    found = nn.lstm(**tensors, h_act=lambda x: te.max(x, 0), reverse=True, weight_layout=order)
    expected = steps(
        x[::-1], wi, wh, sum(biases), h, c, order, lambda h: h @ proj.T, peep, lambda x: x.clip(0)
    )
    both(given, list(zip(found, expected, strict=True)))


def test_lstm_by_rules():
    given = Arrays()
    arrays = x, wi, wh, h, proj = [
        normal(*shape) for shape in [(3, 2, 2), (12, 2), (12, 2), (2, 2), (2, 3)]
    ]
    xs, weights, recurrent, first, projection = map(given, arrays)
    found = nn.lstm(xs, weights, recurrent, h_init=first, proj=projection)
    run = teloom.build([xs, weights, recurrent, first, projection, *found])
    results = [np.empty((3, 2, 2), "float32"), np.empty((3, 2, 3), "float32")]
    run(*arrays, *results)
    expected = steps(x, wi, wh, 0, h, np.zeros((2, 3)), project=lambda h: h @ proj.T)
    for one, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-5)


def test_lstm_of_any_length(compile_once):
    t, b = te.var("t"), te.var("b")
    tensors = tuple(te.placeholder(k, "float64") for k in ((t, b, 2), (12, 2), (12, 3)))
    xs, weights, recurrent = tensors
    run = compile_once(tensors, nn.lstm(xs, weights, recurrent))
    wi, wh = normal(12, 2, dtype="float64"), normal(12, 3, dtype="float64")
    for length, batch in ((4, 2), (1, 1), (0, 2), (3, 0)):
        x = normal(length, batch, 2, dtype="float64")
        start = np.zeros((batch, 3))
        expected = steps(x, wi, wh, 0, start, start)
        found = run([x, wi, wh], [(length, batch, 3)] * 2)
        for one, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, wanted.reshape(one.shape), rtol=1e-12, atol=1e-12)


def test_last_elements_of_a_stream(both):
    given = Arrays()
    old, new, whole = normal(2, 5, 3), normal(2, 2, 3), normal(2, 5, 3)
    buffer = given(old)
    wanted = [
        (nn.fifo_buffer(given(new), buffer, 1), np.concatenate([old, new], 1)[:, 2:]),
        (nn.fifo_buffer(given(whole), buffer, -2), whole),
    ]
    both(given, wanted)


X, W = te.placeholder((3, 2, 4), name="X"), te.placeholder((12, 4), name="W")
R, B = te.placeholder((12, 3), name="R"), te.placeholder((11,), name="B")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: nn.lstm(X, W, W),
            "Wh is W of shape (12, 4) and dtype float32, but must be of shape",
        ),
        (lambda: nn.lstm(X, R, R), "topi.nn.lstm: Wi is R of shape (12, 3) and dtype float32, but"),
        (lambda: nn.lstm(X, te.placeholder((11, 4), name="V"), R), "Wi is V of shape (11, 4) and"),
        (lambda: nn.lstm(X, W, R, B), "Bi is B of shape (11,) and dtype float32, but must be of"),
        (
            lambda: nn.lstm(X, W, R, c_init=B),
            "c_init is B of shape (11,) and dtype float32, but must",
        ),
        (
            lambda: nn.lstm(X, W, R, proj=R),
            "topi.nn.lstm: Wh is R of shape (12, 3) and dtype float32",
        ),
        (
            lambda: nn.lstm(X, W, R, weight_layout="IFGG"),
            "weight_layout is 'IFGG', which is no order",
        ),
        (lambda: nn.lstm(X, W, R, g_act="tanh"), "g_act is 'tanh', which is no function"),  # pyright: ignore[reportArgumentType]
        (lambda: nn.lstm(W, W, R), "topi.nn.lstm: Xs is W of shape (12, 4) and dtype float32, but"),
        (lambda: nn.fifo_buffer(W, R, 0), "data has the extent 4 on axis 1, but buffer has 3"),
        (
            lambda: nn.fifo_buffer(W, R, 1),
            "data is W of shape (12, 4) and dtype float32, for the buf",
        ),
        (
            lambda: nn.fifo_buffer(X, R, 1),
            "data is X of shape (3, 2, 4) and dtype float32, but must",
        ),
        (lambda: nn.fifo_buffer(W, R, 2), "topi.nn.fifo_buffer: axis is 2, outside of -2..1"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
