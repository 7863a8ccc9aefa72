"""Recurrences give what the interpreter gives, whatever their schedule is."""

from collections import Counter

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret
from teloom.errors import ScheduleError

EXTENT = 5
ROWS = [lambda t, m: t, lambda t, m: t - t % 2, lambda t, m: m - 1, lambda t, m: (t + 2 * m) // 3]
"""Which row a reader of a recurrence reads, out of m."""


@st.composite
def steps(draw, state, before, shape, number):
    """A stage of the steps: of the state, and of the stage before it if there is one."""
    sources = [state] if before is None else [state, before]
    first, second = (draw(st.sampled_from(sources)) for _ in range(2))
    first = before if before is not None else first  # no stage is left out
    back = [draw(st.integers(1, 2)) if one is state else 0 for one in (first, second)]
    turned = draw(st.booleans())
    if draw(st.booleans()):
        k = te.reduce_axis((0, EXTENT), f"k{number}")
        return te.compute(
            shape,
            lambda t, i: te.sum(first[t - back[0], k] * (k + 1) + second[t - back[1], i], axis=k),
            name=f"step{number}",
        )
    return te.compute(
        shape,
        lambda t, i: first[t - back[0], EXTENT - 1 - i if turned else i] + second[t - back[1], i],
        name=f"step{number}",
    )


@st.composite
def programs(draw):
    """A placeholder, a scan, its steps, what reads it, and a schedule of them."""
    m = te.var("m")
    shape = (m, EXTENT) if draw(st.booleans()) else (draw(st.integers(0, 6)), EXTENT)
    X = te.placeholder((2, EXTENT), "int32", name="X")
    S = te.placeholder(shape, "int32", name="S")
    initial = te.compute((2, EXTENT), lambda t, i: X[t, i] * 2, name="initial")
    stages, before = [], None
    for number in range(draw(st.integers(1, 3))):
        before = draw(steps(S, before, shape, number))
        stages.append(before)
    R = te.scan(initial, before, S, name="R")
    row, far = draw(st.sampled_from(ROWS)), draw(st.integers(1, 3))
    last = shape[0] - 1 if draw(st.booleans()) else 0
    C = te.compute(shape, lambda t, i: R[row(t, shape[0]), i // far * far] + R[last, i], name="C")
    s = te.create_schedule(C)
    _schedule(draw, s, R, stages, initial, C)
    return X, C, s


def _schedule(draw, s, R, stages, initial, C):
    time, across = R.op.axis
    inner = time
    if draw(st.booleans()):
        s[R].fold_storage(time)
    if draw(st.booleans()):
        _, inner = s[R].split(time, factor=draw(st.integers(1, 4)))
        if draw(st.booleans()):
            s[R].unroll(inner)
    last = [across]
    if draw(st.booleans()):
        last = s[R].split(across, factor=draw(st.integers(1, 4)))
        if draw(st.booleans()):
            s[R].reorder(last[1], last[0])
            last.reverse()
    if draw(st.booleans()):
        s[R].vectorize(last[-1])
        last.pop()
    places = [inner, *last]
    if draw(st.booleans()):
        s[initial].compute_at(s[R], draw(st.sampled_from(places)))
    for number, stage in enumerate(stages):
        how = draw(st.sampled_from(["inline", "at", "reader", "window", "cache", "as it is"]))
        is_last = number == len(stages) - 1
        reduces = bool(stage.op.reduce_axis)
        if how == "inline" and not reduces:
            s[stage].compute_inline()
        elif how == "at" and is_last:
            s[stage].compute_at(s[R], draw(st.sampled_from(places)))
        elif how == "window":
            s[stage].store_root()
        elif how == "cache":
            s[s.cache_write(stage, "local")].compute_at(s[R], inner)
        if how != "inline" and not reduces and draw(st.booleans()):
            s[stage].parallel(s[stage].op.axis[1])
    around = C.op.axis
    if draw(st.booleans()):
        around = [around[0], *s[C].split(around[1], factor=draw(st.integers(1, 4)))]
        around = [around[1], around[0], around[2]] if draw(st.booleans()) else around
        s[C].reorder(*around)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(around) - 1))
        s[R].compute_at(s[C], around[at])
        if draw(st.booleans()):
            s[R].store_at(s[C], around[draw(st.integers(0, at))])


def check(program, m: int) -> None:
    X, C, s = program
    x = np.arange(2 * EXTENT, dtype="int32").reshape(2, EXTENT) - 3
    sizes = [m] if s.program.sizes else []
    rows = sizes[0] if sizes else int(C.shape[0].value)
    found = np.full((rows, EXTENT), -1, "int32")
    teloom.build(s, [X, C], name="f")(x, found)
    (expected,) = interpret(s.module, "main", [x], sizes)
    np.testing.assert_array_equal(found, expected)


@st.composite
def reordered(draw):
    """A scan in any order of its loops, legal or not: what it reads, itself, and its schedule."""
    m = te.var("m")
    X = te.placeholder((2, EXTENT), "int32", name="X")
    S = te.placeholder((m, EXTENT), "int32", name="S")
    initial = te.compute((2, EXTENT), lambda t, i: X[t, i] * 2, name="initial")
    near = st.tuples(st.integers(1, 2), st.integers(-1, 1))
    reads = draw(st.lists(near, min_size=1, max_size=2))

    def value(t, i):
        found = [S[t - back, te.max(te.min(i + far, EXTENT - 1), 0)] for back, far in reads]
        return sum(found, t)

    step = te.compute((m, EXTENT), value, name="step")
    R = te.scan(initial, step, S, name="R")
    s = te.create_schedule(R)
    time, across = R.op.axis
    along = draw(st.integers(-1, 2))
    across = s[R].skew(across, time, along) if along else across
    leaves = [time, across]
    if draw(st.booleans()):
        leaves = s[R].tile(time, across, draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    leaves = draw(st.permutations(leaves))
    s[R].reorder(*leaves)
    if draw(st.booleans()):
        s[R].parallel(draw(st.sampled_from(leaves)))
    s[step].compute_at(s[R], draw(st.sampled_from(leaves)))
    return X, R, s


@settings(max_examples=EXAMPLES // 2)
@given(programs(), st.integers(0, 6))
def test_as_the_interpreter(program, m):
    check(program, m)


def test_in_another_order():
    """What `check-schedule` accepts of the orders of time and space is right."""
    count = Counter()

    @settings(max_examples=EXAMPLES // 2)
    @given(reordered(), st.integers(0, 6))
    def run(program, m):
        try:
            check(program, m)
            count["accepted"] += 1
        except ScheduleError:
            count["refused"] += 1

    run()
    assert count["accepted"] >= 0.25 * count.total()
