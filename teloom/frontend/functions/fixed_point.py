"""Multiplication of fixed-point numbers, which are integers with fractional bits."""

from __future__ import annotations

from teloom.frontend.expr.expressions import Expr, apply, as_expr, cast
from teloom.frontend.tensor.conditions import select


def q_multiply_shift(x: object, y: object, q: object, s: object) -> Expr:
    """`x * y * 2**(s - q)` of int32, rounded to the nearest integer, halves up.

    So `y` has `q` fractional bits, and `s` shifts left if it is positive. `q - s` is from 1 to 63.
    Source: TVM's q_multiply_shift.

    >>> q_multiply_shift(10, 1 << 30, 31, 0), q_multiply_shift(-3, 1 << 30, 31, 1)
    (5, -3)
    """
    shift = cast(as_expr(s), "int64")
    left, right = apply("maximum", shift, 0), apply("maximum", -shift, 0)
    return q_multiply_shift_per_axis(x, y, left, right, q, True, True)


def q_multiply_shift_per_axis(
    x: object,
    y: object,
    ls: object,
    rs: object,
    q: object,
    is_lshift_required: object,
    is_rshift_required: object,
) -> Expr:
    """`(x << ls) * y * 2**-(q + rs)` of int32, rounded to the nearest integer, halves up.

    The last two say whether `ls` and `rs` count. Source: TVM's q_multiply_shift_per_axis.

    >>> q_multiply_shift_per_axis(10, 1 << 30, 2, 1, 31, False, True)
    3
    """
    value, factor, left, right, bits = (cast(as_expr(one), "int64") for one in (x, y, ls, rs, q))
    left, right = select(is_lshift_required, left, 0), select(is_rshift_required, right, 0)
    total = bits + right
    half = apply("left_shift", cast(as_expr(1), "int64"), total - 1)
    return cast((((value << left) * factor) + half) >> total, "int32")
