"""Boxes around regions: per axis an affine offset and an extent, constant where one exists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.analysis.integer_sets import (
    IN,
    OUT,
    SET,
    aff_of,
    divides,
    expr_of_aff,
    linear_part,
    simplified,
)
from teloom.analysis.loop_bounds import bounds_of, projection, without

Box = list[tuple[AffineExpr, AffineExpr]]


def box_around(region: isl.BasicSet, dims: Sequence[int], sizes: int) -> Box:
    """(offset, extent) of each of `dims`, over the dimensions before them.

    The first `sizes` dimensions do not change while a program runs; an extent that
    depends on them alone is better than one that depends on loops, a constant is best.
    """
    if region.is_empty():
        return [(AffineExpr.constant(0), AffineExpr.constant(0))] * len(dims)
    linear = linear_part(region, dims)
    return [_side(region, linear, dim, dims, sizes) for dim in dims]


def _side(
    region: isl.BasicSet, linear: isl.BasicSet, dim: int, dims: Sequence[int], sizes: int
) -> tuple[AffineExpr, AffineExpr]:
    projected = region
    for other in dims:
        if other != dim:
            linear = without(linear, other, dims)
            projected = projection(projected, other, linear)
    projected = projected.remove_redundancies()
    lowers, uppers = bounds_of(projected, dim)
    candidates = [
        *_constant_extents(projected, dim, [*lowers, *_remainders(projected, dim, dims)]),
        *_symbolic_extents(lowers, uppers),
    ]
    return min(candidates, key=lambda side: _cost(side, sizes))


def _constant_extents(
    projected: isl.BasicSet, dim: int, lowers: Sequence[AffineExpr]
) -> Iterator[tuple[AffineExpr, AffineExpr]]:
    space = projected.get_space()
    for lower in lowers:
        distance = aff_of(AffineExpr.dimension(dim) + lower * -1, space)
        largest = projected.to_set().max_val(distance)
        if largest.is_int():
            yield lower, AffineExpr.constant(largest.to_python() + 1)


def _remainders(projected: isl.BasicSet, dim: int, dims: Sequence[int]) -> list[AffineExpr]:
    """The least value of `dim`, where a division of it hides that it is one expression."""
    if not any(divides(constraint.get_aff(), dim) for constraint in projected.get_constraints()):
        return []
    points = projected.to_set()
    for other in reversed(dims):
        if other != dim:
            points = points.project_out(SET, other, 1)
    least = isl.Map.from_range(points).move_dims(IN, 0, OUT, 0, dims[0]).lexmin_pw_multi_aff()
    pieces: list[isl.MultiAff] = []
    least.foreach_piece(lambda _, piece: pieces.append(piece))
    return [expr_of_aff(piece.get_aff(0)) for piece in pieces] if len(pieces) == 1 else []


def _symbolic_extents(
    lowers: Sequence[AffineExpr], uppers: Sequence[AffineExpr]
) -> Iterator[tuple[AffineExpr, AffineExpr]]:
    for lower in lowers:
        for upper in uppers:
            yield lower, simplified(upper + lower * -1)


def _cost(side: tuple[AffineExpr, AffineExpr], sizes: int) -> tuple[int, int, int, int]:
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
