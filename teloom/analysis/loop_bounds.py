"""Loop bounds, read off the projections of an integer set.

The innermost dimension is bounded by the set itself, the next one by its projection,
and so on outwards; each constraint is one result of a lower (max) or upper (min)
bound. Projections are rational: they can only add iterations in which nothing runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)

from teloom.analysis.integer_sets import (
    SET,
    Constraint,
    LinearConstraint,
    conjunction_of,
    constraints_on,
    linear_part,
    set_of,
)
from teloom.dialects.constraints import Conjunction


class Bounds(NamedTuple):
    """From the largest of `lower` to the least of `upper`, the end excluded."""

    lower: list[AffineExpr]
    upper: list[AffineExpr]


EMPTY = Bounds([AffineExpr.constant(0)], [AffineExpr.constant(0)])


def read_bounds(domain: isl.BasicSet, dims: Sequence[int], context: isl.BasicSet) -> list[Bounds]:
    """Bounds of `dims`, outermost first, each over the dimensions before it.

    `context` holds where the loops are: what it says is not said again.
    """
    domain = domain.intersect(context)
    if domain.is_empty():
        return [EMPTY] * len(dims)
    linear = linear_part(domain)
    domain = domain.detect_equalities().remove_redundancies()
    found: list[Bounds] = []
    for dim in reversed(dims):
        outer = linear.eliminate(SET, dim, 1)
        projected = projection(domain, dim, outer)
        bounds = EMPTY
        # Bounds may be said by the context alone, or be lost to tighter ones by divisions.
        for said in (domain.gist(projected), domain, domain.intersect(linear)):
            bounds = bounds_of(said, dim)
            if bounds.lower and bounds.upper:
                break
        found.append(bounds)
        domain, linear = projected, outer
    found.reverse()
    return found


def projection(domain: isl.BasicSet, dim: int, linear: isl.BasicSet) -> isl.BasicSet:
    """The projection of `domain` along `dim`, inside `linear`.

    Of nested divisions, elimination can leave some that isl cannot express; the
    constraints with those are dropped.
    """
    projected = domain.eliminate(SET, dim, 1)
    known = projected.remove_unknown_divs()
    if not known.plain_is_equal(projected):
        projected = known.intersect(linear)
    return projected.remove_redundancies()


def bounds_of(domain: isl.BasicSet, dim: int) -> Bounds:
    """What the constraints of `domain` say of `dim`, constants first; sides may be empty."""
    lower: dict[AffineExpr, None] = {}
    upper: dict[AffineExpr, None] = {}
    for constraint in constraints_on(domain, dim):
        if constraint.coefficient > 0 or constraint.is_equality:
            lower[_lower_bound(constraint)] = None
        if constraint.coefficient < 0 or constraint.is_equality:
            upper[_upper_bound(constraint)] = None
    return Bounds(_constants_first(lower), _constants_first(upper))


def _constants_first(bounds: Iterable[AffineExpr]) -> list[AffineExpr]:
    return sorted(bounds, key=lambda expr: not isinstance(expr, AffineConstantExpr))


def _lower_bound(constraint: LinearConstraint) -> AffineExpr:
    """c * x + rest >= 0 with c > 0 (or == 0): x >= ceil(-rest / c)."""
    coefficient, rest = constraint.coefficient, _negated(constraint.rest)
    if coefficient < 0:
        coefficient, rest = -coefficient, constraint.rest
    return rest if coefficient == 1 else rest.ceil_div(coefficient)


def _upper_bound(constraint: LinearConstraint) -> AffineExpr:
    """-c * x + rest >= 0 with c > 0 (or == 0): x < floor(rest / c) + 1.

    That is ceil((rest + 1) / c), which reads `n ceildiv 8` for 8 * x < n.
    """
    coefficient, rest = -constraint.coefficient, constraint.rest
    if coefficient < 0:
        coefficient, rest = -coefficient, _negated(constraint.rest)
    if coefficient == 1:
        return rest + 1
    return (rest + 1).ceil_div(coefficient)


def _negated(expr: AffineExpr) -> AffineExpr:
    """`-expr`, with positive terms first."""
    result = expr * -1
    if isinstance(result, AffineConstantExpr):
        return result
    return _positive_first(result)


def _terms(expr: AffineExpr) -> list[AffineExpr]:
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Add:
        return [*_terms(expr.lhs), *_terms(expr.rhs)]
    return [expr]


def _positive_first(expr: AffineExpr) -> AffineExpr:
    def is_negative(term: AffineExpr) -> bool:
        if isinstance(term, AffineConstantExpr):
            return False
        factor = term.rhs if isinstance(term, AffineBinaryOpExpr) else None
        return isinstance(factor, AffineConstantExpr) and factor.value < 0

    constants = [t for t in _terms(expr) if isinstance(t, AffineConstantExpr)]
    others = [t for t in _terms(expr) if not isinstance(t, AffineConstantExpr)]
    result = AffineExpr.constant(0)
    for term in [*sorted(others, key=is_negative), *constants]:
        result = result + term
    return result


def covered(context: isl.BasicSet, dims: Sequence[int], bounds: Sequence[Bounds]) -> isl.BasicSet:
    """The set that loops with these bounds run through, inside `context`."""
    constraints: list[Constraint] = []
    for dim, (lower, upper) in zip(dims, bounds, strict=True):
        variable = AffineExpr.dimension(dim)
        constraints += [Constraint(variable + expr * -1, False) for expr in lower]
        constraints += [Constraint(expr + variable * -1 + -1, False) for expr in upper]
    count = context.dim(SET)
    return set_of(context.get_ctx(), count, constraints).intersect(context)


def guard(domain: isl.Set, cover: isl.BasicSet) -> list[Conjunction]:
    """What must hold inside `cover` for a point to be in `domain`; often nothing."""
    if cover.to_set().is_subset(domain):
        return []
    missing = domain.gist(cover.to_set()).coalesce().compute_divs()
    return [conjunction_of(piece) for piece in missing.get_basic_sets()]
