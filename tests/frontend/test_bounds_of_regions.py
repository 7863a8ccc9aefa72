"""Bounds that a schedule gives to regions: what is stored, computed and checked."""

import numpy as np
import pytest

import teloom
from teloom import te

N = te.size_var("n")


def neighbours(n):
    """A stage, and one that adds up two neighbours of it."""
    A = te.placeholder((n + 2,), name="A")
    B = te.compute((n + 2,), lambda i: A[i] + 1, name="B")
    C = te.compute((n,), lambda i: B[i] + B[i + 1], name="C")
    return te.create_schedule(C), A, B, C


def check(run, *sizes: int):
    for n in sizes:
        a = np.arange(n + 2, dtype="float32")
        run(a, c := np.full(n, np.nan, "float32"))
        np.testing.assert_array_equal(c, a[:-2] + a[1:-1] + 2)


@pytest.mark.parametrize("bound", [("bound", 0, 32), ("bound_extent", 32)])
def test_a_promise_is_checked_by_each_call(bound):
    s, A, B, C = neighbours(N)
    name, *numbers = bound
    getattr(s[B], name)(B.op.axis[0], *numbers)
    assert "[0 : 32]" in str(teloom.lower(s, [A, C], level="schedule"))
    run = teloom.build(s, [A, C])
    check(run, 0, 1, 5, 31)
    with pytest.raises(teloom.Error, match="B is not within the bounds that its schedule promises"):
        check(run, 32)


def test_what_is_proved_needs_no_check():
    s, A, B, C = neighbours(N)
    outer, _ = s[C].split(C.op.axis[0], factor=6)
    s[B].compute_at(s[C], outer)
    s[B].bound_extent(B.op.axis[0], 8)
    text = str(teloom.lower(s, [A, C], level="schedule"))
    assert "schedule.promised" not in text
    assert "[%i.outer * 6 : 8]" in text
    check(teloom.build(s, [A, C]), 0, 1, 5, 6, 13)


def test_a_promise_that_never_holds_is_refused():
    s, A, B, C = neighbours(8)
    s[B].bound(B.op.axis[0], 1, 32)
    with pytest.raises(teloom.Error, match=r"extent of 32, but its element \[0\] is needed"):
        teloom.lower(s, [A, C])


@pytest.mark.parametrize("at_tile", [False, True])
def test_whole_blocks_are_computed(at_tile: bool):
    for n in (N, 13):
        s, A, B, C = neighbours(n)
        if at_tile:
            outer, _ = s[C].split(C.op.axis[0], factor=6)
            s[B].compute_at(s[C], outer)
        s[B].align_bounds(B.op.axis[0], 4, 1)
        inner = s[B].split(B.op.axis[0], factor=4)[1]
        s[B].vectorize(inner)
        check(teloom.build(s, [A, C]), *((0, 1, 5, 6, 13, 14) if n is N else (13,)))
    found = te.infer_bounds(s)[B.op.axis[0]].extent
    assert found == (12 if at_tile else 15)
