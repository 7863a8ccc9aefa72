"""Programs with externs give what the interpreter gives, whatever their schedule is."""

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

import teloom
from teloom import te
from teloom.backend.interpreter.equations import interpret

ROWS, COLUMNS = 6, 7


def reversed_rows(a, b):
    b[...] = a[::-1] * 2


@st.composite
def sides(draw, extent):
    """A part of an axis, which may be empty."""
    begin = draw(st.integers(0, extent))
    return slice(begin, draw(st.integers(begin, extent)))


def _extern(draw, tensor, number):
    rows, columns = (draw(sides(int(extent.value))) for extent in tensor.shape)
    shape = (rows.stop - rows.start, columns.stop - columns.start)
    return te.extern(
        shape,
        [tensor[rows, columns]],
        lambda ins, outs: te.call_packed(reversed_rows, *ins, *outs),
        name=f"E{number}",
    )


@te.hybrid.script
def sums_of_rows(a, down, back):
    """Rows summed from the left or the right, with a part of the row below added."""
    b = output_tensor(a.shape, "float32")  # noqa: F821
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            at = a.shape[1] - 1 - j if back else j
            total += a[i, at]
            if i + down < a.shape[0] and at % 2 == 0:
                total -= a[i + down, at]
            b[i, at] = total
    return b


def _script(draw, tensor, number):
    rows, columns = (draw(sides(int(extent.value))) for extent in tensor.shape)
    return sums_of_rows(tensor[rows, columns], draw(st.integers(0, 2)), draw(st.booleans()))


def _equation(draw, tensor, number):
    rows, columns = (int(extent.value) for extent in tensor.shape)
    down, right = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    shape = (max(rows - down, 0), max(columns - right, 0))
    return te.compute(
        shape, lambda i, j: tensor[i, j] + tensor[i + down, j + right], name=f"T{number}"
    )


@st.composite
def programs(draw):
    """A placeholder and what is computed of it, step by step, with a schedule."""
    A = te.placeholder((ROWS, COLUMNS), name="A")
    stages = [A]
    for number in range(draw(st.integers(1, 4))):
        make = draw(st.sampled_from([_extern, _script, _equation]))
        stages.append(make(draw, stages[-1], number))
    last = stages[-1]
    C = te.compute(last.shape, lambda i, j: last[i, j] + 1, name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    outer, inner = s[C].split(i, factor=draw(st.integers(1, 3)))
    if draw(st.booleans()):
        s[C].reorder(j, outer, inner)
    axis = draw(st.sampled_from([outer, inner]))
    # A stage can be in a loop that its only reader is in.
    for stage in reversed(stages[draw(st.integers(1, len(stages))) :]):
        s[stage].compute_at(s[C], axis)
    return A, C, s


def check(program) -> None:
    A, C, s = program
    a = np.arange(ROWS * COLUMNS, dtype="float32").reshape(ROWS, COLUMNS)
    c = np.empty(tuple(int(extent.value) for extent in C.shape), "float32")
    teloom.build(s, [A, C], name="f")(a, c)
    (expected,) = interpret(s.module, "main", [a], (), s.program.externals)
    assert (c == expected).all()


@settings(max_examples=EXAMPLES // 2)
@given(programs())
def test_as_the_interpreter(program):
    check(program)
