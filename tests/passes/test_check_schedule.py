"""`check-schedule` from Python: what commands are refused, at which line, and what is accepted."""

import pytest
from soak.legality import changed, check_changed, is_right

import teloom
from teloom import te
from teloom.errors import PassError

LEAST_ACCEPTED = 0.6
"""Of the texts that are right: a check that refuses all would pass otherwise."""


def row_sum(dtype="float32"):
    A = te.placeholder((8, 12), dtype, name="A")
    k = te.reduce_axis((0, 12), "k")
    C = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="C")
    return A, C, k, te.create_schedule(C)


def in_parts(s, C, k):
    outer, inner = s[C].split(k, factor=4)
    s[C].reorder(inner, outer)


def in_lanes(s, C, k):
    _, inner = s[C].split(k, factor=4)
    s[C].vectorize(inner)


def fused(s, C, k):
    outer, inner = s[C].split(k, factor=4)
    s[C].fuse(outer, inner)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (in_parts, r"adds the value at \[4\] before that at \[1\] to element \[0\]"),
        (lambda s, C, k: s[C].reverse(k), r"at \[11\] before that at \[10\]"),
        (lambda s, C, k: s[C].parallel(k), "at the same time as"),
        (in_lanes, "a sum of floats depends on the order"),
    ],
)
def test_strict_keeps_the_order_of_sums(change, words):
    A, C, k, s = row_sum()
    change(s, C, k)
    teloom.lower(s, [A, C], level="schedule")
    with pytest.raises(teloom.ScheduleError, match=words):
        teloom.lower(s, [A, C], level="schedule", strict=True)


@pytest.mark.parametrize(
    "change", [fused, lambda s, C, k: s[C].reorder(k, C.op.axis[0]), lambda s, C, k: None]
)
def test_strict_accepts_the_order_of_the_equation(change):
    A, C, k, s = row_sum()
    change(s, C, k)
    teloom.lower(s, [A, C], level="schedule", strict=True)


def test_strict_is_about_floats():
    A, C, k, s = row_sum("int32")
    in_parts(s, C, k)
    teloom.lower(s, [A, C], level="schedule", strict=True)


def test_the_line_of_the_command_is_shown():
    A, C, k, s = row_sum()
    s[C].reverse(k)  # the line that is shown
    line = 1 + test_the_line_of_the_command_is_shown.__code__.co_firstlineno + 1
    with pytest.raises(teloom.ScheduleError, match=rf"test_check_schedule.py:{line}: "):
        teloom.build(s, [A, C], strict=True).source("schedule")


def test_changed_text_is_refused_or_right():
    right = accepted = 0
    for seed in (0, 1, 2, 3, 4, 7, 8, 9):
        pair = changed(seed)
        try:
            check_changed(pair)  # raises AssertionError if wrong text is accepted
            accepted += 1
        except PassError:
            right += is_right(pair)
    assert accepted >= LEAST_ACCEPTED * (accepted + right)
    assert accepted
