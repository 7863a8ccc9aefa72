"""Layouts on integer sets: the box of physical coordinates, and what lies in it, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.analysis.sets.integer_sets import (
    Constraint,
    aff_of,
    at_least,
    between,
    flat_set,
    map_of,
    sample,
    set_of,
    simplified,
)
from teloom.dialects.affine.fold import fold
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.layouts import LayoutAttr

Side = tuple[AffineExpr, AffineExpr]
"""The first coordinate on an axis, and how many there are."""


class Region:
    """The elements of a tensor region by their distances to its start.

    `extents` are over the first `values` dimensions, which may have any values.
    """

    def __init__(self, extents: Sequence[AffineExpr], values: int):
        self.extents = extents
        self.values = values
        self.axes = [AffineExpr.dimension(values + k) for k in range(len(extents))]
        constraints = [
            one
            for axis, extent in zip(self.axes, extents, strict=True)
            for one in between(axis, extent)
        ]
        count = values + len(extents)
        self.points = set_of(isl.DEFAULT_CONTEXT, count, constraints).to_set()

    def over_points(self, layout: LayoutAttr) -> list[AffineExpr]:
        """The physical coordinates over the dimensions of `points`."""
        return [expr.replace_dims_and_symbols(self.axes, ()) for expr in layout.exprs]


def physical_box(region: Region, layout: LayoutAttr) -> list[Side]:
    """The box of the physical coordinates of a region, with constants where possible.

    Those are exact; of an extent that varies, a sum of parts spans what its parts span.
    """
    return [_side(region, expr) for expr in region.over_points(layout)]


def _side(region: Region, expr: AffineExpr) -> Side:
    if region.points.is_empty():
        return AffineExpr.constant(0), AffineExpr.constant(0)
    aff = aff_of(expr, region.points.get_space())
    least, greatest = region.points.min_val(aff), region.points.max_val(aff)
    if least.is_int() and greatest.is_int():
        first = least.to_python()
        return AffineExpr.constant(first), AffineExpr.constant(greatest.to_python() - first + 1)
    low, high = _interval(region, expr)
    return simplified(low), simplified(high + low * -1 + 1)


def _interval(region: Region, expr: AffineExpr) -> Side:
    """The least and the greatest value of an expression, over the values of the region."""

    def leaf(expr: AffineExpr) -> Side:
        if isinstance(expr, AffineDimExpr):
            return AffineExpr.constant(0), region.extents[expr.position - region.values] + -1
        return expr, expr

    return fold(expr, leaf, _combined)


def _combined(expr: AffineBinaryOpExpr, lhs: Side, rhs: Side) -> Side:
    if expr.kind is AffineBinaryOpKind.Add:
        return lhs[0] + rhs[0], lhs[1] + rhs[1]
    factor, _ = rhs
    assert isinstance(factor, AffineConstantExpr)
    if expr.kind is AffineBinaryOpKind.Mod:
        return AffineExpr.constant(0), factor + -1
    first, second = (AffineExpr.binary(expr.kind, end, factor) for end in lhs)
    return (second, first) if factor.value < 0 else (first, second)


def row_and_column(region: Region, layout: LayoutAttr) -> tuple[AffineExpr, AffineExpr]:
    """The row and the column of an element in a packed layout, over the region's points.

    They are counted from the first ones of the region, and at least 0.
    """
    *_, row, column = region.over_points(layout)
    *_, (first_row, _), (first_column, _) = physical_box(region, layout)
    return difference(row, first_row), difference(column, first_column)


def in_triangle(layout: LayoutAttr, row: AffineExpr, column: AffineExpr) -> Constraint:
    """The constraint that a row and a column in the box of a packed layout have a place."""
    return at_least(column, row) if layout.is_upper else at_least(row, column)


class Collision(NamedTuple):
    """Two elements at one place, by their distances to the start, and the values at which."""

    values: list[int]
    first: list[int]
    second: list[int]


def collision(region: Region, layout: LayoutAttr) -> Collision | None:
    """Two elements of a region with the same physical coordinates, if there are any."""
    values = [AffineExpr.dimension(k) for k in range(region.values)]
    places = map_of(region.points, [*values, *region.over_points(layout)])
    same = places.apply_range(places.reverse())
    apart = flat_set(same.subtract(isl.Map.identity(same.get_space())))
    if apart.is_empty():
        return None
    numbers = sample(apart)
    half = len(numbers) // 2
    return Collision(
        numbers[: region.values], numbers[region.values : half], numbers[half + region.values :]
    )
