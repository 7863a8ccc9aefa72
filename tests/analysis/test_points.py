"""Points by the names of their coordinates, beside sets of Python's dictionaries."""

from itertools import product

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import Constraint, at_least, set_of
from teloom.analysis.sets.points import Points

VALUES = range(-1, 5)


def triangle(*names: str) -> Points:
    """0 <= a <= b <= 3, with c = b - a, by three names."""
    a, b, c = map(AffineExpr.dimension, range(3))
    constraints = [at_least(a), at_least(b, a), at_least(AffineExpr.constant(3), b)]
    same = Constraint(c + a, True, b)
    return Points(names, set_of(isl.DEFAULT_CONTEXT, 3, [*constraints, same]).to_set())


def found(points: Points) -> set[frozenset]:
    """The points whose coordinates are among VALUES, each as its (name, number) pairs."""
    every = product(VALUES, repeat=len(points.names))
    return {
        frozenset(zip(points.names, numbers, strict=True))
        for numbers in every
        if not points.set.intersect(_point(numbers)).is_empty()
    }


def _point(numbers: tuple[int, ...]) -> isl.Set:
    here = [
        Constraint(AffineExpr.dimension(k), True, AffineExpr.constant(n))
        for k, n in enumerate(numbers)
    ]
    return set_of(isl.DEFAULT_CONTEXT, len(numbers), here).to_set()


def expected(names: str, holds) -> set[frozenset]:
    every = (
        dict(zip(names, numbers, strict=True)) for numbers in product(VALUES, repeat=len(names))
    )
    return {frozenset(point.items()) for point in every if holds(**point)}


def in_triangle(a: int, b: int, c: int) -> bool:
    return 0 <= a <= b <= 3 and c == b - a


def test_another_order_has_the_same_points():
    moved = triangle("a", "b", "c").over(["c", "a", "b"])
    assert moved.names == ["c", "a", "b"]
    assert found(moved) == expected("abc", in_triangle)


def test_a_coordinate_left_out_is_projected():
    assert found(triangle("a", "b", "c").without("b")) == expected(
        "ac", lambda a, c: 0 <= a and 0 <= c and a + c <= 3
    )


def test_a_new_coordinate_may_have_any_value():
    free = triangle("a", "b", "c").over(["b", "d"])
    assert found(free) == expected("bd", lambda b, d: 0 <= b <= 3)


def test_points_are_joined_by_the_names_that_they_share():
    joined = triangle("a", "b", "c").intersect(triangle("d", "a", "e"))
    assert joined.names == ["a", "b", "c", "d", "e"]
    assert found(joined) == expected(
        "abcde", lambda a, b, c, d, e: in_triangle(a, b, c) and in_triangle(d, a, e)
    )


def test_points_are_joined_through_shared_coordinates():
    one, other = triangle("a", "b", "c"), triangle("a", "d", "b")
    joined = one.through(other, ["b"])
    assert joined.names == ["a", "c", "d"]
    both = one.intersect(other).without(["b"])
    assert found(joined) == found(both.over(joined.names))


def test_renamed_points_differ_from_the_others():
    one, other = triangle("a", "b", "c"), triangle("a", "b", "c").renamed(["a", "b"], ["b", "a"])
    assert found(one.subtract(other)) == expected(
        "abc", lambda a, b, c: in_triangle(a, b, c) and not in_triangle(b, a, c)
    )
    assert found(one.union(other)) == expected(
        "abc", lambda a, b, c: in_triangle(a, b, c) or in_triangle(b, a, c)
    )


def test_constraints_say_coordinates_by_name():
    points = triangle("a", "b", "c")
    above = points.where(at_least(points.dim("a"), points.dim("c")))
    assert found(above) == expected("abc", lambda a, b, c: in_triangle(a, b, c) and a >= c)
    sample = above.sample()
    assert [*sample] == ["a", "b", "c"]
    assert in_triangle(**sample)
    assert sample["a"] >= sample["c"]


def test_a_relation_leads_from_the_other_coordinates():
    relation = triangle("a", "b", "c").relation(["c", "a"])
    assert (relation.dim(isl.dim_type.in_), relation.dim(isl.dim_type.out)) == (1, 2)
    last = Points(["b", "c", "a"], relation.lexmax().wrap().flatten())
    assert found(last) == expected("abc", lambda a, b, c: 0 <= b <= 3 and a == 0 and c == b)


def test_where_there_is_no_first_point_any_one_is_a_witness():
    everything = Points(["a"], set_of(isl.Context(), 1, []).to_set())
    least = everything.where(at_least(everything.dim("a"), AffineExpr.constant(-3)))
    assert least.first() == {"a": -3}
    assert everything.first().keys() == {"a"}
