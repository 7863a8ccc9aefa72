"""Functions of each element of one tensor.

Functions of floats give float32 of integers and bool, as those of te. How exact they are, the
`math` of `build` says.

>>> A = te.placeholder((8, te.var("n")), name="A")
>>> exp(A), isnan(A)
(Tensor(shape=[8, n], dtype=float32, name=exp), Tensor(shape=[8, n], dtype=bool, name=isnan))
>>> exp(te.placeholder((8,), "int32", name="I"))
Tensor(shape=[8], dtype=float32, name=exp)
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any, NamedTuple

from teloom import te
from teloom.topi.arguments import (
    a_dtype,
    a_number,
    a_tensor,
    an_axis,
    an_integer,
    listed,
    shown,
    wrong,
)
from teloom.topi.docstrings import docstring
from teloom.topi.dtypes import bits_of, is_float, of_kind
from teloom.topi.elementwise import applied, computed
from teloom.topi.tag import ELEMWISE

Unary = Callable[[te.Tensor], te.Tensor]


class _Kind(NamedTuple):
    """What functions of one kind take and give: in words, and as dtypes in an example."""

    rule: str
    given: str
    result: str


_FLOATS = _Kind(
    "Floats keep their dtype; of integers and bool it is float32. How exact it is, the `math` of "
    "`build` says.",
    "int8",
    "float32",
)
_ROUNDED = _Kind("The dtype stays; integers and bool are what they were.", "float16", "float16")
_SIGNED = _Kind("The dtype stays. Raises `teloom.Error` for bool.", "int8", "int8")
_ANY = _Kind("The dtype stays.", "int8", "int8")
_TESTS = _Kind("The dtype is bool; integers and bool are finite numbers.", "float16", "bool")

_SESSION = """>>> {name}(te.placeholder((8, te.var("n")), "{given}", name="A"))
Tensor(shape=[8, n], dtype={result}, name={name})
"""


def _unary(
    name: str,
    function: Callable[[Any], Any],
    kind: _Kind,
    meaning: str,
    detail: str = "",
    like: str = "",
) -> Unary:
    """A function, `like` another one, or like NumPy's of its name."""

    def operator(x: te.Tensor) -> te.Tensor:
        return applied(name, function, a_tensor(name, "x", x))

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = docstring(
        "{meaning}, element by element, as {like}.",
        "{detail} {rule}",
        _SESSION,
        meaning=meaning,
        like=like or f"NumPy's {name}",
        detail=detail,
        rule=kind.rule,
        name=name,
        given=kind.given,
        result=kind.result,
    )
    return operator


def _sign(x: Any) -> Any:
    one, zero = te.const(1, x.dtype), te.const(0, x.dtype)
    if "uint" in x.dtype:
        return te.select(x > 0, one, zero)
    # What is neither above nor below 0 stays: NaN, and zeros.
    return te.select(x > 0, one, te.select(x < 0, -one, x))


identity = _unary("identity", lambda x: x, _ANY, "The same value", like="ONNX's Identity")
negative = _unary("negative", python.neg, _SIGNED, "`-x`", "The least integer stays what it is.")
exp = _unary("exp", te.exp, _FLOATS, "e to the power `x`")
erf = _unary("erf", te.erf, _FLOATS, "The error function", like="ONNX's Erf")
tanh = _unary("tanh", te.tanh, _FLOATS, "The hyperbolic tangent")
tan = _unary("tan", te.tan, _FLOATS, "The tangent of `x` radians")
cos = _unary("cos", te.cos, _FLOATS, "The cosine of `x` radians")
cosh = _unary("cosh", te.cosh, _FLOATS, "The hyperbolic cosine")
sin = _unary("sin", te.sin, _FLOATS, "The sine of `x` radians")
sinh = _unary("sinh", te.sinh, _FLOATS, "The hyperbolic sine")
acos = _unary("acos", te.acos, _FLOATS, "The arc cosine, in radians", "NaN outside of -1 to 1.")
acosh = _unary("acosh", te.acosh, _FLOATS, "The inverse hyperbolic cosine", "NaN below 1.")
asin = _unary("asin", te.asin, _FLOATS, "The arc sine, in radians", "NaN outside of -1 to 1.")
asinh = _unary("asinh", te.asinh, _FLOATS, "The inverse hyperbolic sine")
atan = _unary("atan", te.atan, _FLOATS, "The arc tangent, in radians")
atanh = _unary(
    "atanh",
    te.atanh,
    _FLOATS,
    "The inverse hyperbolic tangent",
    "Infinities of -1 and 1, and NaN beyond.",
)
floor = _unary("floor", te.floor, _ROUNDED, "The greatest integer that is at most `x`")
ceil = _unary("ceil", te.ceil, _ROUNDED, "The least integer that is at least `x`")
sign = _unary(
    "sign", _sign, _SIGNED, "1, 0 or -1, as `x` is above, at or below 0", "NaN stays NaN."
)
trunc = _unary("trunc", te.trunc, _ROUNDED, "The integer next to `x` towards zero")
abs = _unary("abs", te.abs, _SIGNED, "The absolute value", "The least integer stays what it is.")
isnan = _unary("isnan", te.isnan, _TESTS, "Whether `x` is not a number")
isfinite = _unary("isfinite", te.isfinite, _TESTS, "Whether `x` is neither an infinity nor NaN")
isinf = _unary("isinf", te.isinf, _TESTS, "Whether `x` is an infinity")
round = _unary(
    "round",
    te.nearbyint,
    _ROUNDED,
    "The nearest integer",
    "Of two, it is the even one: 0 of 0.5, and 2 of 1.5. So does ONNX's Round.",
)
_OF_NO_POWER = "Minus infinity of 0, NaN below."
log = _unary("log", te.log, _FLOATS, "The natural logarithm", _OF_NO_POWER)
log2 = _unary("log2", te.log2, _FLOATS, "The logarithm to base 2", _OF_NO_POWER)
log10 = _unary("log10", te.log10, _FLOATS, "The logarithm to base 10", _OF_NO_POWER)
sqrt = _unary("sqrt", te.sqrt, _FLOATS, "The square root", "NaN below 0.")
rsqrt = _unary(
    "rsqrt", te.rsqrt, _FLOATS, "1 / sqrt(x)", "Infinities of zeros, NaN below.", "TVM's rsqrt"
)
sigmoid = _unary("sigmoid", te.sigmoid, _FLOATS, "1 / (1 + exp(-x))", like="ONNX's Sigmoid")

_FAST = '`build(..., math="fast")` chooses the faster code, for both.'
fast_exp = _unary("fast_exp", te.exp, _FLOATS, "e to the power `x`", _FAST, "`exp`")
fast_tanh = _unary("fast_tanh", te.tanh, _FLOATS, "The hyperbolic tangent", _FAST, "`tanh`")
fast_erf = _unary("fast_erf", te.erf, _FLOATS, "The error function", _FAST, "`erf`")


def clip(x: te.Tensor, a_min: Any, a_max: Any) -> te.Tensor:
    """`x` where it is from `a_min` to `a_max`, else the nearer one; NaN stays.

    With `a_min` above `a_max`, all is `a_max`. The bounds are numbers of the dtype of `x`, or
    expressions of sizes. Raises `teloom.Error` for a bound that is no such number.

    >>> clip(te.placeholder((8,), "int8", name="A"), 0, 6)
    Tensor(shape=[8], dtype=int8, name=clip)
    """
    dtype = a_tensor("clip", "x", x).dtype

    low, high = a_number("clip", "a_min", a_min, dtype), a_number("clip", "a_max", a_max, dtype)
    return applied("clip", lambda value: te.minimum(te.maximum(value, low), high), x)


def cast(x: te.Tensor, dtype: object, span: object = None) -> te.Tensor:
    """`x` as `dtype`: floats are rounded towards zero, integers wrap, bool is `x != 0`.

    `span` is a place in a text, as TVM's, and says nothing here.

    >>> cast(te.placeholder((8,), name="A"), "int8")
    Tensor(shape=[8], dtype=int8, name=cast)
    """
    known = a_dtype("cast", dtype)
    return applied("cast", lambda value: value.astype(known), a_tensor("cast", "x", x))


def reinterpret(x: te.Tensor, dtype: object) -> te.Tensor:
    """The bits of each element as a number of `dtype`, which is as wide, as NumPy's view.

    >>> reinterpret(te.placeholder((8,), name="A"), "uint32")
    Tensor(shape=[8], dtype=uint32, name=reinterpret)
    """
    a_tensor("reinterpret", "x", x)
    return applied("reinterpret", lambda value: te.reinterpret(dtype, value), x)


def ceil_log2(x: te.Tensor) -> te.Tensor:
    """The least integer k for which 2^k is at least `x`, in the dtype of `x`.

    Of an integer below 2 it is 0; of a float it is `ceil(log2(x))`.

    >>> ceil_log2(te.placeholder((8,), "int32", name="A"))
    Tensor(shape=[8], dtype=int32, name=ceil_log2)
    """
    a_tensor("ceil_log2", "x", x)
    return applied("ceil_log2", lambda value: _ceil_log2(value), x)


def _ceil_log2(x: Any) -> Any:
    if is_float(x.dtype):
        return te.ceil(te.log2(x))
    bits = bits_of(x.dtype)
    below = te.maximum(x, 1) - 1
    for shift in (1, 2, 4, 8, 16, 32):  # all bits below the first one
        below = below | below >> shift if shift < bits else below
    return te.popcount(below)


def _fixed_point(x: Any, multiplier: Any, left: Any, right: Any) -> Any:
    """`x << left` times `multiplier`, over 2^(31 + right), to the nearest, halves up."""
    product = (x.astype("int64") << left) * multiplier.astype("int64")
    half = te.const(1, "int64") << (right + 30)
    return ((product + half) >> (right + 31)).astype("int32")


def fixed_point_multiply(x: te.Tensor, multiplier: int, shift: int) -> te.Tensor:
    """`x * multiplier * 2^(shift - 31)`, to the nearest integer, halves up; `x` is int32.

    `multiplier` is a number of Q31, from -2^31 up to, not including, 2^31; `shift` is from -31 to
    31. The product is computed in 64 bits. Source: TVM's q_multiply_shift.

    >>> fixed_point_multiply(te.placeholder((8,), "int32", name="A"), 1 << 30, 1)
    Tensor(shape=[8], dtype=int32, name=fixed_point_multiply)
    """
    name = "fixed_point_multiply"
    _expect_int32(name, "x", x)
    factor = an_integer(name, "multiplier", multiplier)
    moved = an_integer(name, "shift", shift)
    if not -(2**31) <= factor < 2**31:
        raise wrong(name, "multiplier", f"is {factor}, which does not fit 32 bits")
    if not -31 <= moved <= 31:
        raise wrong(name, "shift", f"is {moved}, outside of -31..31")
    left, right = (te.const(max(0, one), "int64") for one in (moved, -moved))
    return applied(name, lambda value: _fixed_point(value, te.const(factor), left, right), x)


def fixed_point_multiply_per_axis(
    x: te.Tensor,
    y: te.Tensor,
    lshift: te.Tensor,
    rshift: te.Tensor,
    is_lshift_required: int,
    is_rshift_required: int,
    axes: object,
) -> te.Tensor:
    """`x * y * 2^(lshift - rshift - 31)`, with multipliers and shifts by the positions on `axes`.

    All are int32; `y`, `lshift` and `rshift` have one axis for each of `axes`, with the extents
    that `x` has there. A shift that is not required counts as 0.

    >>> x, y = (te.placeholder(shape, "int32", name=str(shape)) for shape in ((8, 4), (4,)))
    >>> fixed_point_multiply_per_axis(x, y, y, y, 1, 0, [1])
    Tensor(shape=[8, 4], dtype=int32, name=fixed_point_multiply_per_axis)
    """
    name = "fixed_point_multiply_per_axis"
    _expect_int32(name, "x", x)
    places = [an_axis(name, axis, x.ndim, "axes") for axis in listed(axes)]
    for argument, given in (("y", y), ("lshift", lshift), ("rshift", rshift)):
        _expect_int32(name, argument, given)
        if not te.same_extents(given.shape, [x.shape[place] for place in places]):
            raise wrong(name, argument, f"is {shown(given)}, but x on axes {places} is {shown(x)}")

    def value(*indices: Any) -> Any:
        at = [indices[place] for place in places]
        left, right = (
            shift(*at).astype("int64") if required else te.const(0, "int64")
            for shift, required in ((lshift, is_lshift_required), (rshift, is_rshift_required))
        )
        return _fixed_point(x(*indices), y(*at), left, right)

    return computed(name, x.shape, value, ELEMWISE)


def _expect_int32(operator: str, argument: str, value: object) -> None:
    tensor = of_kind(operator, argument, a_tensor(operator, argument, value), "integer")
    if tensor.dtype != "int32":
        raise wrong(operator, argument, f"is {shown(tensor)}, but must be int32")
