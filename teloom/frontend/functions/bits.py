"""Functions of the bits of numbers: of integers, and of floats as they are in memory."""

from __future__ import annotations

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Apply, Const, Expr, apply, as_expr, cast, matched
from teloom.frontend.tensor.conditions import select


def bitwise_and(x: object, y: object) -> Expr:
    """`x & y`."""
    return apply("bitwise_and", x, y)


def bitwise_or(x: object, y: object) -> Expr:
    """`x | y`."""
    return apply("bitwise_or", x, y)


def bitwise_xor(x: object, y: object) -> Expr:
    """`x ^ y`."""
    return apply("bitwise_xor", x, y)


def bitwise_not(x: object) -> Expr:
    """`~x`."""
    return apply("bitwise_not", x)


def shift_left(x: object, y: object) -> Expr:
    """`x << y`."""
    return apply("left_shift", x, y)


def shift_right(x: object, y: object) -> Expr:
    """`x >> y`; the sign of a signed integer stays."""
    return apply("right_shift", x, y)


def clz(x: object) -> Expr:
    """The number of zero bits above the highest set one, as int32; of 0, all bits."""
    return cast(apply("clz", x), "int32")


def reinterpret(dtype: object, value: object) -> Expr:
    """The number of `dtype` that has the bits of `value`.

    Raises `teloom.Error` for a dtype of another size, and for bool. Source: TVM's reinterpret.

    >>> from teloom import te
    >>> reinterpret("int32", te.placeholder((4,), name="A")[0])
    reinterpret(A[0])
    """
    expr, target = as_expr(value), dtypes.of(dtypes.checked_name(dtype))
    source = dtypes.of(expr.dtype)
    if source.bits != target.bits or dtypes.BOOL in (source.kind, target.kind):
        raise Error(
            f"reinterpret of {expr}, which is {expr.dtype}, as {target.name}: they have no bits in "
            "common; cast it with astype"
        )
    return expr if expr.dtype == target.name else Apply("reinterpret", (expr,), target.name)


def copysign(x: object, y: object) -> Expr:
    """The absolute value of `x` with the sign of `y`, floats."""
    return apply("copysign", x, y)


def nextafter(x: object, y: object) -> Expr:
    """The float next to `x` towards `y`; of equal ones, `y`; of a NaN, NaN. Source: C's nextafter.

    Raises `teloom.Error` unless they are float16, float32 or float64.
    """
    begin, end = matched((x, y))
    info = dtypes.of(begin.dtype)
    if info.kind != dtypes.FLOAT or info.name == "bfloat16":
        raise Error(f"nextafter wants float16, float32 or float64, {begin} is {begin.dtype}")
    integer = f"int{info.bits}"
    bits = reinterpret(integer, begin)
    # The bits of a float without its sign count the floats from 0 on.
    away = (begin < end).astype(integer) ^ (begin < 0).astype(integer)
    moved = reinterpret(info.name, bits + 2 * away - 1)
    least = copysign(reinterpret(info.name, Const(1, integer)), end)
    found = select(begin != 0, moved, least)
    found = select(begin != end, found, end)
    return select(apply("isnan", begin) | apply("isnan", end), begin + end, found)
