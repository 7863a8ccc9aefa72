"""Inverses of affine maps, and the sides of their images, against all points of a box."""

from itertools import product

import pytest
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from teloom.analysis.sets.inverses import NoInverseError, image_sides, inverse_of
from teloom.dialects.syntax.stage_header import ZERO

A, B, C, D = map(AffineExpr.dimension, range(4))
FLAT = ((A * 32 + B) * 8 + C) * 8 + D

INJECTIVE = {
    "swapped": ([B, A + 4], (5, 6)),
    "diagonal": ([A + B, B], (5, 6)),
    "sums and differences": ([A + B, A + B * -1], (5, 4)),
    "multiples": ([A * 2, B * -3], (4, 3)),
    "a lattice": ([A + B * 2, A * 3 + B], (4, 5)),
    "tiles": ([A // 4, B // 3, A % 4, B % 3], (9, 7)),
    "flat": ([A * 6 + B], (4, 6)),
    "flat in blocks": ([(A * 6 + B) // 4, (A * 6 + B) % 4], (4, 6)),
    "rotated": ([A, (A + B) % 8], (8, 8)),
    "a multiple modulo": ([(A * 5 + 3) % 16], (16,)),
    "unit axes": ([C * 1 + B * 5], (1, 3, 5)),
    "fewer axes of four": ([FLAT // 128, FLAT % 128], (2, 32, 8, 8)),
    "the same twice": ([A * 4 + B, A * 4 + B], (4, 4)),
    "no points": ([A + B], (0, 4)),
    "a number": ([AffineExpr.constant(3)], (1,)),
}


def box(*extents: int) -> tuple[tuple[AffineExpr, AffineExpr], ...]:
    return tuple((ZERO, AffineExpr.constant(extent)) for extent in extents)


@pytest.mark.parametrize("name", INJECTIVE)
def test_inverse_and_image(name: str):
    exprs, extents = INJECTIVE[name]
    inverse = AffineMap(len(exprs), 0, tuple(inverse_of(tuple(exprs), box(*extents)).exprs))
    there = AffineMap(len(extents), 0, tuple(exprs))
    points = [[*point] for point in product(*map(range, extents))]
    images = [there.eval(point, []) for point in points]
    assert [list(inverse.eval(image, [])) for image in images] == points
    for coordinates, (start, extent) in zip(
        zip(*images, strict=True), image_sides(exprs, box(*extents)), strict=False
    ):
        assert str(start) == str(min(coordinates))
        assert str(extent) == str(max(coordinates) - min(coordinates) + 1)


@pytest.mark.parametrize(
    ("exprs", "extents"),
    [
        ([A + B], (5, 6)),
        ([(A + 3) % 8], (9,)),
        ([A // 2, B], (3, 3)),
        ([A + B // 4, B % 4], (2, 8)),
    ],
)
def test_two_points_with_one_image(exprs: list[AffineExpr], extents: tuple[int, ...]):
    with pytest.raises(NoInverseError, match="it is not injective: ") as caught:
        inverse_of(tuple(exprs), box(*extents))
    first, second = str(caught.value).partition(": ")[2].partition(" both ")[0].split(" and ")
    points = [[int(number) for number in one.strip("[]").split(",")] for one in (first, second)]
    assert points[0] != points[1]
    there = AffineMap(len(extents), 0, tuple(exprs))
    assert there.eval(points[0], []) == there.eval(points[1], [])
    for point in points:
        assert all(0 <= number < extent for number, extent in zip(point, extents, strict=True))


def test_symbolic_sides():
    """The image of a box of any size contains that of the box; the inverse holds for all sizes."""
    n = AffineExpr.dimension(4)
    sides = [(ZERO, n), (AffineExpr.constant(-2), AffineExpr.constant(6))]
    exprs = [A * 6 + B, A // 4 + B * -1, A % 4]
    assert inverse_of((exprs[0],), tuple(sides)).around == [4]
    for size in (1, 2, 9):
        found = image_sides(exprs, sides)
        points = [*product(range(size), range(-2, 4))]
        there = AffineMap(2, 0, tuple(exprs))
        images = [there.eval([*point], []) for point in points]
        for coordinates, (start, extent) in zip(zip(*images, strict=True), found, strict=True):
            first, count = (expr.replace_dims_and_symbols([n] * 5, ()) for expr in (start, extent))
            first, count = (
                AffineMap(5, 0, (one,)).eval([size] * 5, [])[0] for one in (first, count)
            )
            assert first <= min(coordinates)
            assert max(coordinates) < first + count
    assert isinstance(image_sides([A % 4], sides)[0][1], AffineConstantExpr)
