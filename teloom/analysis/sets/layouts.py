"""Layouts on integer sets: the box of physical coordinates, and what lies in it, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.ends import constant_ends, constant_side, side_around
from teloom.analysis.sets.integer_sets import (
    Constraint,
    at_least,
    between,
    flat_set,
    map_of,
    sample,
    set_of,
)
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.dialects.syntax.stage_header import ZERO


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


def physical_box(region: Region, layout: LayoutAttr) -> Box:
    """The box of the physical coordinates of a region, with constants where possible."""
    if region.points.is_empty():
        return [(ZERO, ZERO)] * len(layout.exprs)
    box = [(ZERO, extent) for extent in region.extents]
    numbers = [constant_ends(expr, region.points) for expr in region.over_points(layout)]
    return [
        side_around(expr, box) if ends is None else constant_side(*ends)
        for expr, ends in zip(layout.exprs, numbers, strict=True)
    ]


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
