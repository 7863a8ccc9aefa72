"""Arithmetic by name; the operators of expressions are the same functions."""

from __future__ import annotations

from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Expr, apply, matched


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

    >>> div(-7, 2), div(7, 2.0)
    (-3, 3.5)
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
    """The remainder of two floats, exactly; it has the sign of `x`. Source: C's fmod."""
    return apply("fmod", x, y)


def ceildiv(lhs: object, rhs: object) -> Expr:
    """The quotient of two integers, rounded up.

    >>> ceildiv(7, 2), ceildiv(-7, 2)
    (4, -3)
    """
    return apply("ceildiv", lhs, rhs)


def power(x: object, y: object) -> Expr:
    """`x ** y`; integers wrap, and a constant integer exponent becomes products.

    >>> power(2, 3), power(2.0, 3)
    (8, (2.0 ** 3.0))
    """
    return apply("power", x, y)


def abs(x: object) -> Expr:
    """The absolute value, of any number."""
    return apply("abs", x)


def popcount(x: object) -> Expr:
    """The number of set bits of an integer, as its own dtype."""
    return apply("popcount", x)
