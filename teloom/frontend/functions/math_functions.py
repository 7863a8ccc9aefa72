"""Elementary functions of floats.

Of a float they are a float of its dtype. An integer or bool is cast to float32, as beside a float:
another float is asked for, as in `te.exp(x.astype("float64"))`. To round an integer, or to ask
whether it is finite, needs no cast. Source: TVM, whose later versions do so; 0.14 gives them the
integer's dtype, and compiles none of these.
"""

from __future__ import annotations

from collections.abc import Callable

from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr, apply, as_expr, cast


def _elementary(name: str, meaning: str) -> Callable[[object], Expr]:
    def function(x: object) -> Expr:
        return apply(name, float_number(x))

    return _named(function, name, f"{meaning}; of a float in its dtype, else in float32.")


def _rounding(name: str, meaning: str) -> Callable[[object], Expr]:
    def function(x: object) -> Expr:
        value = as_expr(x)
        return value if _is_integer(value) else apply(name, value)

    return _named(function, name, f"{meaning}, in the dtype of `x`; an integer is itself.")


def _test(name: str, meaning: str, of_integer: bool) -> Callable[[object], Expr]:
    def function(x: object) -> Expr:
        value = as_expr(x)
        return Const(of_integer, "bool") if _is_integer(value) else apply(name, value)

    return _named(function, name, f"Whether `x` is {meaning}, as a bool.")


def _named(function: Callable[[object], Expr], name: str, doc: str) -> Callable[[object], Expr]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def float_number(x: object) -> Expr:
    """`x` as an expression; an integer or bool as float32."""
    value = as_expr(x)
    return cast(value, "float32") if _is_integer(value) else value


def _is_integer(value: Expr) -> bool:
    return dtypes.of(value.dtype).kind != dtypes.FLOAT


exp = _elementary("exp", "e to the power `x`")
erf = _elementary("erf", "The error function")
tanh = _elementary("tanh", "The hyperbolic tangent")
sigmoid = _elementary("sigmoid", "1 / (1 + exp(-x))")
log = _elementary("log", "The natural logarithm")
log2 = _elementary("log2", "The logarithm to base 2")
log1p = _elementary("log1p", "The natural logarithm of 1 + x")
log10 = _elementary("log10", "The logarithm to base 10")
sin = _elementary("sin", "The sine of `x` radians")
cos = _elementary("cos", "The cosine of `x` radians")
tan = _elementary("tan", "The tangent of `x` radians")
sinh = _elementary("sinh", "The hyperbolic sine")
cosh = _elementary("cosh", "The hyperbolic cosine")
asin = _elementary("asin", "The arc sine, in radians")
asinh = _elementary("asinh", "The inverse hyperbolic sine")
acos = _elementary("acos", "The arc cosine, in radians")
acosh = _elementary("acosh", "The inverse hyperbolic cosine")
atan = _elementary("atan", "The arc tangent, in radians")
atanh = _elementary("atanh", "The inverse hyperbolic tangent")
sqrt = _elementary("sqrt", "The square root")
rsqrt = _elementary("rsqrt", "1 / sqrt(x)")

floor = _rounding("floor", "The greatest integer that is at most `x`")
ceil = _rounding("ceil", "The least integer that is at least `x`")
trunc = _rounding("trunc", "The integer next to `x` towards zero")
round = _rounding("round", "The nearest integer, halves away from zero as in TVM")
nearbyint = _rounding("nearbyint", "The nearest integer, halves to the even one")

isnan = _test("isnan", "not a number", of_integer=False)
isinf = _test("isinf", "an infinity", of_integer=False)
isfinite = _test("isfinite", "neither an infinity nor NaN", of_integer=True)
