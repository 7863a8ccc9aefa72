"""Boxes hold their regions, and are as small as simple offsets allow."""

import itertools
import random

import islpy as isl
import pytest
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.sets.boxes import Box, box_around, tightened

SIZE, LOOP, *SIDES = range(4)
EXTENT = 9
TENSOR = isl.BasicSet(f"{{ [n, o, i, j] : 0 <= i < {EXTENT} and 0 <= j < {EXTENT} }}")
OUTER = list(itertools.product(range(4), range(4)))
"""Values of a size and of a loop."""

n, o = AffineExpr.dimension(SIZE), AffineExpr.dimension(LOOP)


def region_of(text: str) -> isl.BasicSet:
    return isl.BasicSet(f"{{ [n, o, i, j] : {text} }}").intersect(TENSOR)


def coordinate(point: isl.Point, dim: int) -> int:
    return point.get_coordinate_val(isl.dim_type.set, dim).to_python()


def elements_at(region: isl.Set, outer: tuple[int, int]) -> set[tuple[int, int]]:
    """The elements of a region where the size and the loop have these values."""
    here = isl.BasicSet(f"{{ [n, o, i, j] : n = {outer[0]} and o = {outer[1]} }}")
    found: set[tuple[int, int]] = set()
    region.intersect(here.to_set()).foreach_point(
        lambda point: found.add((coordinate(point, SIDES[0]), coordinate(point, SIDES[1])))
    )
    return found


def box_at(box: Box, outer: tuple[int, int]) -> set[tuple[int, ...]]:
    at = [*outer, 0, 0]
    sides = [
        range(offset.eval(at, []), offset.eval(at, []) + extent.eval(at, []))
        for offset, extent in box
    ]
    return set(itertools.product(*sides))


def random_region(seed: int) -> isl.BasicSet:
    chosen = random.Random(seed)

    def linear(*names: str) -> str:
        return " + ".join([*(f"{chosen.randint(-2, 2)}*{name}" for name in names), "0"])

    constraints = [
        f"{linear('n', 'o')} <= {name} <= {linear('n', 'o')} + {chosen.randint(0, 5)}"
        for name in "ij"
    ]
    if chosen.random() < 0.5:
        constraints.append(f"{linear('i', 'j', 'o')} >= {chosen.randint(-3, 3)}")
    if chosen.random() < 0.4:
        constraints.append(f"i = {chosen.randint(2, 3)}*floor(({linear('j', 'o')} + i)/2)")
    return region_of(" and ".join(constraints))


def test_a_box_holds_its_region():
    several = 0
    for seed in range(60):
        region = random_region(seed)
        box = box_around(region, TENSOR, SIDES, 1)
        for outer in OUTER:
            elements = elements_at(region.to_set(), outer)
            several += len(elements) > 1
            assert elements <= box_at(box, outer), (seed, outer)
    assert several > 100


def test_a_tightened_box_holds_the_elements_and_is_no_larger():
    tighter = 0
    for seed in range(60):
        region, other = random_region(seed), random_region(seed + 1000)
        elements = region.to_set() if seed % 2 else region.union(other)
        hull = elements.simple_hull().intersect(TENSOR)
        box = box_around(hull, TENSOR, SIDES, 1)
        tight = tightened(box, elements, SIDES)
        tighter += tight != box
        for outer in OUTER:
            assert elements_at(elements, outer) <= box_at(tight, outer), (seed, outer)
        for (_, extent), (_, before) in zip(tight, box, strict=True):
            if isinstance(before, AffineConstantExpr):
                assert isinstance(extent, AffineConstantExpr), seed
                assert extent.value <= before.value, seed
    assert tighter > 5


@pytest.mark.parametrize(
    ("text", "box"),
    [
        # A window that moves with the loop has the extent that it has everywhere.
        ("2o <= i <= 2o + 3 and j = o", [(o * 2, 4), (o, 1)]),
        # A constant extent is better than one of a size, and that than one of a loop.
        ("0 <= i <= n and i <= 3 and j = 0", [(AffineExpr.constant(0), 4), (0, 1)]),
        ("0 <= i and 0 <= j <= o and o <= i <= n", [(o, n - o + 1), (0, o + 1)]),
    ],
)
def test_which_of_several_boxes(text: str, box: list):
    region = isl.BasicSet(f"{{ [n, o, i, j] : {text} }}")
    tensor = isl.BasicSet("{ [n, o, i, j] : 0 <= i and 0 <= j }")
    found = box_around(region, tensor, SIDES, 1)
    for (offset, extent), (start, length) in zip(found, box, strict=True):
        for outer in OUTER:
            at = [*outer, 0, 0]
            assert offset.eval(at, []) == value(start, at)
            assert extent.eval(at, []) == value(length, at)


def value(expr: AffineExpr | int, at: list[int]) -> int:
    return expr if isinstance(expr, int) else expr.eval(at, [])


def test_the_box_around_nothing_is_empty():
    empty = isl.BasicSet("{ [n, o, i, j] : i < 0 and i >= 0 }")
    zero = AffineExpr.constant(0)
    assert box_around(empty, TENSOR, SIDES, 1) == [(zero, zero)] * 2


def test_every_third_element_is_found_by_its_ends():
    """The projection of such a set has the ends of its hull."""
    elements = region_of("i = 3*floor(i/3) and 3 <= i <= 8 and j = 0").to_set()
    zero, one, three, four, nine = map(AffineExpr.constant, (0, 1, 3, 4, 9))
    assert tightened([(zero, nine), (zero, one)], elements, SIDES) == [(three, four), (zero, one)]
