"""Recurrences: their numbers, and what they refuse."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from budget import is_chosen

import teloom
from teloom import te
from teloom.backend.interpreter.equations import InterpretError, interpret

SIZES = [(0, 0), (0, 3), (1, 1), (2, 1), (3, 5), (17, 9), (4, 0)]


class Sums(NamedTuple):
    """Running sums along the first axis, doubled by one more stage."""

    X: te.Tensor
    first: te.Tensor
    following: te.Tensor
    sums: te.Tensor
    doubled: te.Tensor


def sums_of(m, n, step: Callable = lambda S, t, i: S[t - 1, i]) -> Sums:
    X, S = te.placeholder((m, n), name="X"), te.placeholder((m, n), name="S")
    first = te.compute((1, n), lambda t, i: X[t, i], name="first")
    following = te.compute((m, n), lambda t, i: step(S, t, i) + X[t, i], name="following")
    sums = te.scan(first, following, S, name="sums")
    doubled = te.compute((m, n), lambda t, i: sums[t, i] * 2, name="doubled")
    return Sums(X, first, following, sums, doubled)


@pytest.fixture
def sums() -> Sums:
    return sums_of(te.var("m"), te.var("n"))


def check_sums(s: te.schedule.Schedule, sums: Sums) -> None:
    """The scheduled program gives NumPy's numbers, at all sizes."""
    run = teloom.build(s, [sums.X, sums.doubled])
    for shape in SIZES:
        x = np.arange(np.prod(shape), dtype="float32").reshape(shape)
        found = np.full(shape, -1, "float32")
        run(x, found)
        np.testing.assert_array_equal(found, 2 * np.cumsum(x, axis=0, dtype="float32"))


def test_cumulative_sum(sums):
    check_sums(te.create_schedule(sums.doubled), sums)


def test_text_of_a_scan(assert_ir):
    assert_ir(
        sums_of(te.var("m"), 4).sums,
        """
        te.func @main(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
          %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
            %x = te.read %X[%t, %i] : f32
            te.yield %x : f32
          }
          %sums = te.scan "sums" (%idx = %m, %i1 = 4) init %first until 1 state %S
              : tensor<?x4xf32> {
            %following = te.compute "following" (%t = %m, %i = 4) : tensor<?x4xf32> {
              %s = te.read %S[%t - 1, %i] : f32
              %x = te.read %X[%t, %i] : f32
              %y = arith.addf %s, %x : f32
              te.yield %y : f32
            }
            te.yield %following : tensor<?x4xf32>
          }
          te.return %sums : tensor<?x4xf32>
        }""",
    )


SCHEDULES: dict[str, Callable] = {
    "split": lambda s, p, t, i: s[p.sums].split(t, 4),
    "split in parts": lambda s, p, t, i: s[p.sums].split(t, nparts=3),
    "unrolled": lambda s, p, t, i: s[p.sums].unroll(t),
    "shifted": lambda s, p, t, i: s[p.sums].shift(t, 3),
    "skewed": lambda s, p, t, i: s[p.sums].skew(i, t, 1),
    "column after column": lambda s, p, t, i: s[p.sums].reorder(i, t),
    "columns at the same time": lambda s, p, t, i: (
        s[p.sums].reorder(i, t),
        s[p.sums].parallel(i),
    ),
    "tiles of times and columns": lambda s, p, t, i: s[p.sums].tile(t, i, 4, 3),
    "skewed along the columns": lambda s, p, t, i: s[p.sums].skew(t, i, 1),
    "lanes of columns": lambda s, p, t, i: (
        s[p.following].compute_inline(),
        s[p.sums].vectorize(s[p.sums].tile(t, i, 4, 8)[3]),
    ),
    "inlined": lambda s, p, t, i: (
        s[p.following].compute_inline(),
        s[p.first].compute_inline(),
        s[p.sums].vectorize(i),
    ),
    "steps in the inner loop": lambda s, p, t, i: s[p.following].compute_at(s[p.sums], i),
    "init in the loop": lambda s, p, t, i: s[p.first].compute_at(s[p.sums], t),
    "steps split and vectorized": lambda s, p, t, i: s[p.following].vectorize(
        s[p.following].split(p.following.op.axis[1], 4)[1]
    ),
    "cache of the result": lambda s, p, t, i: s[
        s.cache_read(p.sums, "local", p.doubled)
    ].compute_at(s[p.doubled], p.doubled.op.axis[0]),
    "cache of an input": lambda s, p, t, i: s[s.cache_read(p.X, "local", p.following)].compute_at(
        s[p.sums], t
    ),
    "cache of a step": lambda s, p, t, i: s[s.cache_read(p.following, "local", p.sums)].compute_at(
        s[p.sums], t
    ),
    "cache of the init": lambda s, p, t, i: s[s.cache_read(p.first, "local", p.sums)].compute_at(
        s[p.sums], t
    ),
    "step written to a cache": lambda s, p, t, i: s.cache_write(p.following, "local"),
    "cache written to a cache": lambda s, p, t, i: s.cache_write(
        s.cache_write(p.following, "local"), "local"
    ),
    "step written to a cache in it": lambda s, p, t, i: s[
        s.cache_write(p.following, "local")
    ].compute_at(s[p.following], s[p.following].op.axis[1]),
    "in a loop of its reader": lambda s, p, t, i: s[p.sums].compute_at(
        s[p.doubled], p.doubled.op.axis[0]
    ),
    "stored outside of that": lambda s, p, t, i: (
        s[p.sums].compute_at(s[p.doubled], p.doubled.op.axis[0]),
        s[p.sums].rolling_buffer(),
    ),
    "steps in a window": lambda s, p, t, i: s[p.following].rolling_buffer(),
    "copied ahead": lambda s, p, t, i: (
        s[p.sums].compute_at(s[p.doubled], p.doubled.op.axis[0]),
        s[p.sums].double_buffer(),
    ),
    "aligned": lambda s, p, t, i: s[p.sums].storage_align(t, 8, 1),
    "turned": lambda s, p, t, i: s[p.sums].transform_layout(lambda t, i: [i, t]),
    "a group with its steps": lambda s, p, t, i: s.create_group(p.sums, p.X).compute_at(
        s[p.doubled], p.doubled.op.axis[0]
    ),
    "a group of steps": lambda s, p, t, i: s.create_group(p.following, p.X).compute_at(
        s[p.sums], i
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule_of_a_scan(sums, name):
    s = te.create_schedule(sums.doubled)
    SCHEDULES[name](s, sums, *sums.sums.op.axis)
    check_sums(s, sums)


def outer_first(s, p, t, i):
    outer, inner = s[p.sums].split(t, 4)
    s[p.sums].reorder(inner, outer)


def vectorized_of_inlined(s, p, t, i):
    s[p.following].compute_inline()
    s[p.sums].reorder(i, t)
    s[p.sums].vectorize(t)


REFUSED_SCHEDULES: dict[str, tuple[Callable, str]] = {
    "split and reordered": (
        outer_first,
        'stage "following" at [4, 0] reads sums[3, 0], at (idx.inner = 0); the equations compute '
        "sums[3, 0] before, the schedule at (idx.inner = 3, idx.outer = 0, i1 = 0), which is later",
    ),
    "parallel": (
        lambda s, p, t, i: s[p.sums].parallel(t),
        "the schedule at (idx = 0, i1 = 0), and iterations of idx, which is parallel, have no",
    ),
    "vectorized": (
        lambda s, p, t, i: s[p.sums].vectorize(t),
        '"sums" is a scan, in whose loops "following" is computed, but the outermost, idx, is '
        "vectorized",
    ),
    "vectorized further in": (vectorized_of_inlined, "idx, which is vectorized, have no order"),
    "bound": (
        lambda s, p, t, i: s[p.sums].bind(t, "threadIdx.x"),
        "iterations of idx, which is threadIdx.x, have no order",
    ),
    "fused, of a symbolic extent": (
        lambda s, p, t, i: s[p.sums].fuse(t, i),
        'it is not proved that stage "following" finds what "sums" writes: an extent of a fused '
        'or split axis of "sums" is symbolic; known is the order in which the loops of time, idx, '
        "are outermost",
    ),
    "reversed": (
        lambda s, p, t, i: s[p.sums].reverse(t),
        "before, the schedule at (idx.reversed = 1, i1 = 0), which is later",
    ),
    "reordered and folded": (
        lambda s, p, t, i: (s[p.sums].reorder(i, t), s[p.sums].fold_storage(t, 2)),
        'cannot say which elements of "sums" are needed at the same time: its loops do not run '
        "from step to step; store it without folding",
    ),
    "steps at the root": (
        lambda s, p, t, i: s[p.following].compute_root(),
        'cannot compute "following" outside of "sums", of which it reads earlier steps; legal '
        "places: sums.idx, sums.i1",
    ),
    "steps in a reader's loop": (
        lambda s, p, t, i: s[p.following].compute_at(s[p.doubled], p.doubled.op.axis[0]),
        'cannot compute "following" outside of "sums"',
    ),
    "steps of several times": (
        lambda s, p, t, i: s[p.following].compute_at(s[p.sums], s[p.sums].split(t, 4)[0]),
        'stage "following" at [3, 0] reads sums[2, 0] before time 2 of sums is computed; a '
        "step can read earlier times only (here m = 4, n = 1)",
    ),
    "cache of a step at the root": (
        lambda s, p, t, i: s.cache_read(p.following, "local", p.sums),
        'cannot compute "following.local" outside of "sums"',
    ),
    "inlined": (
        lambda s, p, t, i: (s[p.following].compute_inline(), s[p.sums].compute_inline()),
        'cannot inline "sums": it is a scan, whose steps read what is stored of it',
    ),
    "written to a cache": (
        lambda s, p, t, i: s.cache_write(p.sums, "local"),
        "cannot compute sums in 'local' first: it is a scan, whose steps read it; set_scope says",
    ),
    "cache of the state": (
        lambda s, p, t, i: s.cache_read(p.sums.op.states[0], "local", p.following),
        "S is the state of a scan, no tensor of its own: name the scan",
    ),
    "layout of the state": (
        lambda s, p, t, i: s[p.sums.op.states[0]].transform_layout(lambda t, i: [i, t]),
        "S is the state of a scan, no tensor of its own: name the scan",
    ),
    "prefetch of the state": (
        lambda s, p, t, i: s[p.following].prefetch(p.sums.op.states[0], p.following.op.axis[1], 1),
        "S is the state of a scan, no tensor of its own: name the scan",
    ),
    "steps copied ahead": (
        lambda s, p, t, i: s[p.following].double_buffer(),
        "what is computed an iteration ahead and the rest of the iteration both use sums",
    ),
    "folded": (
        lambda s, p, t, i: s[p.sums].fold_storage(t, 2),
        "sums[0, 0] and sums[2, 0] would share memory, and both are needed at the same time",
    ),
}


@pytest.mark.parametrize("name", REFUSED_SCHEDULES)
def test_refused_schedule_of_a_scan(sums, name):
    command, words = REFUSED_SCHEDULES[name]
    s = te.create_schedule(sums.doubled)

    def schedule():
        command(s, sums, *sums.sums.op.axis)
        teloom.lower(s, [sums.X, sums.doubled])

    with pytest.raises(teloom.Error) as error:
        schedule()
    assert words in str(error.value)


STEPS: dict[str, tuple[Callable, str]] = {
    "its own": (
        lambda S, t, i: S[t, i],
        'stage "following" at [1, 0] reads sums[1, 0] before time 1',
    ),
    "later": (lambda S, t, i: S[t + 1, i], "when n >= 1: stage"),
    "before the first": (lambda S, t, i: S[t - 2, i], "reads sums[-1, 0], but axis 0 of sums runs"),
    "beside": (lambda S, t, i: S[t - 1, i + 1], "but axis 1 of sums runs from 0 to 0"),
    "one for all": (lambda S, t, i: S[3, i], "reads sums[3, 0] before time 1 of sums is"),
    "of data": (
        lambda S, t, i: S[
            te.const(2, "int32") * (i % 2) + te.floor(S[t - 1, i]).astype("int32"), i
        ],
        "reads sums[?, 0] before time 1 of sums is",
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_refused_step(name):
    step, words = STEPS[name]
    program = sums_of(8, te.var("n"), step)
    with pytest.raises(teloom.Error) as error:
        teloom.lower(te.create_schedule(program.sums), [program.X, program.sums])
    assert words in str(error.value)
    if name != "of data":
        x = np.ones((8, 3), "float32")
        with pytest.raises(InterpretError):
            interpret(te.create_schedule(program.sums).module, "main", [x], [3])


EARLIER: dict[str, Callable] = {
    "the first": lambda S, t, i: S[0, i],
    "half of it": lambda S, t, i: S[t // 2, i],
    "promised": lambda S, t, i: S[te.bounded(te.floor(S[t - 1, i]).astype("int32") % 1, 0, t), i],
    "all before": lambda S, t, i: te.if_then_else(t % 2 == 0, S[t - 1, i], S[t // 3, i]),
}


@pytest.mark.parametrize("name", EARLIER)
def test_any_earlier_time(name):
    program = sums_of(te.var("m"), te.var("n"), EARLIER[name])
    s = te.create_schedule(program.sums)
    run = teloom.build(s, [program.X, program.sums])
    for shape in [(1, 2), (13, 3)]:
        x = np.random.default_rng(0).integers(0, 9, shape).astype("float32")
        found = np.full(shape, -1, "float32")
        run(x, found)
        (expected,) = interpret(s.module, "main", [x], shape)
        np.testing.assert_array_equal(found, expected)


def test_all_earlier_times():
    m, n = te.var("m"), te.var("n")
    X, S = te.placeholder((m, n), name="X"), te.placeholder((m, n), name="S")
    first = te.compute((1, n), lambda t, i: X[t, i], name="first")
    k = te.reduce_axis((0, m), "k")
    following = te.compute(
        (m, n), lambda t, i: te.sum(S[k, i], axis=k, where=k < t), name="following"
    )
    R = te.scan(first, following, S, name="R")
    run = teloom.build(te.create_schedule(R), [X, R])
    for shape in SIZES:
        x = np.ones(shape, "float32")
        run(x, found := np.full(shape, -1, "float32"))
        powers = [[2.0 ** max(t - 1, 0)] * shape[1] for t in range(shape[0])]
        np.testing.assert_array_equal(found, np.array(powers, "float32").reshape(shape))


def test_an_update_that_reads_no_state(sums):
    m, n = sums.X.shape
    S = te.placeholder((m, n), name="S")
    R = te.scan(sums.first, sums.doubled, S, name="R")
    s = te.create_schedule(R)
    s[sums.doubled].compute_root()
    run = teloom.build(s, [sums.X, R])
    x = np.arange(12, dtype="float32").reshape(4, 3)
    run(x, found := np.empty_like(x))
    expected = 2 * np.cumsum(x, axis=0)
    expected[0] = x[0]
    np.testing.assert_array_equal(found, expected)


def test_an_update_that_is_the_state(sums):
    R = te.scan(sums.first, sums.sums.op.states[0], sums.sums.op.states[0], name="R")
    with pytest.raises(
        teloom.Error, match=r'"R" at \[1, 0\] reads R\[1, 0\] before time 1 of R is'
    ):
        teloom.lower(te.create_schedule(R), [sums.X, R])


def test_fibonacci():
    m = te.var("m")
    S = te.placeholder((m,), "int64", name="S")
    ones = te.compute((2,), lambda t: te.const(1, "int64"), name="ones")
    following = te.compute((m,), lambda t: S[t - 1] + S[t - 2], name="following")
    numbers = te.scan(ones, following, S, name="numbers")
    run = teloom.build(te.create_schedule(numbers), [numbers])
    for count in (0, 1, 2, 3, 20):
        found = np.full(count, -1)
        run(found)
        expected = [1, 1]
        while len(expected) < count:
            expected.append(expected[-1] + expected[-2])
        assert found.tolist() == expected[:count]


def test_as_many_initial_steps_as_a_size_says():
    m, k = te.var("m"), te.var("k")
    X, S = te.placeholder((m,), name="X"), te.placeholder((m,), name="S")
    start = te.compute((k,), lambda t: te.const(1.0, "float32"), name="start")
    following = te.compute(
        (m,), lambda t: te.if_then_else(t >= 1, S[t - 1], 0.0) + X[t], name="following"
    )
    R = te.scan(start, following, S, name="R")
    run = teloom.build(te.create_schedule(R), [k, X, R])
    for steps, count in [(0, 5), (2, 5), (5, 5), (7, 5), (3, 0), (0, 0)]:
        x = np.arange(count, dtype="float32")
        found = np.full(count, -1, "float32")
        run(steps, x, found)
        expected = np.ones(count, "float32")
        for t in range(steps, count):
            expected[t] = (expected[t - 1] if t else 0) + x[t]
        np.testing.assert_array_equal(found, expected)


def rnn(m, n):
    """h[t] = tanh(W h[t-1] + x[t]), with the product in a stage of its own."""
    X, W = te.placeholder((m, n), "float64", name="X"), te.placeholder((n, n), "float64", name="W")
    S = te.placeholder((m, n), "float64", name="S")
    zeros = te.compute((1, n), lambda t, i: te.const(0.0, "float64"), name="zeros")
    k = te.reduce_axis((0, n), "k")
    product = te.compute((m, n), lambda t, i: te.sum(W[i, k] * S[t - 1, k], axis=k), name="product")
    cell = te.compute((m, n), lambda t, i: te.tanh(product[t, i] + X[t, i]), name="cell")
    return X, W, product, cell, te.scan(zeros, cell, S, name="h")


@pytest.mark.parametrize("scheduled", [False, True])
def test_recurrent_cell(scheduled):
    X, W, product, cell, h = rnn(te.var("m"), te.var("n"))
    s = te.create_schedule(h)
    if scheduled:
        outer, _ = s[cell].split(cell.op.axis[1], 4)
        s[product].compute_at(s[cell], outer)
        s[product].vectorize(product.op.axis[1])
    run = teloom.build(s, [X, W, h])
    for m, n in [(0, 3), (1, 3), (6, 1), (5, 7), (3, 0)]:
        generator = np.random.default_rng(0)
        x, w = generator.random((m, n)), generator.random((n, n))
        found = np.full((m, n), -1.0)
        run(x, w, found)
        expected = np.zeros((m, n))
        for t in range(1, m):
            expected[t] = np.tanh(w @ expected[t - 1] + x[t])
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_reduction_of_the_states():
    """The steps of a scan may be a reduction, and start from a state."""
    m = te.var("m")
    S = te.placeholder((m, 3), "int32", name="S")
    start = te.compute((1, 3), lambda t, i: i + 1, name="start")
    k = te.reduce_axis((0, 3), "k")
    following = te.compute(
        (m, 3), lambda t, i: te.sum(S[t - 1, k], axis=k, init=S[t - 1, i] * 10), name="following"
    )
    R = te.scan(start, following, S, name="R")
    run = teloom.build(te.create_schedule(R), [R])
    run(found := np.full((5, 3), -1, "int32"))
    expected = np.zeros((5, 3), "int32")
    expected[0] = [1, 2, 3]
    for t in range(1, 5):
        expected[t] = expected[t - 1].sum() + 10 * expected[t - 1]
    np.testing.assert_array_equal(found, expected)


def two_states(m, n):
    A, B = te.placeholder((m, n), name="A"), te.placeholder((m, n), "int32", name="B")
    a0 = te.compute((1, n), lambda t, i: te.const(1.0, "float32"), name="a0")
    b0 = te.compute((1, n), lambda t, i: te.const(0), name="b0")
    a = te.compute((m, n), lambda t, i: A[t - 1, i] + B[t - 1, i].astype("float32"), name="a")
    b = te.compute((m, n), lambda t, i: B[t - 1, i] + t, name="b")
    return te.scan([a0, b0], [a, b], [A, B], name="R")


def expected_states(m, n):
    a, b = np.ones((m, n), "float32"), np.zeros((m, n), "int32")
    for t in range(1, m):
        a[t], b[t] = a[t - 1] + b[t - 1], b[t - 1] + t
    return a, b


def test_two_states():
    results = two_states(te.var("m"), te.var("n"))
    run = teloom.build(te.create_schedule(results), results)
    for shape in SIZES:
        a, b = np.full(shape, -1, "float32"), np.full(shape, -1, "int32")
        run(a, b)
        for found, expected in zip((a, b), expected_states(*shape), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_both_states_are_stored_where_one_is_read():
    m, n = te.var("m"), te.var("n")
    a, _ = two_states(m, n)
    C = te.compute((m, n), lambda t, i: a[t, i] * 2, name="C")
    s = te.create_schedule(C)
    text = str(teloom.lower(s, [m, n, C], level="loop"))
    assert text.count('loop.realize "R" [0 : %m, 0 : %n]') == 2
    run = teloom.build(s, [m, n, C])
    run(6, 2, found := np.full((6, 2), -1, "float32"))
    np.testing.assert_array_equal(found, expected_states(6, 2)[0] * 2)


@pytest.mark.parametrize(
    ("how", "generations", "last"),
    [("boards", 20, 1), ("elements", 20, 1), ("inlined", 20, 3), ("boards", 1, 1)],
)
def test_generations_are_stored_while_they_are_read(how, generations, last):
    """Sums of neighbours, generation after generation, of which the last few are read."""
    shape = (generations, 7, 5)
    X, S = te.placeholder((1, 7, 5), "int32", name="X"), te.placeholder(shape, "int32", name="S")
    following = te.compute(
        shape,
        lambda t, y, x: S[t - 1, y, x] + S[t - 1, te.max(y - 1, 0), te.min(x + 1, 4)],
        name="following",
    )
    G = te.scan(X, following, S, name="G")
    C = te.compute((last, 7, 5), lambda t, y, x: G[generations - last + t, y, x] + 1, name="C")
    s = te.create_schedule(C)
    time, _, x = G.op.axis
    if how == "elements":
        s[following].compute_at(s[G], x)
    elif how == "inlined":
        s[following].compute_inline()
    s[G].fold_storage(time)
    stored = min(generations, max(last, 1 if how == "boards" else 2))
    (found,) = [stage for stage in te.explain(s) if stage.name == "G"]
    assert found.stored == stored * 7 * 5 * 4
    x = np.random.default_rng(0).integers(0, 3, (1, 7, 5)).astype("int32")
    teloom.build(s, [X, C])(x, result := np.empty((last, 7, 5), "int32"))
    boards = [x[0]]
    y, z = np.maximum(np.arange(7) - 1, 0), np.minimum(np.arange(5) + 1, 4)
    for _ in range(generations - 1):
        boards.append(boards[-1] + boards[-1][np.ix_(y, z)])
    np.testing.assert_array_equal(result, np.array(boards[-last:]) + 1)


READS = {
    "own": lambda S, t, i, n: S[t - 1, i] * 2,
    "later": lambda S, t, i, n: S[t - 1, i] + S[t - 1, te.min(i + 1, n - 1)],
    "earlier": lambda S, t, i, n: S[t - 1, i] + S[t - 1, te.max(i - 1, 0)],
}

NEIGHBOURS = {
    "own": lambda x: x * 2,
    "later": lambda x: x + np.append(x[1:], x[-1:]),
    "earlier": lambda x: x + np.append(x[:1], x[:-1]),
}


@pytest.mark.parametrize(
    ("reads", "how", "times"),
    [
        ("own", "inlined", 1),
        ("own", "at elements", 1),
        ("own", "in vectors", 1),
        ("own", "in parts", 1),
        ("own", "on threads", 2),
        ("later", "inlined", 1),
        ("later", "in vectors", 1),
        ("later", "reversed", 2),
        ("earlier", "inlined", 2),
        ("earlier", "reversed", 1),
        ("earlier", "at elements", 2),
    ],
)
@pytest.mark.parametrize("is_known", [True, False])
def test_a_generation_is_overwritten_behind_the_last_read_of_each_element(
    reads, how, times, is_known
):
    n = te.const(37) if is_known else te.size_var("n")
    X, S = te.placeholder((n,), "int32", name="X"), te.placeholder((9, n), "int32", name="S")
    first = te.compute((1, n), lambda t, i: X[i], name="first")
    following = te.compute((9, n), lambda t, i: READS[reads](S, t, i, n), name="following")
    G = te.scan(first, following, S, name="G")
    C = te.compute((n,), lambda i: G[8, i], name="C")
    s = te.create_schedule(C)
    time, i = G.op.axis
    s[G].fold_storage(time)
    if how == "at elements":
        s[following].compute_at(s[G], i)
    else:
        s[following].compute_inline()
    if how == "in vectors":
        s[G].vectorize(i)
    elif how == "in parts":
        s[G].split(i, factor=8)
    elif how == "reversed":
        s[G].reverse(i)
    elif how == "on threads":
        s[G].parallel(i)
    text = str(teloom.lower(s, [X, C], level="loop"))
    assert f"folded axis 0 factor {times} " in text
    if is_known and not is_chosen((reads, how), [("own", "in parts"), ("later", "in vectors")]):
        return
    run = teloom.build(s, [X, C])
    for size in (37,) if is_known else (0, 1, 8, 37):
        x = np.random.default_rng(0).integers(-9, 9, size).astype("int32")
        run(x, found := np.empty(size, "int32"))
        for _ in range(8):
            x = NEIGHBOURS[reads](x)
        np.testing.assert_array_equal(found, x)


def test_times_of_a_scan_that_runs_place_by_place_are_all_stored():
    shape = (6, 8)
    A, S = te.placeholder(shape, "int32", name="A"), te.placeholder(shape, "int32", name="S")
    first = te.compute((1, 8), lambda t, i: A[0, i], name="first")
    following = te.compute(
        shape,
        lambda t, i: te.if_then_else(i > 0, S[t - 1, i - 1], 0) * 2 + A[t, i],
        name="following",
    )
    G = te.scan(first, following, S, name="G")
    C = te.compute((8,), lambda i: G[5, i], name="C")
    s = te.create_schedule(C)
    s[following].compute_inline()
    time, i = G.op.axis
    s[G].reorder(i, time)
    s[G].fold_storage(time)
    with pytest.warns(teloom.Remark, match="G"):
        run = teloom.build(s, [A, C])
    a = np.random.default_rng(0).integers(-9, 9, shape).astype("int32")
    run(a, found := np.empty(8, "int32"))
    expected = a[0]
    for row in a[1:]:
        expected = np.append([0], expected[:-1]) * 2 + row
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("is_reordered", [False, True])
def test_times_that_later_iterations_read_are_kept(is_reordered):
    """All are computed in the first iteration of a reader, which reads the last one there."""
    X = te.placeholder((8,), "int32", name="X")
    S = te.placeholder((6, 8), "int32", name="S")
    first = te.compute((1, 8), lambda t, i: X[i], name="first")
    following = te.compute((6, 8), lambda t, i: S[t - 1, i] * 2 + t, name="following")
    G = te.scan(first, following, S, name="G")
    C = te.compute((6, 8), lambda y, i: G[5 - y, i], name="C")
    s = te.create_schedule(C)
    s[following].compute_inline()
    time, i = G.op.axis
    if is_reordered:
        s[G].reorder(i, time)
    s[G].compute_at(s[C], C.op.axis[0])
    s[G].store_root()
    s[G].fold_storage(time)
    run = teloom.build(s, [X, C])
    assert 'realize "G" [0 : 6, 0 : 8] :' in run.source("loop")
    run(np.arange(8, dtype="int32"), found := np.empty((6, 8), "int32"))
    expected = [np.arange(8)]
    for t in range(1, 6):
        expected.append(expected[-1] * 2 + t)
    np.testing.assert_array_equal(found, expected[::-1])


def test_a_scan_of_a_scan(sums):
    """What a scan reads and what reads it may be scans, too."""
    m, n = sums.X.shape
    S = te.placeholder((m, n), name="S")
    first = te.compute((1, n), lambda t, i: sums.doubled[t, i], name="first2")
    following = te.compute((m, n), lambda t, i: S[t - 1, i] + sums.sums[t, i], name="following2")
    R = te.scan(first, following, S, name="R")
    s = te.create_schedule(R)
    s[sums.sums].compute_at(s[following], following.op.axis[0])
    with pytest.raises(teloom.ScheduleError, match="not every read of it is inside"):
        teloom.lower(s, [sums.X, R])
    s = te.create_schedule(R)
    run = teloom.build(s, [sums.X, R])
    x = np.random.default_rng(0).integers(0, 9, (7, 3)).astype("float32")
    run(x, found := np.full((7, 3), -1, "float32"))
    of_x = np.cumsum(x, axis=0)
    expected = of_x.copy()
    expected[0] *= 2
    np.testing.assert_array_equal(found, np.cumsum(expected, axis=0))


def test_a_scan_in_the_loop_of_another():
    """A scan whose one reader is a step of another can be computed in its loop of time."""
    m, n = te.var("m"), te.var("n")
    inner = sums_of(m, n)
    S = te.placeholder((m, n), name="T")
    first = te.compute((1, n), lambda t, i: te.const(0.0, "float32"), name="zero")
    following = te.compute((m, n), lambda t, i: S[t - 1, i] + inner.sums[t, i], name="sum2")
    R = te.scan(first, following, S, name="R")
    s = te.create_schedule(R)
    s[inner.sums].compute_at(s[R], R.op.scan_axis)
    run = teloom.build(s, [inner.X, R])
    x = np.random.default_rng(0).integers(0, 9, (7, 3)).astype("float32")
    run(x, found := np.full((7, 3), -1, "float32"))
    expected = np.cumsum(x, axis=0)
    expected[0] = 0
    np.testing.assert_array_equal(found, np.cumsum(expected, axis=0))


def test_a_scan_and_an_extern(sums):
    def negated(a, b):
        b[...] = -a

    m, n = sums.X.shape
    E = te.extern((m, n), [sums.sums], lambda i, o: te.call_packed(negated, *i, *o), name="E")
    run = teloom.build(te.create_schedule(E), [sums.X, E])
    x = np.arange(12, dtype="float32").reshape(4, 3)
    run(x, found := np.empty_like(x))
    np.testing.assert_array_equal(found, -np.cumsum(x, axis=0))


def test_what_a_scan_says(sums):
    op = sums.sums.op
    assert isinstance(op, te.ScanOp)
    assert op.scan_axis is op.axis[0]
    assert op.input_tensors == [sums.first, sums.following]
    assert te.schedule.ScanGetBody(op) == [sums.following.op, op]
    assert op.spatial_axis_ == op.axis[1:]
    with pytest.raises(teloom.Error, match=r"ComputeOp\(doubled\) is no scan"):
        te.schedule.ScanGetBody(sums.doubled.op)
    s = te.create_schedule(sums_of(8, 4).sums)
    explained = {stage.name: stage for stage in te.explain(s)}
    assert explained["following"].at == "sums.idx"
    assert explained["following"].times == 8
    assert explained["following"].computed == 28
    assert explained["sums"].computed == 32


def test_arrays_with_strides(sums):
    m, n = sums.X.shape
    row = te.var("row")
    rows = te.decl_buffer((m, n), name="rows", strides=[row, 1])
    run = teloom.build(te.create_schedule(sums.sums), [sums.X, sums.sums], binds={sums.sums: rows})
    x = np.arange(12, dtype="float32").reshape(4, 3)
    around = np.full((4, 5), -1, "float32")
    run(x, around[:, 1:4])
    np.testing.assert_array_equal(around[:, 1:4], np.cumsum(x, axis=0))
    assert (around[:, [0, 4]] == -1).all()


def test_refused_arguments():
    m, n = te.var("m"), te.var("n")
    S, X = te.placeholder((m, n), name="S"), te.placeholder((m, n), name="X")
    first = te.compute((1, n), lambda t, i: X[t, i], name="first")
    following = te.compute((m, n), lambda t, i: S[t - 1, i], name="following")
    whole = te.compute((), lambda: 1.0, name="whole")
    short = te.compute((1, n + 1), lambda t, i: 1.0, name="short")
    other = te.compute((m, n), lambda t, i: te.const(1), name="other")
    scalar = te.placeholder((), name="scalar")
    U = te.placeholder((m + 1, n), name="U")
    of_u = te.compute((m + 1, n), lambda t, i: U[t - 1, i], name="of_u")
    cases = [
        (([first, first], [following], [S]), "'R' has 2 inits, 1 updates and 1 states; there must"),
        (([], [], []), "'R' has 0 inits, 0 updates and 0 states"),
        ((1, following, S), "init 1 of 'R' is no tensor"),
        ((first, following, first), "the state first of 'R' is computed; it"),
        ((first, following, scalar), "the state scalar of 'R' has no axis, so there is no time"),
        ((whole, following, S), "the init whole of 'R' has no axis, so there is no time"),
        ((first, other, S), "update other of 'R' is int32, its state S is float32"),
        ((short, following, S), "short of 'R' has the extents [(n + 1)] where S has [n]"),
        ((first, first, S), "first of 'R' has the extents [1, n] where S has [m, n]"),
        (([first] * 2, [following] * 2, [S, S]), "S is the state of two results of 'R'"),
        (
            ([first] * 2, [following, of_u], [S, U]),
            "U of 'R' has the extents [(m + 1)] where S has [m]",
        ),
        ((first, following, S, 5), "input 5 of 'R' is no tensor"),
    ]
    for arguments, words in cases:
        with pytest.raises(teloom.Error) as error:
            te.scan(*arguments, name="R")
        assert words in str(error.value)


def test_refused_programs(sums):
    m, n = sums.X.shape
    S = sums.sums.op.states[0]
    again = te.scan(sums.first, sums.following, S, name="again")
    beside = te.compute((m, n), lambda t, i: sums.following[t, i] + sums.sums[t, i], name="beside")
    T = te.placeholder((m, n), name="T")
    both = te.compute((m, n), lambda t, i: S[t - 1, i] + T[t - 1, i], name="both")
    of_two = te.scan([sums.first, sums.first], [both, both], [S, T], name="of_two")
    outer = te.scan(sums.first, both, T, name="outer")
    inner = te.scan(sums.first, sums.following, S, name="inner")
    mixed = te.compute((m, n), lambda t, i: outer[t, i] + inner[t, i], name="mixed")
    early = te.compute((1, n), lambda t, i: S[t, i], name="early")
    early_scan = te.scan(early, sums.following, S, name="early_scan")
    extern = te.extern((m, n), [S], lambda i, o: te.call_packed(np.copyto, o[0], i[0]), name="code")
    of_code = te.compute((m, n), lambda t, i: extern[t - 1, i], name="of_code")
    T2 = te.placeholder((m, n), name="T2")
    step = te.compute((m, n), lambda t, i: T2[t - 1, i], name="step")
    nested = te.scan(early, step, T2, name="nested")
    of_nested = te.compute((m, n), lambda t, i: nested[t - 1, i], name="of_nested")
    around = te.scan(sums.first, of_nested, S, name="around")
    assert te.create_schedule(of_two)
    cases = [
        ([sums.sums, again], "S is the state of two scans, sums and again"),
        (beside, "beside reads the state of sums, or what is computed from it, but is none of its"),
        (mixed, "both depends on the states of inner and outer; a step is one of one scan"),
        (early_scan, "the init of early_scan depends on its state, which begins with the init"),
        (te.scan(sums.first, of_code, S, name="R"), "code depends on the state of R, which has"),
        (around, "nested depends on the state of around: a scan cannot be a step of another"),
        ([sums.sums, sums.following], "following is one of the steps of sums, of which only the"),
    ]
    for outputs, words in cases:
        with pytest.raises(teloom.Error) as error:
            te.create_schedule(outputs)
        assert words in str(error.value)
    with pytest.raises(teloom.Error, match="following, is of the steps of a scan, which are not"):
        teloom.lower(te.create_schedule(sums.sums), [sums.X, sums.following, sums.sums])


class Stencil(NamedTuple):
    """Two states: of a stencil over the neighbours one time before, and of its running maximum."""

    X: te.Tensor
    near: te.Tensor
    most: te.Tensor
    values: te.Tensor
    maxima: te.Tensor


def stencil_of(m, n) -> Stencil:
    X = te.placeholder((n,), "int32", name="X")
    V, M = (te.placeholder((m, n), "int32", name=name) for name in "VM")
    first = te.compute((1, n), lambda t, i: X[i], name="first")
    near = te.compute(
        (m, n),
        lambda t, i: V[t - 1, te.max(i - 1, 0)] - 2 * V[t - 1, i] + V[t - 1, te.min(i + 1, n - 1)],
        name="near",
    )
    most = te.compute((m, n), lambda t, i: te.max(M[t - 1, i], near[t, i]), name="most")
    values, maxima = te.scan([first, first], [near, most], [V, M], name="S")
    return Stencil(X, near, most, values, maxima)


def tiles_of(s, p, factors):
    """Tiles of times and of columns that move with time."""
    time, across = p.values.op.axis
    skewed = s[p.values].skew(across, time, 1)
    return s[p.values].tile(time, skewed, *factors)


def in_waves(s, p, factor):
    """A wave of points that do not depend on each other after the other; returns both loops."""
    time, across = p.values.op.axis
    wave = s[p.values].skew(across, time, factor)
    s[p.values].reorder(wave, time)
    for step in (p.near, p.most):
        s[step].compute_at(s[p.values], wave)
    return wave, time


def tiled_inside(s, p):
    *_, inner = tiles_of(s, p, (3, 2))
    for step in (p.near, p.most):
        s[step].compute_at(s[p.values], inner)


ORDERS: dict[str, Callable] = {
    "time in tiles": lambda s, p: tiles_of(s, p, (4, 3)),
    "a tile whose steps are computed point by point": tiled_inside,
    "waves": lambda s, p: in_waves(s, p, 2),
    "points of a wave on threads": lambda s, p: s[p.values].parallel(in_waves(s, p, 2)[1]),
}


@pytest.mark.parametrize("name", ORDERS)
def test_time_and_space_in_another_order(name):
    p = stencil_of(te.var("m"), te.var("n"))
    s = te.create_schedule(p.values.op)
    ORDERS[name](s, p)
    run = teloom.build(s, [p.X, p.values, p.maxima])
    for m, n in [(0, 3), (1, 1), (4, 7), (9, 2)]:
        x = np.arange(n, dtype="int32") ** 2 % 7
        values, maxima = np.zeros((2, m, n), "int32")
        run(x, values, maxima)
        expected = [x][:m]
        while len(expected) < m:
            v = np.pad(expected[-1], 1, mode="edge")
            expected.append(v[:-2] - 2 * v[1:-1] + v[2:])
        np.testing.assert_array_equal(values, np.reshape(expected, (m, n)))
        np.testing.assert_array_equal(maxima, np.maximum.accumulate(values, axis=0))


WRONG_ORDERS: dict[str, tuple[Callable, str]] = {
    "columns first": (
        lambda s, p: s[p.values].reorder(*reversed(p.values.op.axis)),
        'stage "near" at [1, 0] reads S[0, 1], at (i1 = 0, idx = 1); the equations compute S[0, 1] '
        "before, the schedule at (i1 = 1, idx = 0), which is later",
    ),
    "tiles that do not move": (
        lambda s, p: s[p.values].tile(*p.values.op.axis, 4, 3),
        'stage "near" at [1, 2] reads S[0, 3]',
    ),
    "points of a wave that depend on each other": (
        lambda s, p: in_waves(s, p, 1),
        'stage "near" at [1, 0] reads S[0, 1], at (i1.skewed = 1); the schedule computes it later '
        "in the same iteration",
    ),
    "waves on threads": (
        lambda s, p: s[p.values].parallel(in_waves(s, p, 2)[0]),
        "iterations of i1.skewed, which is parallel, have no order",
    ),
}


@pytest.mark.parametrize("name", WRONG_ORDERS)
def test_refused_order_of_time_and_space(name):
    order, words = WRONG_ORDERS[name]
    p = stencil_of(8, 8)
    s = te.create_schedule(p.values.op)
    order(s, p)
    with pytest.raises(teloom.ScheduleError) as error:
        teloom.lower(s, [p.X, p.values, p.maxima])
    assert words in str(error.value)


def test_a_step_reads_earlier_times_in_any_order():
    """What the order of columns would compute right is no scan all the same."""
    program = sums_of(8, 5, lambda S, t, i: S[t, te.max(i - 1, 0)])
    s = te.create_schedule(program.sums)
    s[program.sums].reorder(*reversed(program.sums.op.axis))
    with pytest.raises(teloom.Error, match=r"reads sums\[1, 0\] before time 1 of sums is computed"):
        teloom.lower(s, [program.X, program.sums])
