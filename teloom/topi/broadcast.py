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
from typing import Any, NamedTuple, Protocol, overload

from teloom import te
from teloom.topi import tag
from teloom.topi.arguments import a_tensor, shown, wrong
from teloom.topi.docstrings import docstring
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


class _Kind(NamedTuple):
    """What operators of one kind take and give: in words, and as dtypes in an example."""

    rule: str
    given: tuple[str, str]
    result: str
    refused: str = ""


_MEET = "The dtype is that in which both meet."

_NUMBERS = _Kind(_MEET, ("int8", "float32"), "float32", ", and for bool")
_QUOTIENTS = _Kind(
    "Integers and bool are divided in float64, others in the dtype in which they meet.",
    ("int8", "int32"),
    "float64",
)
_SHIFTS = _Kind(_MEET, ("int8", "int32"), "int32", ", and for other dtypes than integers")
_BITS = _Kind(_MEET, ("int8", "int32"), "int32", ", and for floats")
_TRUTHS = _Kind("The dtype is bool.", ("int8", "float32"), "bool")

_RULES = """{detail} {rule} Tensors are repeated to one shape by NumPy's rule. An operand may also
be a number, or an expression of sizes; without a tensor, the result is an expression. Raises
`teloom.Error` for shapes that do not fit{refused}."""

_SESSION = """>>> A = te.placeholder((8, 1), "{left}", name="A")
>>> b = te.placeholder((4,), "{right}", name="b")
>>> {name}(A, b), {name}({numbers})
(Tensor(shape=[8, 4], dtype={result}, name={name}), {value})
"""


def _binary(
    name: str,
    function: Callable[[Any, Any], Any],
    kind: _Kind,
    meaning: str,
    example: tuple[str, str],
    detail: str = "",
) -> BinaryOperator:
    """An operator; `example` are two numbers, and what it gives for them."""

    def operator(lhs: object, rhs: object) -> Any:
        if isinstance(lhs, te.Tensor) or isinstance(rhs, te.Tensor):
            return applied(name, function, lhs, rhs)
        return function(a_scalar(name, lhs), a_scalar(name, rhs))

    operator.__name__ = operator.__qualname__ = name
    left, right = kind.given
    numbers, value = example
    operator.__doc__ = docstring(
        "{meaning}, element by element.",
        _RULES,
        _SESSION,
        meaning=meaning,
        name=name,
        detail=detail,
        rule=kind.rule,
        refused=kind.refused,
        left=left,
        right=right,
        numbers=numbers,
        result=kind.result,
        value=value,
    )
    return operator


def _floor_mod(x: Any, y: Any) -> Any:
    if not is_float(te.add(x, y).dtype):
        return te.floormod(x, y)
    rest = te.fmod(x, y)
    return te.select((rest != 0) & ((rest < 0) != (te.multiply(y, 1) < 0)), rest + y, rest)


def _floor_divide(x: Any, y: Any) -> Any:
    """For floats as NumPy: the remainder is subtracted before the division, which is then exact."""
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


add = _binary("add", te.add, _NUMBERS, "`lhs + rhs`", ("7, 2", "9"))
subtract = _binary("subtract", te.subtract, _NUMBERS, "`lhs - rhs`", ("7, 2", "5"))
multiply = _binary("multiply", te.multiply, _NUMBERS, "`lhs * rhs`", ("7, 2", "14"))
divide = _binary(
    "divide",
    te.div,
    _NUMBERS,
    "The quotient",
    ("-7, 2", "-3"),
    "Of integers it is rounded towards zero, as by TVM and ONNX's Div, and 0 over 0.",
)
true_divide = _binary(
    "true_divide",
    python.truediv,
    _QUOTIENTS,
    "The quotient",
    ("-7, 2", "-3.5"),
    "As NumPy's true_divide, and Python's `/`.",
)
floor_divide = _binary(
    "floor_divide",
    _floor_divide,
    _NUMBERS,
    "The quotient, rounded down",
    ("-7, 2", "-4"),
    "As NumPy's floor_divide, and Python's `//`; of integers it is 0 over 0.",
)
mod = _binary(
    "mod",
    _mod,
    _NUMBERS,
    "The remainder with the sign of `lhs`",
    ("-7, 3", "-1"),
    "As TVM's mod, and NumPy's fmod; of integers it is 0 over 0.",
)
floor_mod = _binary(
    "floor_mod",
    _floor_mod,
    _NUMBERS,
    "The remainder with the sign of `rhs`",
    ("-7, 3", "2"),
    "As NumPy's mod, and Python's `%`; of integers it is 0 over 0.",
)
maximum = _binary(
    "maximum",
    te.maximum,
    _NUMBERS,
    "The greater one",
    ("7, 2", "7"),
    "As NumPy's maximum: NaN if one is NaN.",
)
minimum = _binary(
    "minimum",
    te.minimum,
    _NUMBERS,
    "The lesser one",
    ("7, 2", "2"),
    "As NumPy's minimum: NaN if one is NaN.",
)
power = _binary(
    "power",
    te.power,
    _NUMBERS,
    "`lhs ** rhs`",
    ("7, 2", "49"),
    "A negative power of an integer is what `divide` gives for 1 and the positive one.",
)
left_shift = _binary(
    "left_shift",
    _shifted(python.lshift, False),
    _SHIFTS,
    "The bits of `lhs` moved up by `rhs`",
    ("7, 2", "28"),
    "What is moved out is gone: by the width of the dtype or more, and by less than 0, all bits. A "
    "number `rhs` that is so is refused.",
)
right_shift = _binary(
    "right_shift",
    _shifted(python.rshift, True),
    _SHIFTS,
    "The bits of `lhs` moved down by `rhs`",
    ("-7, 2", "-2"),
    "Copies of the sign move in, of unsigned integers zeros. What `rhs` may be is as in "
    "`left_shift`.",
)
greater = _binary("greater", python.gt, _TRUTHS, "`lhs > rhs`", ("2, 2", "False"))
less = _binary("less", python.lt, _TRUTHS, "`lhs < rhs`", ("2, 2", "False"))
equal = _binary("equal", python.eq, _TRUTHS, "`lhs == rhs`", ("2, 2", "True"))
not_equal = _binary("not_equal", python.ne, _TRUTHS, "`lhs != rhs`", ("2, 2", "False"))
greater_equal = _binary("greater_equal", python.ge, _TRUTHS, "`lhs >= rhs`", ("2, 2", "True"))
less_equal = _binary("less_equal", python.le, _TRUTHS, "`lhs <= rhs`", ("2, 2", "True"))
bitwise_and = _binary("bitwise_and", python.and_, _BITS, "The bits that both have", ("6, 3", "2"))
bitwise_or = _binary(
    "bitwise_or", python.or_, _BITS, "The bits that one or both have", ("6, 3", "7")
)
bitwise_xor = _binary("bitwise_xor", python.xor, _BITS, "The bits that differ", ("6, 3", "5"))


def _logical(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of_truths(x: Any, y: Any) -> Any:
        return function(as_bool(x), as_bool(y))

    return of_truths


_TRUE = "What is not 0 is true, in any dtype."
logical_and = _binary(
    "logical_and", _logical(python.and_), _TRUTHS, "Whether both are true", ("6, 0", "False"), _TRUE
)
logical_or = _binary(
    "logical_or", _logical(python.or_), _TRUTHS, "Whether one is true", ("6, 0", "True"), _TRUE
)
logical_xor = _binary(
    "logical_xor",
    _logical(python.xor),
    _TRUTHS,
    "Whether just one is true",
    ("6, 3", "False"),
    _TRUE,
)


def logical_not(data: object) -> Any:
    """Whether `data` is 0, element by element, as bool; of a number or expression an expression.

    >>> logical_not(te.placeholder((8, te.var("n")), name="A")), logical_not(6)
    (Tensor(shape=[8, n], dtype=bool, name=logical_not), False)
    """
    if isinstance(data, te.Tensor):
        return applied("logical_not", lambda x: ~as_bool(x), data)
    return ~as_bool(a_scalar("logical_not", data))


def bitwise_not(data: object) -> Any:
    """The bits that an integer or bool has not, element by element, in its dtype.

    Of a number or expression it is an expression. Raises `teloom.Error` for floats.

    >>> bitwise_not(te.placeholder((8, te.var("n")), "int8", name="A")), bitwise_not(6)
    (Tensor(shape=[8, n], dtype=int8, name=bitwise_not), -7)
    """
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
