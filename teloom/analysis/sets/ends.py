"""The least and the greatest value of an affine expression, as numbers or as expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.analysis.sets.integer_sets import aff_of, inside, set_of, simplified
from teloom.dialects.affine.fold import fold, replace_dims
from teloom.dialects.affine.linear_forms import difference
from teloom.dialects.syntax.stage_header import ZERO

Side = tuple[AffineExpr, AffineExpr]
"""Where a box begins along an axis, and how many points it has there."""

Ends = tuple[AffineExpr, AffineExpr]
"""The least and the greatest value."""


def constant_ends(expr: AffineExpr, points: isl.Set) -> tuple[int, int] | None:
    """The least and the greatest value at some points; None if there is none on a side."""
    value = aff_of(expr, points.get_space())
    least, greatest = points.min_val(value), points.max_val(value)
    if not least.is_int() or not greatest.is_int():
        return None
    return least.to_python(), greatest.to_python()


def constant_ends_inside(expr: AffineExpr, sides: Mapping[int, Side]) -> tuple[int, int] | None:
    """The least and the greatest value where dimensions lie in constant sides; None in no point."""
    here = {dim: AffineExpr.dimension(k) for k, dim in enumerate(sides)}
    points = set_of(isl.Context(), len(sides), inside(here.values(), sides.values()))
    return constant_ends(replace_dims(expr, here.__getitem__), points.to_set())


def constant_side(first: int, last: int) -> Side:
    """The side from the first point to the last one."""
    return AffineExpr.constant(first), AffineExpr.constant(last - first + 1)


def side_around(expr: AffineExpr, box: Sequence[Side]) -> Side:
    """A side around the values of an expression over the axes of a box.

    A sum of parts spans what its parts span.
    """
    ends = [(start, start + extent + -1) for start, extent in box]

    def leaf(expr: AffineExpr) -> Ends:
        return ends[expr.position] if isinstance(expr, AffineDimExpr) else (expr, expr)

    lowest, highest = fold(expr, leaf, _ends_of_operation)
    return simplified(lowest), simplified(difference(highest + 1, lowest))


def _ends_of_operation(operation: AffineBinaryOpExpr, left: Ends, right: Ends) -> Ends:
    """The ends of an operation whose parts lie between these."""
    if operation.kind is AffineBinaryOpKind.Add:
        return left[0] + right[0], left[1] + right[1]
    (factor, _) = right
    assert isinstance(factor, AffineConstantExpr)
    if operation.kind is AffineBinaryOpKind.Mod:
        return ZERO, AffineExpr.constant(factor.value - 1)
    if operation.kind is AffineBinaryOpKind.Mul and factor.value < 0:
        left = left[::-1]
    lowest, highest = (AffineExpr.binary(operation.kind, end, factor) for end in left)
    return lowest, highest
