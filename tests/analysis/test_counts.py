"""Counting the points of sets, against counting them one by one."""

import islpy as isl
import pytest

from teloom.analysis.sets.counts import count

SETS = [
    "{ [] }",
    "{ [a] : 1 = 0 }",
    "{ [a, b] : 0 <= a < 7 and 3 <= b < 5 }",
    "{ [a, b, c] : 0 <= a < 7 and 0 <= b <= a and -2 <= c < 3 }",
    "{ [a, b] : 0 <= a < 6 and 0 <= b < 6; [a, b] : 4 <= a < 9 and 4 <= b < 9 }",
    "{ [x] : exists y : 0 <= y < 10 and 3y <= x < 3y + 2 }",
    "{ [a, b] : a = 2b and 0 <= a < 20 and a mod 3 = 0 }",
    "{ [f, i, j] : f = 4i + j and 0 <= i < 3 and 0 <= j < 4 and f mod 5 < 2 }",
]


@pytest.mark.parametrize("text", SETS)
def test_agrees_with_one_by_one(text):
    points = isl.Set.read_from_str(isl.Context(), text)
    one_by_one: list[None] = []
    points.foreach_point(lambda _: one_by_one.append(None))
    assert count(points) == len(one_by_one)


def test_independent_dimensions_are_multiplied():
    text = "{ [a, b, c] : 0 <= a < 1000 and 0 <= b <= a and 0 <= c < 1000000000 }"
    assert count(isl.Set.read_from_str(isl.Context(), text)) == 500500 * 10**9


def test_what_others_determine_is_not_counted():
    text = "{ [o, i, j] : 32o <= 700i + j < 32o + 32 and 0 <= i < 4000 and 0 <= j < 700 }"
    assert count(isl.Set.read_from_str(isl.Context(), text)) == 4000 * 700


def test_of_what_determines_each_other_the_most_is_not_counted():
    """A row and a column of 1024 x 30522 in tiles of 2048: the tile and either give the other."""
    text = """{ [tile, i, j] : 0 <= tile < 15261 and 0 <= i < 1024 and 0 <= j < 30522
        and 2048tile <= 30522i + j < 2048tile + 2048 }"""
    assert count(isl.Set.read_from_str(isl.Context(), text)) == 1024 * 30522


@pytest.mark.parametrize(
    "text",
    ["{ [a] : a >= 0 }", "{ [a, b, c] : 0 <= a, b, c < 4000 and a + b < 5000 and b + c < 5000 }"],
)
def test_knows_what_it_does_not_know(text):
    assert count(isl.Set.read_from_str(isl.Context(), text)) is None
