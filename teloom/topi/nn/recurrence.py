"""What is carried from step to step: LSTM cells, and the last elements of a stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import a_tensor, a_text, an_axis, shown, wrong
from teloom.topi.dtypes import of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import expect_same, same
from teloom.topi.tag import INJECTIVE

Function = Callable[[Any], Any]


def fifo_buffer(data: te.Tensor, buffer: te.Tensor, axis: int) -> te.Tensor:
    """The last elements of `buffer` and then `data` along `axis`, as many as `buffer` has.

    >>> new, old = te.placeholder((1, 2, 4), name="new"), te.placeholder((1, 8, 4), name="old")
    >>> fifo_buffer(new, old, 1)
    Tensor(shape=[1, 8, 4], dtype=float32, name=fifo_buffer)
    """
    name = "nn.fifo_buffer"
    along = an_axis(name, axis, a_tensor(name, "buffer", buffer).ndim)
    a_tensor(name, "data", data, buffer.ndim)
    others = [k for k in range(buffer.ndim) if k != along]
    for k in others:
        expect_same(name, {"data": data, "buffer": buffer}, {"buffer": k, "data": k})
    new, length = data.shape[along], buffer.shape[along]
    longer = isinstance(new, int) and isinstance(length, int) and new > length
    if data.dtype != buffer.dtype or longer:
        raise wrong(name, "data", f"is {shown(data)}, for the buffer {shown(buffer)}")
    kept = length - new

    def value(*at: Any) -> Any:
        older, newer = list(at), list(at)
        older[along], newer[along] = at[along] + new, at[along] - kept
        return te.if_then_else(at[along] < kept, buffer(*older), data(*newer))

    return computed(name, buffer.shape, value, f"{INJECTIVE},fifo_buffer")


class _Gates(NamedTuple):
    """The gates of cells before their activations: their terms, each by time, batch and place."""

    inputs: te.Tensor
    recurrent: te.Tensor
    cells: te.Tensor
    hidden: Any
    """How many elements a gate has."""
    order: dict[str, int]
    """Where a gate stands among the four."""
    peepholes: dict[str, te.Tensor | None]
    reversed_from: Any
    """The length of a sequence that is taken from its end; None of one from its begin."""

    def before(self, gate: str, t: Any, b: Any, j: Any, cell: Any) -> Any:
        """A gate before its activation; time 0 is that of the first states."""
        place = self.order[gate] * self.hidden + j
        element = t - 1 if self.reversed_from is None else self.reversed_from - t
        found = self.inputs(element, b, place) + self.recurrent(t, b, place)
        peephole = self.peepholes.get(gate)
        return found if peephole is None else found + peephole(b, j) * cell


def lstm(
    Xs: te.Tensor,
    Wi: te.Tensor,
    Wh: te.Tensor,
    Bi: te.Tensor | None = None,
    Bh: te.Tensor | None = None,
    h_init: te.Tensor | None = None,
    c_init: te.Tensor | None = None,
    proj: te.Tensor | None = None,
    p_i: te.Tensor | None = None,
    p_f: te.Tensor | None = None,
    p_o: te.Tensor | None = None,
    f_act: Function = te.sigmoid,
    g_act: Function = te.tanh,
    h_act: Function = te.tanh,
    reverse: bool = False,
    weight_layout: str = "IFGO",
) -> tuple[te.Tensor, te.Tensor]:
    """The hidden states and the cell states of an LSTM after each element of a sequence.

    `Xs` is (time, batch, inputs), `Wi` is (4 hidden, inputs), `Wh` is (4 hidden, hidden), and the
    biases `Bi` and `Bh` are (4 hidden,), for the gates in the order of `weight_layout`: input,
    forget, cell (G) and output. The states before the first element, `h_init` and `c_init`, are
    (batch, hidden), by default 0. With `proj`, of the shape (projected, hidden), hidden states are
    its products with them: `h_init` and `Wh` have as many columns. `p_i`, `p_f` and `p_o`, of the
    shape (batch, hidden), are weights of the cell state in gates. With `reverse`, the last element
    is the first that is taken, and has the first states. As ONNX's LSTM.

    >>> X, W = te.placeholder((te.var("t"), 2, 8), name="X"), te.placeholder((12, 8), name="W")
    >>> hidden, cells = lstm(X, W, te.placeholder((12, 3), name="R"))
    >>> hidden
    Tensor(shape=[t, 2, 3], dtype=float32, name=lstm_hidden)
    """
    name = "nn.lstm"
    of_kind(name, "Xs", a_tensor(name, "Xs", Xs, 3), "float")
    letters = a_text(name, "weight_layout", weight_layout)
    if sorted(letters) != sorted("IFGO"):
        raise wrong(name, "weight_layout", f"is {weight_layout!r}, which is no order of IFGO")
    for argument, function in (("f_act", f_act), ("g_act", g_act), ("h_act", h_act)):
        if not callable(function):
            raise wrong(name, argument, f"is {function!r}, which is no function")
    time, batch, inputs = Xs.shape
    hidden = a_tensor(name, "Wi", Wi, 2).shape[0] // 4
    if not same(hidden * 4, Wi.shape[0]):
        raise wrong(name, "Wi", f"is {shown(Wi)}, whose axis 0 is not that of four gates")
    columns = hidden if proj is None else a_tensor(name, "proj", proj, 2).shape[0]
    four, cell = hidden * 4, [batch, hidden]
    expected = {"Wi": (Wi, [four, inputs]), "Wh": (Wh, [four, columns])}
    expected |= {"Bi": (Bi, [four]), "Bh": (Bh, [four]), "proj": (proj, [columns, hidden])}
    expected |= {"h_init": (h_init, [batch, columns]), "c_init": (c_init, cell)}
    expected |= {"p_i": (p_i, cell), "p_f": (p_f, cell), "p_o": (p_o, cell)}
    for argument, (given, shape) in expected.items():
        _check(name, Xs, argument, given, shape)

    at = {letter: k for k, letter in enumerate(letters)}
    peepholes = {"I": p_i, "F": p_f, "O": p_o}
    products = _of_inputs(Xs, Wi, Bi, Bh)
    h_state, c_state = (
        te.placeholder((time + 1, *cell), Xs.dtype, which) for which in ("lstm_h", "lstm_c")
    )
    recurrent = _products("nn.lstm_recurrent", _before(h_state, proj, h_init), Wh)
    gates = _Gates(products, recurrent, c_state, hidden, at, peepholes, time if reverse else None)
    starts = [_start(h_state, h_init if proj is None else None), _start(c_state, c_init)]
    states = [h_state, c_state]
    h, c = te.scan(starts, [*_step(gates, f_act, g_act, h_act)], states, name="lstm_scan")
    return _after("hidden", time, h, proj), _after("cells", time, c, None)


def _check(
    name: str, data: te.Tensor, argument: str, given: te.Tensor | None, shape: Sequence[Any]
) -> None:
    """Refuses a tensor of another dtype than the data, or of another shape; None is none."""
    if given is None and argument not in ("Wi", "Wh"):
        return
    tensor = a_tensor(name, argument, given)
    if tensor.dtype != data.dtype or not te.same_extents(tensor.shape, shape):
        problem = f"is {shown(tensor)}, but must be of shape {tuple(shape)} and dtype {data.dtype}"
        raise wrong(name, argument, problem)


def _of_inputs(data: te.Tensor, weight: te.Tensor, *biases: te.Tensor | None) -> te.Tensor:
    """The products of inputs and weights, which no state needs, with the biases."""
    products = _products("nn.lstm_inputs", data, weight)

    def biased(t: Any, b: Any, g: Any) -> Any:
        found = products(t, b, g)
        for bias in biases:
            found = found if bias is None else found + bias(g)
        return found

    return computed("nn.lstm_biased", products.shape, biased, INJECTIVE)


def _products(name: str, data: te.Tensor, weight: te.Tensor) -> te.Tensor:
    """The products of the last axis of data and the rows of a weight."""
    k = te.reduce_axis((0, data.shape[2]), "k")

    def product(t: Any, b: Any, g: Any) -> Any:
        return te.sum(data(t, b, k) * weight(g, k), axis=k)

    return computed(name, [*data.shape[:2], weight.shape[0]], product)


def _before(h: te.Tensor, proj: te.Tensor | None, first: te.Tensor | None) -> te.Tensor:
    """The hidden states before each step, by the time of the step, projected."""
    time, batch, hidden = h.shape
    if proj is None:
        shape = [time, batch, hidden]
        return computed("nn.lstm_before", shape, lambda t, b, j: h(t - 1, b, j), INJECTIVE)
    k = te.reduce_axis((0, hidden), "k")
    shape = [time, batch, proj.shape[0]]

    def product(t: Any, b: Any, j: Any) -> Any:
        return te.sum(h(t - 1, b, k) * proj(j, k), axis=k)

    found = computed("nn.lstm_projected", shape, product)

    def known(t: Any, b: Any, j: Any) -> Any:
        return (
            found(t, b, j)
            if first is None
            else te.if_then_else(t == 1, first(b, j), found(t, b, j))
        )

    return computed("nn.lstm_before", shape, known, INJECTIVE)


def _step(
    gates: _Gates, f_act: Function, g_act: Function, h_act: Function
) -> tuple[te.Tensor, te.Tensor]:
    """The hidden states and the cell states at each time, of those before."""
    shape = gates.cells.shape

    def next_cell(t: Any, b: Any, j: Any) -> Any:
        old = gates.cells(t - 1, b, j)
        kept = f_act(gates.before("F", t, b, j, old)) * old
        return kept + f_act(gates.before("I", t, b, j, old)) * g_act(
            gates.before("G", t, b, j, old)
        )

    cells = computed("nn.lstm_next_c", shape, next_cell)

    def next_hidden(t: Any, b: Any, j: Any) -> Any:
        new = cells(t, b, j)
        return f_act(gates.before("O", t, b, j, new)) * h_act(new)

    return computed("nn.lstm_next_h", shape, next_hidden), cells


def _start(state: te.Tensor, first: te.Tensor | None) -> te.Tensor:
    zero = te.const(0, state.dtype)
    shape = [1, *state.shape[1:]]
    value = (lambda t, b, j: zero) if first is None else (lambda t, b, j: first(b, j))
    return computed(f"nn.{state.name}_start", shape, value)


def _after(which: str, time: Any, states: te.Tensor, proj: te.Tensor | None) -> te.Tensor:
    """The states after each step, projected."""
    shape = [time, *states.shape[1:]]
    name = f"nn.lstm_{which}"
    if proj is None:
        return computed(name, shape, lambda t, b, j: states(t + 1, b, j), INJECTIVE)
    k = te.reduce_axis((0, shape[2]), "k")

    def projected(t: Any, b: Any, j: Any) -> Any:
        return te.sum(states(t + 1, b, k) * proj(j, k), axis=k)

    return computed(name, [*shape[:2], proj.shape[0]], projected)
