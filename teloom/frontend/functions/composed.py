"""Functions of floats that are made of others."""

from __future__ import annotations

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import (
    Const,
    Expr,
    apply,
    as_expr,
    cast,
    infinity,
    matched,
)
from teloom.frontend.functions.arithmetic import abs
from teloom.frontend.functions.bits import reinterpret
from teloom.frontend.functions.math_functions import float_number, isinf, sqrt
from teloom.frontend.tensor.conditions import select


def exp2(x: object) -> Expr:
    """2 to the power `x`; of a float in its dtype, else in float32."""
    return _power_of(2.0, x)


def exp10(x: object) -> Expr:
    """10 to the power `x`; of a float in its dtype, else in float32."""
    return _power_of(10.0, x)


def _power_of(base: float, x: object) -> Expr:
    exponent = float_number(x)
    return apply("power", Const(base, exponent.dtype), exponent)


def atan2(y: object, x: object) -> Expr:
    """The angle of the point (x, y), in radians from -pi to pi.

    The two meet in one dtype; two integers in float32.

    >>> atan2(1, 2).dtype
    'float32'
    """
    return apply("atan2", *_floats(y, x))


def hypot(x: object, y: object) -> Expr:
    """sqrt(x*x + y*y), without overflow in between; of two integers in float32.

    Source: C's hypot.
    """
    first, second = _floats(x, y)
    dtype = first.dtype
    if dtype == "float64":
        found = _scaled_hypot(abs(first), abs(second))
    else:
        wide = [cast(one, "float64") for one in (first, second)]
        found = cast(sqrt(wide[0] * wide[0] + wide[1] * wide[1]), dtype)
    return select(isinf(first) | isinf(second), infinity(dtype), found)


def _scaled_hypot(x: Expr, y: Expr) -> Expr:
    large, small = apply("maximum", x, y), apply("minimum", x, y)
    ratio = small / select(large == 0, 1.0, large)
    return large * sqrt(1 + ratio * ratio)


def ldexp(x1: object, x2: object) -> Expr:
    """`x1 * 2**x2` for an integer `x2`, rounded once; an integer `x1` is a float32.

    Source: C's ldexp.
    """
    value, exponent = float_number(x1), as_expr(x2)
    if dtypes.of(exponent.dtype).kind not in (dtypes.INT, dtypes.UINT):
        raise Error(f"the exponent of ldexp is {exponent}, which is {exponent.dtype}, no integer")
    scaled, steps = cast(value, "float64"), cast(exponent, "int64")
    steps = apply("maximum", apply("minimum", steps, 3000), -3000)
    # A factor is a normal number. Where 2^-1022 is too much, 53 bits are kept for the next factor:
    # the last one rounds, and no other, but where the result is 0.
    for _ in range(3):
        step = select(steps < -1022, -969, apply("minimum", steps, 1023))
        scaled, steps = scaled * _power_of_two(step), steps - step
    return cast(scaled, value.dtype)


def _power_of_two(exponent: Expr) -> Expr:
    """The float64 2**exponent, for an int64 from -1022 to 1023."""
    return reinterpret("float64", (exponent + 1023) << 52)


def _floats(*values: object) -> tuple[Expr, ...]:
    """The values in the dtype in which they meet; integers in float32."""
    return tuple(float_number(value) for value in matched(values))
