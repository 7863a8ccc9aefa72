"""One form of an affine expression: `f floordiv 8`, not `((f - 5) * -1 + 4) floordiv 8 * -1`."""

from __future__ import annotations

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)

from teloom.dialects.affine.polynomials import Polynomial, of_expr, to_expr


def canonical(expr: AffineExpr) -> AffineExpr:
    """The form of `expr`; divisions by something else than a positive constant stay."""
    if type(expr) is not AffineBinaryOpExpr:
        return expr
    # Here the atoms are the expression's own dimensions.
    return to_expr(of_expr(expr, Polynomial.of), lambda atom: atom)  # pyright: ignore


def canonical_zero(expr: AffineExpr) -> AffineExpr:
    """The form of an expression that is only compared with 0: its first term is positive."""
    found = first = canonical(expr)
    while isinstance(first, AffineBinaryOpExpr) and first.kind is AffineBinaryOpKind.Add:
        first = first.lhs
    match first:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, _, AffineConstantExpr(factor)):
            return canonical(expr * -1) if factor < 0 else found
        case _:
            return found
