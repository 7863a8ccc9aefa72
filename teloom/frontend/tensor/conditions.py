"""Choosing between two values."""

from __future__ import annotations

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Apply, Const, Expr, IfThenElse, matched
from teloom.frontend.tensor.reductions import as_condition


def if_then_else(cond: object, t: object, f: object) -> Expr:
    """`t` if `cond` holds, else `f`; only the chosen one is computed.

    So the reads of the other one may lie outside of their tensors. Types are matched as in
    arithmetic, but an integer expression beside a float one is refused.
    Raises `teloom.Error` for that and for a condition that is not bool.
    Source: TVM's te.if_then_else, which also casts integers to floats.

    >>> from teloom import te
    >>> A = te.placeholder((8,), name="A")
    >>> te.if_then_else(te.var("n") > 3, A[3], 0)
    if_then_else((n > 3), A[3], 0.0)
    """
    condition, (then_value, else_value) = as_condition(cond), _alternatives(t, f)
    return IfThenElse(condition, then_value, else_value, then_value.dtype)


def select(cond: object, a: object, b: object) -> Expr:
    """`a` if `cond` holds, else `b`; both are computed, so there is no branch.

    Raises `teloom.Error` as `if_then_else` does. Source: TVM's tir.Select.

    >>> from teloom import te
    >>> A = te.placeholder((8,), name="A")
    >>> te.select(A[0] > 0, A[0], 0)
    select((A[0] > 0.0), A[0], 0.0)
    """
    condition, (then_value, else_value) = as_condition(cond), _alternatives(a, b)
    return Apply("select", (condition, then_value, else_value), then_value.dtype)


def _alternatives(a: object, b: object) -> tuple[Expr, ...]:
    found = [value for value in (a, b) if isinstance(value, Expr) and not isinstance(value, Const)]
    if len(found) == 2 and len({_family(value) for value in found}) == 2:
        raise Error(
            f"one value, {found[0]}, is {found[0].dtype} and the other, {found[1]}, is "
            f"{found[1].dtype}; cast one with astype"
        )
    return matched((a, b))


def _family(value: Expr) -> str:
    kind = dtypes.of(value.dtype).kind
    return dtypes.INT if kind == dtypes.UINT else kind
