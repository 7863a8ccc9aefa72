"""Affine expressions of values of IR as expressions of a user's sizes and axes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from teloom.dialects.affine.fold import fold
from teloom.frontend.expr.expressions import Expr


def expr_of(
    expr: AffineExpr, values: Sequence[SSAValue], exprs: Mapping[SSAValue, int | Expr]
) -> int | Expr:
    """`expr`, whose dimension k is `values[k]`, over `exprs`; an int if it is constant."""

    def leaf(expr: AffineConstantExpr | AffineDimExpr) -> int | Expr:
        is_constant = isinstance(expr, AffineConstantExpr)
        return expr.value if is_constant else exprs[values[expr.position]]

    return fold(expr, leaf, lambda expr, lhs, rhs: _OPERATORS[expr.kind](lhs, rhs))


_OPERATORS: dict[AffineBinaryOpKind, Callable[[Any, Any], Any]] = {
    AffineBinaryOpKind.Add: lambda a, b: a - -b if isinstance(b, int) and b < 0 else a + b,
    AffineBinaryOpKind.Mul: operator.mul,
    AffineBinaryOpKind.FloorDiv: operator.floordiv,
    AffineBinaryOpKind.Mod: operator.mod,
    AffineBinaryOpKind.CeilDiv: lambda a, b: (a + (b - 1)) // b,
}
