"""Operators of two tensors, whose elements are repeated to one shape by NumPy's rule.

An operand is a tensor, a number, or an expression of sizes; of operands without a tensor, the
result is an expression. Dtypes meet as they do in expressions of te.

>>> A, b = te.placeholder((8, 4), "int8", name="A"), te.placeholder((4,), name="b")
>>> add(A, b), less(A, 0)
(Tensor(shape=[8, 4], dtype=float32, name=add), Tensor(shape=[8, 4], dtype=bool, name=less))
>>> add(1, 2.5).dtype
'float32'
>>> add(te.placeholder((8,), name="a"), b)
Traceback (most recent call last):
...
teloom.errors.Error: topi.add: operands a of shape (8,) and dtype float32 and b of shape (4,) ...
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any, Protocol, overload

from teloom import te
from teloom.topi import tag
from teloom.topi.arguments import a_tensor, shown, wrong
from teloom.topi.dtypes import as_bool, is_float
from teloom.topi.elementwise import a_scalar, applied, computed
from teloom.topi.extents import as_extents, element, is_one, same


class BinaryOperator(Protocol):
    """An operator of two tensors, or of a tensor and a scalar."""

    __name__: str

    @overload
    def __call__(self, lhs: te.Tensor, rhs: object) -> te.Tensor: ...

    @overload
    def __call__(self, lhs: object, rhs: te.Tensor) -> te.Tensor: ...

    @overload
    def __call__(self, lhs: object, rhs: object) -> Any: ...


def _binary(name: str, function: Callable[[Any, Any], Any], meaning: str) -> BinaryOperator:
    def operator(lhs: object, rhs: object) -> Any:
        if isinstance(lhs, te.Tensor) or isinstance(rhs, te.Tensor):
            return applied(name, function, lhs, rhs)
        return function(a_scalar(name, lhs), a_scalar(name, rhs))

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"{meaning}, element by element."
    return operator


def _floor_mod(x: Any, y: Any) -> Any:
    if not is_float(te.add(x, y).dtype):
        return te.floormod(x, y)
    rest = te.fmod(x, y)
    return te.select((rest != 0) & ((rest < 0) != (te.multiply(y, 1) < 0)), rest + y, rest)


def _floor_divide(x: Any, y: Any) -> Any:
    """Of floats as NumPy: what is left is taken off before the division, which then is exact."""
    if not is_float(te.add(x, y).dtype):
        return te.floordiv(x, y)
    rest = te.fmod(x, y)
    whole = te.nearbyint((x - rest) / y)
    below = (rest != 0) & ((rest < 0) != (te.multiply(y, 1) < 0))
    quotient = te.select(below, whole - 1, whole)
    return te.select(te.multiply(y, 1) == 0, te.div(x, y), quotient)


def _mod(x: Any, y: Any) -> Any:
    return te.fmod(x, y) if is_float(te.add(x, y).dtype) else te.truncmod(x, y)


def _shifted(shift: Callable[[Any, Any], Any], keeps_sign: bool) -> Callable[[Any, Any], Any]:
    """A shift by any number: bits that are moved out are gone, as in NumPy and ONNX."""

    def of_any(x: Any, y: Any) -> Any:
        plain = shift(x, y)
        signed, bits = not plain.dtype.startswith("u"), int(plain.dtype.lstrip("uint"))
        if isinstance(y, int):  # te refuses one that is outside
            return plain
        count = te.multiply(y, 1)
        inside = (count >= 0) & (count < bits)
        if keeps_sign and signed:
            return shift(x, te.select(inside, count, bits - 1))
        return te.select(inside, plain, te.const(0, plain.dtype))

    return of_any


add = _binary("add", te.add, "`lhs + rhs`")
subtract = _binary("subtract", te.subtract, "`lhs - rhs`")
multiply = _binary("multiply", te.multiply, "`lhs * rhs`")
divide = _binary(
    "divide", te.div, "The quotient; of integers, rounded towards zero, as TVM and ONNX's Div"
)
true_divide = _binary(
    "true_divide", python.truediv, "The quotient; of integers in float64, as NumPy and Python's `/`"
)
floor_divide = _binary("floor_divide", _floor_divide, "The quotient, rounded down, as NumPy")
mod = _binary("mod", _mod, "The remainder with the sign of `lhs`, as TVM and NumPy's fmod")
floor_mod = _binary("floor_mod", _floor_mod, "The remainder with the sign of `rhs`, NumPy's mod")
maximum = _binary("maximum", te.maximum, "The greater one; NaN if one is NaN")
minimum = _binary("minimum", te.minimum, "The lesser one; NaN if one is NaN")
power = _binary("power", te.power, "`lhs ** rhs`")
left_shift = _binary(
    "left_shift",
    _shifted(python.lshift, False),
    "The bits of an integer moved up by `rhs`; from its width on, and below 0, all of them are",
)
right_shift = _binary(
    "right_shift",
    _shifted(python.rshift, True),
    "The bits of an integer moved down by `rhs`, as `left_shift` moves them up; signs are kept",
)
greater = _binary("greater", python.gt, "`lhs > rhs`, as bool")
less = _binary("less", python.lt, "`lhs < rhs`, as bool")
equal = _binary("equal", python.eq, "`lhs == rhs`, as bool")
not_equal = _binary("not_equal", python.ne, "`lhs != rhs`, as bool")
greater_equal = _binary("greater_equal", python.ge, "`lhs >= rhs`, as bool")
less_equal = _binary("less_equal", python.le, "`lhs <= rhs`, as bool")
bitwise_and = _binary("bitwise_and", python.and_, "The bits that both integers or bools have")
bitwise_or = _binary("bitwise_or", python.or_, "The bits that one of two integers or bools has")
bitwise_xor = _binary("bitwise_xor", python.xor, "The bits in which two integers or bools differ")


def _logical(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of_truths(x: Any, y: Any) -> Any:
        return function(as_bool(x), as_bool(y))

    return of_truths


logical_and = _binary("logical_and", _logical(python.and_), "Whether neither is 0, as bool")
logical_or = _binary("logical_or", _logical(python.or_), "Whether one is not 0, as bool")
logical_xor = _binary("logical_xor", _logical(python.xor), "Whether just one is not 0, as bool")


def logical_not(data: object) -> Any:
    """Whether `data` is 0, element by element, as bool."""
    if isinstance(data, te.Tensor):
        return applied("logical_not", lambda x: ~as_bool(x), data)
    return ~as_bool(a_scalar("logical_not", data))


def bitwise_not(data: object) -> Any:
    """The bits that an integer or bool has not, element by element."""
    if isinstance(data, te.Tensor):
        return applied("bitwise_not", python.invert, data)
    return ~a_scalar("bitwise_not", data)


def broadcast_to(data: te.Tensor, shape: object) -> te.Tensor:
    """`data`, repeated to `shape` by NumPy's rule.

    Raises `teloom.Error` if an extent of `data` is neither 1 nor that of `shape`.

    >>> broadcast_to(te.placeholder((4, 1), name="A"), (2, 4, te.var("n")))
    Tensor(shape=[2, 4, n], dtype=float32, name=broadcast_to)
    """
    a_tensor("broadcast_to", "data", data)
    extents = as_extents("broadcast_to", "shape", shape)
    behind = len(extents) - data.ndim
    for axis, extent in enumerate(data.shape):
        if behind < 0 or not (is_one(extent) or same(extent, extents[behind + axis])):
            problem = f"is {shown(data)}, which cannot be repeated to {tuple(extents)}"
            raise wrong("broadcast_to", "data", problem)
    return computed(
        "broadcast_to", extents, lambda *i: element(data, i, extents), tag=tag.BROADCAST
    )
