"""What is said of the lanes of a vector holds in every vector of the loop."""

from itertools import pairwise, product
from random import Random

import pytest
from analysis.index_nests import applied, nest, random_expr, seeds
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop

OUTER = (-3, 4)
"""Where the loop around runs."""


def strides_of(exprs: list[AffineExpr], lower: int, lanes: int):
    """The strides in the inner of two loops, and what the expressions give."""
    module = nest([OUTER, (lower, lower + 3 * lanes)], exprs)
    *_, inner = (op for op in module.walk() if isinstance(op, loop.ForOp))
    return LaneStrides(inner, lanes), applied(module)


def vectors(expr: AffineExpr, lower: int, lanes: int) -> list[list[int]]:
    """The values of an expression in the lanes of each vector, at each iteration around."""
    first = range(lower, lower + 3 * lanes, lanes)
    return [
        [expr.eval([outer, begin + lane], []) for lane in range(lanes)]
        for outer, begin in product(range(*OUTER), first)
    ]


def differences(of: list[list[int]]) -> set[int]:
    return {second - first for lanes in of for first, second in pairwise(lanes)}


def drawn(chosen: Random) -> tuple[AffineExpr, int, int]:
    return random_expr(chosen, 2), chosen.choice([0, 4, 8, 3]), chosen.choice([2, 4, 8])


def test_a_stride_is_the_difference_of_all_lanes():
    known = found_with_quotient = 0
    for chosen in seeds(150):
        expr, lower, lanes = drawn(chosen)
        strides, (value,) = strides_of([expr], lower, lanes)
        stride = strides.of(value)
        if stride is None:
            continue
        known += 1
        found_with_quotient += "floordiv" in str(expr) or "mod" in str(expr)
        assert differences(vectors(expr, lower, lanes)) == {stride}, str(expr)
    assert known > 50
    assert found_with_quotient > 8


def test_distances_are_those_of_all_lanes_from_the_first():
    constant = with_quotient = 0
    for chosen in seeds(300):
        expr, lower, lanes = drawn(chosen)
        strides, (value,) = strides_of([expr], lower, lanes)
        distances = strides.distances(value)
        found = {tuple(x - of[0] for x in of) for of in vectors(expr, lower, lanes)}
        assert distances is None or found == {tuple(distances)}, str(expr)
        assert distances is not None or strides.of(value) is None, str(expr)
        constant += distances is not None
        with_quotient += distances is not None and strides.of(value) is None
    assert constant > 100
    assert with_quotient > 20


def test_what_does_not_vary_is_the_same_in_all_lanes():
    """Of the values of a body, those vary that are computed from what varies."""
    lane, outside = AffineExpr.dimension(1), AffineExpr.dimension(0)
    module = nest([OUTER, (0, 8)], [outside * 3, lane * 2, outside + lane])
    around, inner = (op for op in module.walk() if isinstance(op, loop.ForOp))
    strides = LaneStrides(inner, 4)
    assert strides.varies(inner.induction_variable)
    assert not strides.varies(around.induction_variable)


OUTSIDE, LANE = AffineExpr.dimension(0), AffineExpr.dimension(1)


@pytest.mark.parametrize(
    ("expr", "lower", "stride"),
    [
        (OUTSIDE * 5 + LANE * 3 + 1, 0, 3),
        (LANE * -1, 0, -1),
        (OUTSIDE // 2 + LANE, 0, 1),
        # All lanes of a vector of four are in one block of four, or of eight.
        (LANE // 4, 0, 0),
        (LANE // 8, 4, 0),
        (LANE % 4, 0, 1),
        ((OUTSIDE * 8 + LANE) // 8, 0, 0),
        # They are not where the vectors begin elsewhere, or blocks are smaller.
        (LANE // 4, 2, None),
        (LANE // 3, 0, None),
        ((OUTSIDE + LANE) // 4, 0, None),
        (LANE // 2, 0, None),
    ],
)
def test_lanes_of_four(expr: AffineExpr, lower: int, stride: int | None):
    strides, (value,) = strides_of([expr], lower, 4)
    assert strides.of(value) == stride
    found = differences(vectors(expr, lower, 4))
    assert found == {stride} if stride is not None else len(found) > 1
