"""Arithmetic by name; the operators of expressions are the same functions."""

from __future__ import annotations

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, Reinterpret, apply, as_expr, matched


def add(lhs: object, rhs: object) -> Expr:
    """`lhs + rhs`.

    >>> add(1, 2.5).dtype
    'float32'
    """
    return apply("add", lhs, rhs)


def subtract(lhs: object, rhs: object) -> Expr:
    """`lhs - rhs`."""
    return apply("sub", lhs, rhs)


def multiply(lhs: object, rhs: object) -> Expr:
    """`lhs * rhs`."""
    return apply("mul", lhs, rhs)


def div(a: object, b: object) -> Expr:
    """`a / b` as in C: of integers, rounded towards zero. Source: TVM's te.div.

    >>> div(7, 2)
    truncdiv(7, 2)
    """
    common = matched((a, b))
    is_float = dtypes.of(common[0].dtype).kind == dtypes.FLOAT
    return apply("divide" if is_float else "truncdiv", *common)


def truncdiv(a: object, b: object) -> Expr:
    """The quotient of two integers, rounded towards zero."""
    return apply("truncdiv", a, b)


def truncmod(a: object, b: object) -> Expr:
    """The remainder of `truncdiv`; it has the sign of `a`."""
    return apply("truncmod", a, b)


def floordiv(a: object, b: object) -> Expr:
    """The quotient of two integers, rounded down: `a // b`."""
    return apply("floordiv", a, b)


def floormod(a: object, b: object) -> Expr:
    """The remainder of `floordiv`; it has the sign of `b`: `a % b`."""
    return apply("floormod", a, b)


def indexdiv(a: object, b: object) -> Expr:
    """`floordiv`, by TVM's name for it in subscripts."""
    return floordiv(a, b)


def indexmod(a: object, b: object) -> Expr:
    """`floormod`, by TVM's name for it in subscripts."""
    return floormod(a, b)


def fmod(x: object, y: object) -> Expr:
    """The remainder of two floats; it has the sign of `x`."""
    return apply("fmod", x, y)


def power(x: object, y: object) -> Expr:
    """`x ** y`; integers wrap, and a constant integer exponent becomes products.

    >>> power(2.0, 3)
    (2.0 ** 3.0)
    """
    return apply("power", x, y)


def abs(x: object) -> Expr:
    """The absolute value, of any number."""
    return apply("abs", x)


def popcount(x: object) -> Expr:
    """The number of set bits of an integer, as its own dtype."""
    return apply("popcount", x)


def reinterpret(dtype: object, value: object) -> Expr:
    """The bits of `value` as a number of `dtype`, which is as wide.

    Raises `teloom.Error` for a dtype of another width, and for bool, which is one bit of a byte.
    Source: TVM's tir.reinterpret.

    >>> reinterpret("int32", 1.0)
    reinterpret(int32, 1.0)
    """
    known, expr = dtypes.checked_name(dtype), as_expr(value)
    if known == expr.dtype:
        return expr
    of, to = dtypes.of(expr.dtype), dtypes.of(known)
    if dtypes.BOOL in (of.kind, to.kind) or of.bits != to.bits:
        raise Error(
            f"{expr} is {expr.dtype}, whose bits are no {known}; both must have the same width, "
            "and bool has none: convert values with astype"
        )
    return Reinterpret(expr, known)
