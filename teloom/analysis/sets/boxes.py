"""Boxes around regions: per axis an affine offset and an extent, constant where one exists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.analysis.sets.ends import Side, constant_ends, constant_side
from teloom.analysis.sets.integer_sets import (
    DIV,
    IN,
    OUT,
    SET,
    Constraint,
    aff_of,
    expr_of_aff,
    extreme,
    linear_part,
    set_of,
    simplified,
)
from teloom.analysis.sets.loop_bounds import Linear, bounds_of, projection
from teloom.dialects.affine.linear_forms import difference

Box = list[Side]

MOST_PIECES = 16
"""Of the least and the greatest element of a side; more of them say no simple offset."""


def box_around(region: isl.BasicSet, tensor: isl.BasicSet, dims: Sequence[int], sizes: int) -> Box:
    """(offset, extent) of each of `dims`, over the dimensions before them.

    `tensor` holds the region, and has bounds of all `dims`: those of the region can be lost to
    tighter ones by divisions.

    The first `sizes` dimensions do not change while a program runs; an extent that
    depends on them alone is better than one that depends on loops, a constant is best.
    """
    if region.is_empty():
        return [(AffineExpr.constant(0), AffineExpr.constant(0))] * len(dims)
    linear = Linear(linear_part(region, dims).intersect(tensor), dims)
    return [_side(region, linear, dim, dims, sizes) for dim in dims]


def _side(region: isl.BasicSet, linear: Linear, dim: int, dims: Sequence[int], sizes: int) -> Side:
    projected = region
    for other in dims:
        if other != dim:
            linear = linear.without(other)
            projected = projection(projected, other, linear)
    projected = projected.remove_redundancies()
    lowers, uppers = bounds_of(projected, dim)
    if not lowers or not uppers:
        lowers, uppers = bounds_of(linear.points(), dim)
    candidates = [
        *_constant_extents(projected, dim, lowers),
        *_symbolic_extents(lowers, uppers),
    ]
    return min(candidates, key=lambda side: _cost(side, sizes))


def _constant_extents(
    projected: isl.BasicSet, dim: int, lowers: Sequence[AffineExpr]
) -> Iterator[Side]:
    space = projected.get_space()
    for lower in lowers:
        distance = aff_of(difference(AffineExpr.dimension(dim), lower), space)
        largest = projected.to_set().max_val(distance)
        if largest.is_int():
            yield lower, AffineExpr.constant(largest.to_python() + 1)


def _symbolic_extents(lowers: Sequence[AffineExpr], uppers: Sequence[AffineExpr]) -> Iterator[Side]:
    for lower in lowers:
        for upper in uppers:
            yield lower, simplified(difference(upper, lower))


def tightened(box: Box, elements: isl.Set, dims: Sequence[int]) -> Box:
    """A box around elements, with the smallest constant extents that are found.

    Where divisions or several pieces say what the elements are, their projections can be
    larger than they are: then the least and the greatest element at each point of the
    dimensions before `dims` say where a side may begin.
    """
    pieces = elements.get_basic_sets()
    if not pieces or (len(pieces) == 1 and not pieces[0].dim(DIV)):
        return box
    return [
        _tightened_side(side, _points_along(elements, dim, dims), dims[0])
        for dim, side in zip(dims, box, strict=True)
    ]


def _points_along(elements: isl.Set, dim: int, dims: Sequence[int]) -> isl.Set:
    """The elements as points of one of `dims`, behind the dimensions before them."""
    for other in reversed(dims):
        if other != dim:
            elements = elements.project_out(SET, other, 1)
    return elements


def _tightened_side(side: Side, points: isl.Set, dim: int) -> Side:
    offset, extent = side
    if isinstance(extent, AffineConstantExpr):
        ends = (_at(points, dim, end) for end in (offset, offset + extent.value + -1))
        if extent.value == 1 or not isl.Set.intersect(*ends).is_empty():
            return side
    found = [side, *_sides_from(_ends(points, dim), points, dim)]
    constant = [one for one in found if isinstance(one[1], AffineConstantExpr)]
    return min(constant, key=lambda side: _cost(side, dim), default=side)


def _at(points: isl.Set, dim: int, value: AffineExpr) -> isl.Set:
    """The set in which a point along `dim` has this value."""
    here = Constraint(AffineExpr.dimension(dim), True, value)
    return points.intersect(set_of(points.get_ctx(), dim + 1, [here]).to_set()).project_out(
        SET, dim, 1
    )


def _ends(points: isl.Set, dim: int) -> list[isl.Aff]:
    """The least and the greatest of the points along `dim`, piece by piece."""
    along = isl.Map.from_range(points).move_dims(IN, 0, OUT, 0, dim)
    pieces: list[isl.MultiAff] = []
    for end in (isl.Map.lexmin_pw_multi_aff, isl.Map.lexmax_pw_multi_aff):
        extreme(along, end).foreach_piece(lambda _, piece: pieces.append(piece))
    return [piece.get_aff(0) for piece in pieces[:MOST_PIECES]]


def _sides_from(ends: Sequence[isl.Aff], points: isl.Set, dim: int) -> Iterator[Side]:
    """Sides of constant extents around the points, parallel to these ends."""
    for end in ends:
        if not end.get_denominator_val().is_one():
            continue
        start = expr_of_aff(end)
        distance = difference(AffineExpr.dimension(dim), start)
        if (distances := constant_ends(distance, points)) is not None:
            first, extent = constant_side(*distances)
            yield simplified(start + first), extent


def _cost(side: Side, sizes: int) -> tuple[int, int, int, int]:
    """Constant extents first, smallest first; then extents that no loop changes."""
    offset, extent = side
    length = sum(1 for _ in offset.dfs()) + sum(1 for _ in extent.dfs())
    if isinstance(extent, AffineConstantExpr):
        return (0, extent.value, 0, length)
    loops = {
        expr.position
        for expr in extent.dfs()
        if isinstance(expr, AffineDimExpr) and expr.position >= sizes
    }
    return (1, 0, len(loops), length)
