"""Choosing between two values."""

from __future__ import annotations

from teloom.frontend.expr.expressions import Apply, Const, Expr, IfThenElse, matched
from teloom.frontend.tensor.reductions import as_condition


def if_then_else(cond: object, t: object, f: object) -> Expr:
    """`t` if `cond` holds, else `f`; only the chosen one is computed.

    So the reads of the other one may lie outside of their tensors. An expression that both are made
    of is computed once, before the choice, so that chains take time linear in their length. Types
    are matched as in arithmetic. Raises `teloom.Error` for a condition that is not bool. Source:
    TVM's te.if_then_else.

    >>> from teloom import te
    >>> A = te.placeholder((8,), name="A")
    >>> te.if_then_else(te.var("n") > 3, A[3], 0)
    if_then_else((n > 3), A[3], 0.0)
    """
    condition, (then_value, else_value) = as_condition(cond), matched((t, f))
    if isinstance(condition, Const):
        return then_value if condition else else_value
    return IfThenElse(condition, then_value, else_value, then_value.dtype)


def select(cond: object, a: object, b: object) -> Expr:
    """`a` if `cond` holds, else `b`; both are computed, so there is no branch.

    Raises `teloom.Error` as `if_then_else` does. Source: TVM's tir.Select.

    >>> from teloom import te
    >>> A = te.placeholder((8,), name="A")
    >>> te.select(A[0] > 0, A[0], 0)
    select((A[0] > 0.0), A[0], 0.0)
    """
    condition, (then_value, else_value) = as_condition(cond), matched((a, b))
    if isinstance(condition, Const):
        return then_value if condition else else_value
    return Apply("select", (condition, then_value, else_value), then_value.dtype)
