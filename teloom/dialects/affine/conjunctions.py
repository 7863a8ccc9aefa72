"""Constraints that hold together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet

from teloom.dialects.affine.linear_forms import difference


class Conjunction(NamedTuple):
    """Expressions that are all 0, and expressions that are all at least 0."""

    equalities: list[AffineExpr]
    inequalities: list[AffineExpr]

    def map(self, function: Callable[[AffineExpr], AffineExpr]) -> Conjunction:
        return Conjunction([*map(function, self.equalities)], [*map(function, self.inequalities)])

    def only(self, test: Callable[[AffineExpr], bool]) -> Conjunction:
        """The constraints for whose expressions `test` holds."""
        return Conjunction([*filter(test, self.equalities)], [*filter(test, self.inequalities)])

    def exprs(self) -> list[AffineExpr]:
        """All of the expressions, equalities first."""
        return [*self.equalities, *self.inequalities]

    def with_exprs(self, exprs: Sequence[AffineExpr]) -> Conjunction:
        """The constraints with other expressions, in the order of `exprs()`."""
        count = len(self.equalities)
        return Conjunction([*exprs[:count]], [*exprs[count:]])

    def as_set(self, dims: int, symbols: int = 0) -> AffineSet:
        """The points at which it holds, over so many dimensions and symbols."""
        kinds = [AffineConstraintKind.eq] * len(self.equalities)
        kinds += [AffineConstraintKind.ge] * len(self.inequalities)
        zero = AffineExpr.constant(0)
        constraints = (
            AffineConstraintExpr(kind, expr, zero, canonicalize=False)
            for kind, expr in zip(kinds, self.exprs(), strict=True)
        )
        return AffineSet(dims, symbols, tuple(constraints))

    @staticmethod
    def all_of(parts: Sequence[Conjunction]) -> Conjunction:
        """The constraints of all parts."""
        return Conjunction(
            [expr for part in parts for expr in part.equalities],
            [expr for part in parts for expr in part.inequalities],
        )

    @staticmethod
    def of_set(points: AffineSet) -> Conjunction:
        """The constraints of a set; dimensions and symbols stay."""
        found = Conjunction([], [])
        for one in points.constraints:
            is_most = one.kind is AffineConstraintKind.le
            expr = difference(one.rhs, one.lhs) if is_most else difference(one.lhs, one.rhs)
            part = found.equalities if one.kind is AffineConstraintKind.eq else found.inequalities
            part.append(expr)
        return found
