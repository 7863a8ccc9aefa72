"""Sets around sets: they lose no point."""

import random

import islpy as isl
import pytest
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import (
    DIV,
    IN,
    SET,
    Constraint,
    between,
    first_and_last,
    set_of,
    with_integer_equalities,
    with_known_divisions,
    without_divisions,
)
from teloom.analysis.sets.modes import OverBudget, budget

LOST_POINTS = isl.BasicSet(
    "{ [i, j] : 0 <= i <= 5 and 0 <= j <= 2 and -i + 3j <= 6*floor(j/2) <= 2 - i + 3j }"
)
"""A set of which isl's own removal of divisions loses points."""


def random_set(seed: int) -> tuple[isl.BasicSet, list[int]]:
    """A set with divisions, some of them of projected dimensions, and dims to free from them."""
    chosen = random.Random(seed)
    rank = chosen.randint(2, 4)
    names = [f"i{dim}" for dim in range(rank)]

    def linear() -> str:
        terms = [f"{chosen.randint(-3, 3)}*{name}" for name in names]
        return " + ".join([*terms, str(chosen.randint(-4, 4))])

    constraints = [f"0 <= {name} <= {chosen.randint(1, 9)}" for name in names[1:]]
    for _ in range(chosen.randint(1, 3)):
        quotient = f"{chosen.randint(1, 6)}*floor(({linear()})/{chosen.randint(2, 7)})"
        constraints.append(f"{linear()} <= {quotient} <= {linear()} + 5")
    found = isl.BasicSet(f"{{ [{', '.join(names)}] : {' and '.join(constraints)} }}")
    if chosen.random() < 0.5:
        rank -= 1
        found = found.project_out(SET, chosen.randrange(rank + 1), 1)
    return found, [*range(chosen.randrange(rank + 1), rank)]


def divided(found: isl.BasicSet) -> set[int]:
    """The dimensions that divisions of a set involve."""
    local = found.get_local_space()
    divisions = [local.get_div(position) for position in range(found.dim(DIV))]
    return {
        dim for dim in range(found.dim(SET)) for one in divisions if one.involves_dims(IN, dim, 1)
    }


def test_no_point_is_lost_where_isl_loses_some():
    assert not LOST_POINTS.is_subset(LOST_POINTS.remove_divs_involving_dims(SET, 1, 1))
    around = without_divisions(LOST_POINTS, [1])
    assert LOST_POINTS.is_subset(around)
    assert 1 not in divided(around)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_no_point_of_a_random_set_is_lost(first: int):
    for seed in range(first, first + 100):
        found, dims = random_set(seed)
        around = without_divisions(found, dims)
        assert found.is_subset(around), seed
        assert not divided(around) & set(dims), seed


def test_what_divisions_say_linearly_is_kept():
    found = isl.BasicSet("{ [n, i] : 16*floor(i/16) <= n and floor(i/16) >= 3 and i <= 100 }")
    around = without_divisions(found, [1])
    assert around.is_equal(isl.BasicSet("{ [n, i] : 48 <= i <= 100 and i <= 15 + n }"))


def test_the_digits_of_a_number_say_which_it_is():
    """Where every third column of a reshape from 18 x 128 to 24 x 4 x 24 is."""
    digits = "i = (128r + c)//96 and j = ((128r + c)//24) % 4 and k = (128r + c) % 24"
    columns = "0 <= r < 18 and 0 <= c < 127 and c mod 3 = 0"
    points = isl.Set(f"{{ [r, c, i, j, k] : {digits} and {columns} }}")
    found = with_integer_equalities(points)
    assert found.is_equal(points)
    for form, is_known in ((points, False), (found, True)):
        image = form.project_out(SET, 0, 2)
        assert (with_known_divisions(image) is image) == is_known


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_integer_equalities_change_no_point_of_random_sets(first: int):
    for seed in range(first, first + 100):
        found = random_set(seed)[0].to_set()
        assert with_integer_equalities(found).is_equal(found), seed


def test_a_budget_is_of_one_context():
    spent, other = isl.Context(), isl.Context()
    with budget(spent, 10):
        assert_work(other)
    with pytest.raises(OverBudget), budget(spent, 10):
        assert_work(spent)
    assert_work(spent)


def test_a_budget_inside_a_budget_is_a_mistake():
    context = isl.Context()
    with budget(context, 10_000), pytest.raises(AssertionError), budget(context, 10):
        pass


def assert_work(context: isl.Context) -> None:
    """Takes more than ten operations."""
    points = isl.BasicSet("{ [i, j, k] : 0 <= i <= 9 and i < j < 9 and j < 2k < i + 9 }", context)
    assert not points.project_out(SET, 0, 1).is_empty()


def test_the_first_and_the_last_point_where_equalities_are_hidden():
    x, y = AffineExpr.dimension(0), AffineExpr.dimension(1)
    block = x // 5
    hidden = block * 10 + y * 5 + (block + y).ceil_div(3) * -15 + x * -1 + 14
    limits = [*between(x, AffineExpr.constant(25)), *between(y, AffineExpr.constant(1))]
    points = set_of(isl.Context(), 2, [Constraint(hidden, True), *limits]).to_set()
    assert first_and_last(points) == ([9, 0], [24, 0])
    assert first_and_last(points.subtract(points)) is None
