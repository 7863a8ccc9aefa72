"""Where axes run: what is no range of integers is refused, and a range that never is one."""

import inspect
import math

import numpy as np
import pytest

import teloom
from teloom import te

n, m = te.var("n"), te.var("m")


def summed(dom: object, shape: object = (4,)):
    """A sum of ones over an axis."""
    k = te.reduce_axis(dom, "k")
    one = te.compute((1,), lambda i: 1.0, name="one")
    return te.compute(shape, lambda i: te.sum(one[k * 0], axis=k), name="S")


@pytest.mark.parametrize(
    ("dom", "words"),
    [
        ((0, None), "end None of 'k' is not an integer: no axis is unbounded"),
        ((None, 4), "begin None of 'k' is not an integer: no axis is unbounded"),
        ((0, math.inf), "end inf of 'k' is not an integer: no axis is unbounded"),
        ((-math.inf, 0), "begin -inf of 'k' is not an integer: no axis is unbounded"),
        ((0, np.float32("inf")), "end inf of 'k' is not an integer: no axis is unbounded"),
        (te.Range(0, None), "extent None of 'k' is not an integer: no axis is unbounded"),
        ((0, math.nan), "end nan of 'k' is float32, not an integer of 32 or 64 bits"),
        ((0, 4.0), "end 4.0 of 'k' is float32, not an integer of 32 or 64 bits"),
        ((0, n / 2), "is float64, not an integer of 32 or 64 bits"),
        ((0, 2**70), "is not an integer of 32 or 64 bits: 1180591620717411303424 does not fit"),
        ((0, "4"), "end '4' of 'k' is not an integer of 32 or 64 bits: '4' of type str"),
        ((0, "n"), "scalar expression; te.var('n') is a size of that name"),
        (None, "reduce_axis 'k' wants a pair (begin, end), got None"),
        ((0,), "reduce_axis 'k' wants a pair (begin, end), got (0,)"),
        ((5, 3), "axis k runs from 5 to 3: that is never an iteration"),
        (te.Range(2, -3), "axis k runs from 2 to -1: that is never an iteration"),
    ],
)
def test_refuses_a_reduce_axis(dom: object, words: str):
    with pytest.raises(teloom.Error) as error:
        te.reduce_axis(dom, "k")
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((4, None), "extent None of 'B' is not an integer: no axis is unbounded"),
        ((math.inf,), "extent inf of 'B' is not an integer: no axis is unbounded"),
        ((4.0,), "extent 4.0 of 'B' is float32, not an integer of 32 or 64 bits"),
        ((True,), "extent True of 'B' is bool, not an integer of 32 or 64 bits"),
        ((4, -1), "axis 1 of 'B' has the negative extent -1"),
    ],
)
def test_refuses_a_shape(shape: object, words: str):
    for make in (lambda: te.placeholder(shape, name="B"), lambda: te.compute(shape, max, name="B")):
        with pytest.raises(teloom.Error) as error:
            make()
        assert words in str(error.value)


@pytest.mark.parametrize(
    ("dom", "shape", "words"),
    [
        ((0, -n), (4,), 'axis k of stage "S" runs from 0 to n * -1'),
        ((n, 0), (4,), 'axis k of stage "S" runs from n to 0'),
        ((n + 2, n), (4,), 'axis k of stage "S" runs from n + 2 to n'),
        ((0, 4), (n // 2 - n,), 'axis i of stage "S" runs from 0 to n floordiv 2 - n'),
    ],
)
@pytest.mark.parametrize(
    "infer", [lambda s, S: te.infer_bounds(s), lambda s, S: teloom.lower(s, [S, n])]
)
def test_an_axis_that_never_runs_is_refused_at_its_line(infer, dom, shape, words):
    k = te.reduce_axis(dom, "k")
    line = inspect.stack()[0].lineno + 1
    S = te.compute(shape, lambda i: te.sum(te.const(1.0, "float32") + k, axis=k), name="S")
    with pytest.raises(teloom.Error) as error:
        infer(te.create_schedule(S), S)
    assert str(error.value) == f"{__file__}:{line}: {words}: that is never an iteration"


@pytest.mark.parametrize(
    ("dom", "value"), [((3, 3), 0), ((2, n), [0, 0, 0, 1]), ((n, n), 0), ((n, 3), [3, 2, 1, 0])]
)
def test_an_axis_that_may_be_empty_is_legal(dom, value):
    S = summed(dom)
    f = teloom.build(te.create_schedule(S), [n, S], name="f")
    for size in range(4):
        s = np.full(4, np.nan, "float32")
        f(size, s)
        np.testing.assert_array_equal(s, value if isinstance(value, int) else value[size])
