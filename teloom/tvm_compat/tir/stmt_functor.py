"""`tvm.tir.stmt_functor`: walks over expressions, and others in the place of variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teloom.dialects.bodies.postorder import postorder
from teloom.errors import Error
from teloom.frontend import te
from teloom.frontend.expr.expressions import Apply, Cast, Expr, IfThenElse, apply, as_expr
from teloom.tvm_compat.refusals import missing_part

__all__ = ["post_order_visit", "substitute"]


def post_order_visit(stmt: Any, fvisit: Callable[[Any], object]) -> None:
    """Calls a function of an expression's parts, each once, operands before what reads them.

    Raises `teloom.Error` for what is no expression. Source: TVM's tir.stmt_functor.

    >>> n = te.var("n")
    >>> post_order_visit(n * 2, print)
    n
    2
    (n * 2)
    """
    for one in postorder([as_expr(stmt)], lambda expr: expr.operands()):
        fvisit(one)


def substitute(node: Any, vmap: Mapping[Any, Any]) -> Any:
    """The expression with values in the place of variables; what is constant then folds.

    Raises `teloom.Error` for what is no expression of sizes and numbers. Source: TVM's
    tir.stmt_functor.substitute.

    >>> n = te.var("n")
    >>> substitute(n * 2 + 1, {n: 10})
    21
    """
    known: dict[Expr, Expr] = {as_expr(old): as_expr(new) for old, new in vmap.items()}
    root = as_expr(node)
    for one in postorder([root], lambda expr: () if expr in known else expr.operands()):
        if one not in known:
            known[one] = _of(one, [known[operand] for operand in one.operands()])
    return known[root]


def _of(expr: Expr, operands: list[Expr]) -> Expr:
    """The operation of an expression, of other operands."""
    if not operands:
        return expr
    if isinstance(expr, Apply):
        return apply(expr.function, *operands)
    if isinstance(expr, Cast):
        return operands[0].astype(expr.dtype)
    if isinstance(expr, IfThenElse):
        return te.if_then_else(*operands)
    raise Error(f"{expr} reads a tensor; substitute knows expressions of sizes and numbers")


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.tir.stmt_functor", name)
