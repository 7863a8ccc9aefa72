"""Loop bounds, read off the projections of an integer set.

The innermost dimension is bounded by the set itself, the next one by its projection,
and so on outwards; each constraint is one result of a lower (max) or upper (min)
bound. Projections are rational: they can only add iterations in which nothing runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.sets.integer_sets import (
    DIV,
    SET,
    Constraint,
    at_least,
    bounds_on,
    linear_part,
    more_than,
    set_of,
    without_divisions,
)


class Bounds(NamedTuple):
    """From the largest of `lower` to the least of `upper`, the end excluded."""

    lower: list[AffineExpr]
    upper: list[AffineExpr]

    def map(self, function: Callable[[AffineExpr], AffineExpr]) -> Bounds:
        return Bounds([*map(function, self.lower)], [*map(function, self.upper)])

    def constraints(self, variable: AffineExpr) -> list[Constraint]:
        """The bounds as constraints on a variable."""
        lower = [at_least(variable, expr) for expr in self.lower]
        return lower + [more_than(expr, variable) for expr in self.upper]


EMPTY = Bounds([AffineExpr.constant(0)], [AffineExpr.constant(0)])


def read_bounds(
    domain: isl.BasicSet,
    dims: Sequence[int],
    context: isl.BasicSet,
    spans: Mapping[int, isl.BasicSet],
) -> list[Bounds]:
    """Bounds of `dims`, outermost first, each over those before it.

    `context` holds where the loops are: what it says is not said again. The `spans` of dims
    hold, too: in `domain` they may follow from others, and these be lost in a projection.
    """
    domain = domain.intersect(context)
    if domain.is_empty():
        return [EMPTY] * len(dims)
    linear = Linear(linear_part(domain, dims), dims)
    domain = domain.detect_equalities().remove_redundancies()
    if (constants := _constant_bounds(domain, dims)) is not None:
        return constants
    found: list[Bounds] = []
    for dim in reversed(dims):
        outer = linear.without(dim)
        projected = projection(domain, dim, outer)
        bounds = EMPTY
        for said in _saying(domain, projected, linear):
            bounds = bounds_of(said, dim)
            if bounds.lower and bounds.upper:
                break
        found.append(bounds)
        domain, linear = projected, outer
        if spans := {other: span for other, span in spans.items() if other != dim}:
            domain = reduce(isl.BasicSet.intersect, spans.values(), domain)
            linear = Linear(reduce(isl.BasicSet.intersect, spans.values(), linear.points()), dims)
    found.reverse()
    return found


def _constant_bounds(domain: isl.BasicSet, dims: Sequence[int]) -> list[Bounds] | None:
    """The bounds of `dims` if all are numbers, whatever other dims are; else None.

    Those of most loops are: then there is nothing to project.
    """
    if domain.dim(DIV):
        return None
    found: list[Bounds] = []
    for dim in dims:
        bounds = bounds_of(domain, dim)
        if not (bounds.lower and bounds.upper) or not all(map(_is_number, chain(*bounds))):
            return None
        found.append(bounds)
    return found


def _saying(
    domain: isl.BasicSet, projected: isl.BasicSet, linear: Linear
) -> Iterator[isl.BasicSet]:
    """The constraints that may bound the dimension along which `projected` is projected.

    They may be said by the context alone, or be lost to tighter ones by divisions, which may be
    of the dimension itself.
    """
    yield domain.gist(projected)
    yield domain
    yield domain.intersect(linear.points())
    yield linear.points()


class Linear:
    """A set without divisions of `dims`, and its rational projections along these.

    They are made where they are asked for, which is where there are divisions.
    """

    def __init__(self, known: isl.BasicSet, dims: Sequence[int], eliminated: Sequence[int] = ()):
        self._known, self._dims, self._eliminated = known, dims, eliminated

    def without(self, dim: int) -> Linear:
        """The projection along one of the dims."""
        return Linear(self._known, self._dims, [*self._eliminated, dim])

    def points(self) -> isl.BasicSet:
        """The set itself.

        isl's own projection is exact where coefficients are not 1, by divisions of other dims,
        which say no linear bounds, or by integers that exist but have no expression; `gist` by a
        set with such integers is wrong.
        """
        for dim in self._eliminated:
            self._known = without_divisions(self._known.eliminate(SET, dim, 1), self._dims)
        self._eliminated = ()
        return self._known


def projection(domain: isl.BasicSet, dim: int, linear: Linear) -> isl.BasicSet:
    """The projection of `domain` along `dim`, inside `linear`.

    Of nested divisions, elimination can leave some that isl cannot express; the
    constraints with those are dropped.
    """
    projected = domain.eliminate(SET, dim, 1)
    known = without_divisions(projected, ())
    if known is not projected and not known.plain_is_equal(projected):
        projected = known.intersect(linear.points())
    return projected.remove_redundancies()


def bounds_of(domain: isl.BasicSet, dim: int) -> Bounds:
    """The bounds of `dim` in the constraints of `domain`, constants first; sides may be empty."""
    found = list(bounds_on(domain, dim))
    return Bounds(
        _constants_first(_rounded_up(b.numerator, b.denominator) for b in found if b.is_lower),
        # x <= p / q is x < floor(p / q) + 1, which is ceil((p + 1) / q): it reads `n ceildiv 8`.
        _constants_first(_rounded_up(b.numerator + 1, b.denominator) for b in found if b.is_upper),
    )


def _rounded_up(expr: AffineExpr, divisor: int) -> AffineExpr:
    return expr if divisor == 1 else expr.ceil_div(divisor)


def _constants_first(bounds: Iterable[AffineExpr]) -> list[AffineExpr]:
    """Each bound once, constants before the others."""
    return sorted(dict.fromkeys(bounds), key=lambda expr: not _is_number(expr))


def _is_number(expr: AffineExpr) -> bool:
    return type(expr) is AffineConstantExpr


def covered(context: isl.BasicSet, dims: Sequence[int], bounds: Sequence[Bounds]) -> isl.BasicSet:
    """The set that loops with these bounds run through, inside `context`."""
    constraints: list[Constraint] = []
    for dim, one in zip(dims, bounds, strict=True):
        constraints += one.constraints(AffineExpr.dimension(dim))
    count = context.dim(SET)
    return set_of(context.get_ctx(), count, constraints).intersect(context)
