"""A function in pieces that differ by numbers, as one quasi-affine expression.

Whether `g >= 0` is `(g + n) floordiv n`, 1 or 0, where `g` is in -n..n-1. Of m conditions all hold
where the sum of these is m; and pieces are disjoint, so that the sum tells whether one holds.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import ONE, expr_of_aff, simplified
from teloom.dialects.affine.fold import operations
from teloom.dialects.syntax.stage_header import ZERO


class PiecesError(Exception):
    """A function in pieces that is found to be no single expression; says why."""


def in_one(function: isl.PwAff, points: isl.Set) -> AffineExpr:
    """The shortest expression found that is a function at all of some points.

    Raises PiecesError where pieces differ by more than a number, and for conditions on what has no
    numbers as bounds.
    """
    pieces: list[tuple[isl.Set, isl.Aff]] = []
    function.coalesce().foreach_piece(lambda where, one: pieces.append((where, one)))
    whole: list[AffineExpr] = []
    for _, base in pieces:
        steps = [(where, _number(one.sub(base), where)) for where, one in pieces]
        known = [(where, by) for where, by in steps if by is not None]
        if len(known) == len(steps):
            terms = (_holds(where, points) * by for where, by in known if by)
            whole.append(simplified(sum(terms, expr_of_aff(base))))
    if pieces and not whole:
        first, second, *_ = sorted({_shown(one) for _, one in pieces})
        raise PiecesError(
            f"is in one piece {first} and in another {second}: pieces may differ by a number"
        )
    return min(whole, key=lambda one: len([*operations(one)]), default=ZERO)


def _number(function: isl.Aff, points: isl.Set) -> int | None:
    """The constant that a function is at all points; None if it is several numbers."""
    least, greatest = points.min_val(function), points.max_val(function)
    return least.to_python() if least.is_int() and least == greatest else None


def _holds(where: isl.Set, points: isl.Set) -> AffineExpr:
    """1 at those of some points that are in a set, and 0 at the others."""
    pieces = where.make_disjoint().gist(points).compute_divs().get_basic_sets()
    return sum((_all_hold([*_conditions(piece)], points) for piece in pieces), ZERO)


def _all_hold(conditions: list[isl.Aff], points: isl.Set) -> AffineExpr:
    """1 where all conditions are at least 0, and 0 elsewhere."""
    total = sum((_is_at_least_0(one, points) for one in conditions), ZERO)
    return total // len(conditions) if len(conditions) > 1 else total if conditions else ONE


def _conditions(where: isl.BasicSet) -> Iterator[isl.Aff]:
    """Expressions that are all at least 0 at the points of a set, and nowhere else."""
    for constraint in where.get_constraints():
        yield constraint.get_aff()
        if constraint.is_equality():
            yield constraint.get_aff().neg()


def _is_at_least_0(function: isl.Aff, points: isl.Set) -> AffineExpr:
    least, greatest = points.min_val(function), points.max_val(function)
    if not (least.is_int() and greatest.is_int()):
        raise PiecesError(
            f"has a piece that ends with {_shown(function)}, whose bounds are no numbers"
        )
    most = max(-least.to_python(), greatest.to_python() + 1, 1)
    return (expr_of_aff(function) + most) // most


def _shown(function: isl.Aff) -> str:
    """A function in isl's language, with the names that a text gave."""
    return str(function).partition("-> [(")[2].rpartition(")]")[0]
