"""Loops with the bounds that are read off a set run through its points, each once."""

import random

import islpy as isl
import pytest
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.loop_bounds import EMPTY, Bounds, bounds_of, covered, read_bounds

MOST = 5
SIZE, OUTER, INNER = range(3)
CONTEXT = isl.BasicSet(f"{{ [n, i, j] : 0 <= n <= {MOST} }}")
SPANS = {
    OUTER: isl.BasicSet(f"{{ [n, i, j] : 0 <= i <= {MOST} }}"),
    INNER: isl.BasicSet(f"{{ [n, i, j] : 0 <= j <= {MOST} }}"),
}


def random_domain(seed: int, divisions: int) -> isl.BasicSet:
    """Some points in the spans, with or without divisions in what says which."""
    chosen = random.Random(seed)

    def linear() -> str:
        n, i, j = (chosen.randint(-3, 3) for _ in range(3))
        return f"{n}*n + {i}*i + {j}*j + {chosen.randint(-4, 6)}"

    constraints = [f"{linear()} >= 0" for _ in range(chosen.randint(0, 3))]
    for _ in range(divisions):
        constraints.append(f"{linear()} >= {chosen.randint(2, 4)}*floor(({linear()})/3)")
    said = " and ".join(["true", *constraints])
    domain = isl.BasicSet(f"{{ [n, i, j] : {said} }}")
    return domain.intersect(SPANS[OUTER]).intersect(SPANS[INNER])


def points(domain: isl.BasicSet) -> list[tuple[int, ...]]:
    """Of `domain` in the context, in the order of loops."""
    found: list[tuple[int, ...]] = []
    domain.intersect(CONTEXT).to_set().foreach_point(
        lambda point: found.append(
            tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(3))
        )
    )
    return sorted(found)


def iterations(bounds: list[Bounds]) -> list[tuple[int, ...]]:
    """What loops over i and j with these bounds run through, at each n."""

    def values(one: Bounds, *outer: int) -> range:
        at = [*outer, *[0] * (3 - len(outer))]
        return range(
            max(expr.eval(at, []) for expr in one.lower),
            min(expr.eval(at, []) for expr in one.upper),
        )

    outer, inner = bounds
    return [
        (n, i, j) for n in range(MOST + 1) for i in values(outer, n) for j in values(inner, n, i)
    ]


@pytest.mark.parametrize("divisions", [0, 1])
def test_each_point_is_run_through_once(divisions: int):
    """Projections may add iterations: the guard of a stage leaves them out."""
    count = exact = 0
    for seed in range(50):
        domain = random_domain(seed, divisions)
        run = iterations(read_bounds(domain, [OUTER, INNER], CONTEXT, SPANS))
        wanted = points(domain)
        assert len(set(run)) == len(run), seed
        assert set(wanted) <= set(run), seed
        count += len(wanted) > 10
        exact += run == wanted
    assert count > 15
    assert exact >= (25 if divisions else 45)


def test_what_is_covered_is_what_loops_run_through():
    for seed in range(20):
        domain = random_domain(seed, divisions=seed % 2)
        bounds = read_bounds(domain, [OUTER, INNER], CONTEXT, SPANS)
        assert points(covered(CONTEXT, [OUTER, INNER], bounds)) == iterations(bounds)


def test_nothing_runs_through_an_empty_domain():
    empty = isl.BasicSet("{ [n, i, j] : 0 <= i and i + 1 <= 0 }")
    assert read_bounds(empty, [OUTER, INNER], CONTEXT, SPANS) == [EMPTY, EMPTY]
    # Neither where the context excludes all points.
    outside = isl.BasicSet("{ [n, i, j] : n < i < 0 and 0 <= j < 3 }")
    assert read_bounds(outside, [OUTER, INNER], CONTEXT, {}) == [EMPTY, EMPTY]


def test_bounds_are_whole_numbers():
    """3i >= n and 2i <= n + 1: rounded towards the inside."""
    n = AffineExpr.dimension(SIZE)
    found = bounds_of(isl.BasicSet("{ [n, i] : 3i >= n and 2i <= n + 1 }"), OUTER)
    assert found == Bounds([n.ceil_div(3)], [(n + 2).ceil_div(2)])
    for at in range(-7, 8):
        lower, upper = (side[0].eval([at], []) for side in found)
        wanted = [i for i in range(-20, 20) if 3 * i >= at and 2 * i <= at + 1]
        assert [*range(lower, upper)] == wanted


def test_constants_stand_first_and_each_bound_once():
    found = bounds_of(
        isl.BasicSet("{ [n, i] : i >= n and i >= 2 and i < n + 8 and i < 10 }"), OUTER
    )
    n = AffineExpr.dimension(SIZE)
    assert found == Bounds([AffineExpr.constant(2), n], [AffineExpr.constant(10), n + 8])


def test_a_side_without_a_bound_is_empty():
    assert bounds_of(isl.BasicSet("{ [n, i] : i >= n }"), OUTER).upper == []


def test_what_the_context_says_is_not_said_again():
    context = isl.BasicSet("{ [n, i, j] : 0 <= n <= 5 and i <= n }")
    domain = isl.BasicSet("{ [n, i, j] : i <= j <= n }")
    (bounds,) = read_bounds(domain, [INNER], context, {})
    n, i = AffineExpr.dimension(SIZE), AffineExpr.dimension(OUTER)
    assert bounds == Bounds([i], [n + 1])


def test_bounds_that_follow_from_divisions_of_the_axis_itself():
    """Three places from a multiple of 4 on, of those that divisions of the place itself choose."""
    domain = isl.BasicSet(
        "{ [n, i] : (1 + i) mod 2 = 0 and n >= 0 "
        "and -105 - 4n + 3i <= 4*floor((2 + i)/4) <= 11 - 4n + i "
        "and 4*floor((2 + i)/4) <= -99 - 4n + 3i and 4*floor((2 + i)/4) <= 1 + i "
        "and -51 + i <= 4*floor((1 + n)/2) <= -49 + i }"
    )
    context = isl.BasicSet("{ [n, i] : 0 <= n <= 3 }")
    (bounds,) = read_bounds(domain, [1], context, {})
    first = (AffineExpr.dimension(0).ceil_div(2)) * 4 + 49
    assert bounds == Bounds([first], [first + 3])
