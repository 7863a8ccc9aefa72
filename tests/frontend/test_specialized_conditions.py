"""Conditions that hold in a block of Python."""

import pytest

import teloom
from teloom import te

n = te.var("n")


def test_the_innermost_one_is_current():
    current = te.SpecializedCondition.current
    outer = te.SpecializedCondition(n >= 64)
    assert current() is None
    with outer:
        assert current() is outer
        with te.SpecializedCondition([n >= 64, n < 128]) as inner, outer:
            assert current() is outer
            assert list(map(str, inner.clauses)) == ["(n >= 64)", "(n < 128)"]
        assert current() is outer
    assert current() is None


def test_it_wants_conditions():
    with pytest.raises(teloom.Error, match="the condition n is int32, not bool"):
        te.SpecializedCondition([n])
    with pytest.raises(teloom.Error, match="wants at least one condition"):
        te.SpecializedCondition([])
