"""Reads outside what is computed are refused, at the line of the user's program."""

import inspect
import re

import pytest

import teloom
from teloom import te


class Blur:
    """A blur whose first stage has `missing` rows less than the second one reads."""

    def __init__(self, missing: int):
        rows, columns = 98, 198
        A = self.A = te.placeholder((rows + 2, columns + 2), name="A")
        self.bx = te.compute(
            (rows + 2 - missing, columns),
            lambda i, j: (A[i, j] + A[i, j + 1] + A[i, j + 2]) / 3,
            name="bx",
        )
        self.line = inspect.stack()[0].lineno + 1
        self.by = te.compute((rows, columns), self.mean_of_rows, name="by")
        self.s = te.create_schedule(self.by)

    def mean_of_rows(self, i, j):
        return (self.bx[i, j] + self.bx[i + 1, j] + self.bx[i + 2, j]) / 3

    def in_tiles(self) -> None:
        _, j_outer, _, _ = self.s[self.by].tile(*self.by.op.axis, 32, 32)
        self.s[self.bx].compute_at(self.s[self.by], j_outer)


WORDS = 'stage "by" at [97, 0] reads bx[98, 0], but axis 0 of bx runs from 0 to 97'


@pytest.mark.parametrize("schedule", [lambda blur: None, Blur.in_tiles])
@pytest.mark.parametrize("make", [teloom.lower, teloom.build])
def test_rows_that_nothing_computes(make, schedule):
    blur = Blur(missing=2)
    schedule(blur)
    with pytest.raises(teloom.Error) as error:
        make(blur.s, [blur.A, blur.by])
    assert str(error.value) == f"{__file__}:{blur.line}: {WORDS}"


@pytest.mark.parametrize("schedule", [lambda blur: None, Blur.in_tiles])
def test_infer_bounds_refuses_them_too(schedule):
    blur = Blur(missing=2)
    schedule(blur)
    with pytest.raises(teloom.Error) as error:
        te.infer_bounds(blur.s)
    assert str(error.value) == f"{__file__}:{blur.line}: {WORDS}"


@pytest.mark.parametrize("schedule", [lambda blur: None, Blur.in_tiles])
def test_with_all_rows_it_is_accepted(schedule):
    blur = Blur(missing=0)
    schedule(blur)
    te.infer_bounds(blur.s)


def test_one_row_less_is_refused_where_it_is_read():
    with pytest.raises(teloom.Error, match=r"at \[97, \d+\] reads bx\[99, \d+\]"):
        te.infer_bounds(Blur(missing=1).s)


def test_sizes_for_which_it_happens():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    C = te.compute((n,), lambda i: B[i] + B[i + 2], name="C")
    with pytest.raises(teloom.Error, match=r"when n >= 1: .* reads B\[\d+\], .*\(here n = \d+\)"):
        te.infer_bounds(te.create_schedule(C))


@pytest.mark.parametrize(("names", "m_0"), [(("m", "m"), "m"), (("m_0", "m_1"), "m_0")])
def test_sizes_of_one_name_are_told_apart(names, m_0):
    m, other = map(te.var, names)
    X, Y = te.placeholder((m,), name="X"), te.placeholder((other,), name="Y")
    V = te.compute((m,), lambda i: X[i] + Y[i], name="V")
    words = (
        f'when {m_0} >= m_1 + 1: stage "V" at [0] reads Y[0], but axis 0 of Y is empty '
        f"(here {m_0} = 1, m_1 = 0)"
    )
    with pytest.raises(teloom.Error, match=re.escape(words)):
        teloom.lower(te.create_schedule(V), [X, Y, V])
