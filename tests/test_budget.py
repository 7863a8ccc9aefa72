"""The cases that are chosen cover what they say; all of them run where all are wanted."""

import doctest
from itertools import combinations, product

import budget
import pytest

AXES = ("abcde", (1, 2, 3), (True, False))


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TELOOM_TESTS", raising=False)


def test_what_the_examples_show():
    assert doctest.testmod(budget).failed == 0


def test_each_value_stands_once():
    for turn in range(4):
        cases = budget.each(*AXES, turn=turn)
        assert len(cases) == 5
        for values, axis in zip(zip(*cases, strict=True), AXES, strict=True):
            assert set(values) == set(axis)


def test_all_pairs_meet_in_fewer_cases():
    cases = budget.pairs(*AXES)
    assert len(cases) < 5 * 3 * 2
    for first, second in combinations(range(3), 2):
        met = {(case[first], case[second]) for case in cases}
        assert met == set(product(AXES[first], AXES[second]))


def test_all_cases_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELOOM_TESTS", "all")
    assert budget.each(*AXES) == budget.pairs(*AXES) == [*product(*AXES)]
    assert budget.few(range(9), 3) == [*range(9)]
