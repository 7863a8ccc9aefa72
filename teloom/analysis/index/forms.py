"""Index values as polynomials of the values that they are computed from."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from xdsl.dialects import affine, arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.analysis.index.ranges import settle
from teloom.analysis.index.reading import IndexReader, constant_of
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.linear_forms import MOST_PARTS
from teloom.dialects.affine.polynomials import Polynomial


def _scaled(lhs: Polynomial, rhs: Polynomial) -> Polynomial | None:
    is_affine = lhs.as_constant() is not None or rhs.as_constant() is not None
    return lhs * rhs if is_affine else None


def _product(lhs: Polynomial, rhs: Polynomial) -> Polynomial | None:
    return lhs * rhs if lhs.size * rhs.size <= MOST_PARTS else _scaled(lhs, rhs)


def value_form(value: SSAValue) -> Polynomial:
    """A value itself, however it is computed; the number that it is, if it is a constant."""
    number = constant_of(value)
    return Polynomial.of(value) if number is None else Polynomial.constant(number)


_SUMS = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    affine.ApplyOp: lambda form: form,
}


class IndexForms(IndexReader[Polynomial]):
    """Polynomials of index values.

    A value that is computed by other ops, or whose polynomial would be too large, is an atom.
    Ranges of induction variables simplify quotients.
    """

    operations = {**_SUMS, arith.MuliOp: _product}

    def constant(self, number: int) -> Polynomial:
        return Polynomial.constant(number)

    def atom(self, value: SSAValue) -> Polynomial:
        return Polynomial.of(value)

    def expr(self, expr: AffineExpr, values: Sequence[SSAValue]) -> Polynomial:
        if type(expr) is AffineConstantExpr:
            return self.constant(expr.value)
        if type(expr) is AffineDimExpr:
            return settle(self.of(values[expr.position]))
        forms = [self.of(value) for value in values]
        return settle(polynomials.of_expr(expr, polynomials.over(forms)))

    def fits(self, meaning: Polynomial) -> bool:
        return meaning.is_small

    def of_exprs(self, exprs: Sequence[AffineExpr], values: Sequence[SSAValue]) -> list[Polynomial]:
        """The polynomials of `exprs`, whose dimension k stands for `values[k]`."""
        return [self.expr(expr, values) for expr in exprs]


class AffineIndexForms(IndexForms):
    """Polynomials that are affine: a product of two values that vary is an atom, too."""

    operations = {**_SUMS, arith.MuliOp: _scaled}


class AnyIterationForms(AffineIndexForms):
    """Affine polynomials that hold in whatever iterations: ranges of loops simplify nothing."""

    def expr(self, expr: AffineExpr, values: Sequence[SSAValue]) -> Polynomial:
        return polynomials.of_expr(expr, polynomials.over([self.of(value) for value in values]))
