"""Numbers with which a loop would run for ever without doing anything, or wrap."""

import numpy as np
import pytest

import teloom
from teloom import te


def program(extent):
    """B, of which every axis has `extent`."""
    a = te.placeholder((extent, extent), name="A")
    b = te.compute((extent, extent), lambda i, j: a[i, j] + 1, name="B")
    return a, b, te.create_schedule(b)


def nparts(stage, i, j, number):
    stage.split(i, nparts=number)


def factor(stage, i, j, number):
    stage.split(i, factor=number)


def shift(stage, i, j, number):
    stage.shift(i, number)


def skew(stage, i, j, number):
    stage.reorder(stage.skew(j, i, number), i)


N = te.var("n")


@pytest.mark.parametrize(
    ("extent", "command", "number", "words"),
    [
        (N, nparts, 2**62, f"split of axis i by nparts {2**62}: nparts must be at most {2**20}"),
        (N, factor, 2**63 - 1, f"split of axis i by factor {2**63 - 1}: factor must be at most"),
        (N, shift, 2**63 - 5, f"shift of axis i by offset {2**63 - 5}: offset must be at most"),
        (8, skew, 2**60, f"skew of axis j by factor {2**60}: factor must be at most {2**20}"),
        (8, skew, -(2**60), f"skew of axis j by factor -{2**60}: factor must be at most {2**20}"),
    ],
)
def test_is_refused(extent, command, number, words):
    a, b, s = program(extent)
    command(s[b], *b.op.axis, number)
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [a, b])


def test_skews_that_multiply_are_refused():
    a, b, s = program(8)
    i, j = b.op.axis
    for _ in range(2):
        j = s[b].skew(j, i, 2**20)
        i = s[b].skew(i, j, 2**20)
    with pytest.raises(teloom.ScheduleError, match="skew makes an axis of extent"):
        teloom.lower(s, [a, b])


@pytest.mark.parametrize(
    ("extent", "command", "number", "sizes"),
    [
        (N, nparts, 2**20, [0, 1, 7]),
        (N, factor, 2**40, [0, 1, 7]),
        (8, nparts, 2**62, [8]),
        (8, skew, 2**20, [8]),
        (N, skew, -(2**10), [0, 1, 7]),
        (N, shift, 2**61, [0, 1, 7]),
    ],
)
def test_what_is_legal_ends(extent, command, number, sizes):
    a, b, s = program(extent)
    command(s[b], *b.op.axis, number)
    built = teloom.build(s, [a, b])
    for size in sizes:
        given = np.arange(size * size, dtype="float32").reshape(size, size)
        out = np.zeros_like(given)
        built(given, out)
        np.testing.assert_array_equal(out, given + 1)
